#!/usr/bin/env python3
"""Writes what the bindings know of otp.h: enumerations, structures, numbers, and the declarations of functions.

    generate.py

LibOTP/build.sh runs it. The files are not tracked; packages have them.
"""

import os
import pathlib

from generator import go, python, rust

FILES = {"python/src/otp/_header.py": python, "go/otp_header.go": go, "rust/src/ffi/sys.rs": rust}
for path, language in FILES.items():
    file, written = pathlib.Path(__file__).resolve().parent / path, "\n".join(language.lines()) + "\n"
    # At once, since a build may be reading it, and only if it differs, since a build would begin again.
    if not file.exists() or file.read_text(encoding="utf-8") != written:
        new = file.with_suffix(f".{os.getpid()}")
        new.write_text(written, encoding="utf-8")
        new.replace(file)
