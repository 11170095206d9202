#!/usr/bin/env python3
"""Builds the wheel and the sdist (PEP 517), byte for byte the same on every build of the same files.

    backend.py FOLDER      writes both there

The wheel has the libotp that OTP_LIBRARY names, else the one that pkg-config finds. SOURCE_DATE_EPOCH dates what is in
the archives, else 1980. It is a program of its own because the common backends can neither put a finished shared
library into a wheel nor name its platform without running a compiler.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import os
import pathlib
import struct
import subprocess
import sys
import tarfile
import time
import zipfile

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NAME = f"{PROJECT['name'].replace('-', '_')}-{PROJECT['version']}"
SONAME = "libotp.so.0"
# By the machine of an ELF header.
ARCHITECTURES = {62: "x86_64", 183: "aarch64"}
# Zip archives know no earlier time.
DATE = max(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), 315_532_800)


def files(*patterns: str) -> dict[str, bytes]:
    """The project's matching files, by their path."""
    paths = {path for pattern in patterns for path in HERE.glob(pattern) if path.is_file()}
    return {str(path.relative_to(HERE)): path.read_bytes() for path in sorted(paths)}


def metadata() -> bytes:
    lines = ["Metadata-Version: 2.1", f"Name: {PROJECT['name']}", f"Version: {PROJECT['version']}",
             f"Summary: {PROJECT['description']}", *(f"Classifier: {text}" for text in PROJECT["classifiers"]),
             f"Requires-Python: {PROJECT['requires-python']}", "Description-Content-Type: text/markdown", "",
             (HERE / PROJECT["readme"]).read_text(encoding="utf-8")]
    return "\n".join(lines).encode()


def library() -> bytes:
    path = os.environ.get("OTP_LIBRARY")
    if not path:
        try:
            found = subprocess.run(["pkg-config", "--variable=libdir", "libotp"], capture_output=True, text=True)
            path = f"{found.stdout.strip()}/{SONAME}" if found.returncode == 0 else None
        except FileNotFoundError:
            path = None
    if not path or not os.path.isfile(path):
        sys.exit(f"swift-otp: {path or 'libotp'} is missing: install libotp with its pkg-config file, or set"
                 f" OTP_LIBRARY to the path of {SONAME}")
    return pathlib.Path(path).read_bytes()


def platform(elf: bytes) -> str:
    """The tag's platform. Not a manylinux (PEP 600), which promises that no other library is needed: libcrypto.so.3 is
    the system's."""
    machine = struct.unpack_from("<H", elf, 18)[0] if elf[:6] == b"\x7fELF\x02\x01" else None
    if machine not in ARCHITECTURES:
        sys.exit("swift-otp: the libotp is not a shared library for 64-bit Linux on x86-64 or arm64")
    return f"linux_{ARCHITECTURES[machine]}"


def build_wheel(wheel_directory: str, config_settings: object = None, metadata_directory: object = None) -> str:
    elf = library()
    tag = f"py3-none-{platform(elf)}"
    information = f"{NAME}.dist-info"
    content = {name.removeprefix("src/"): data for name, data in files("src/otp/*.py", "src/otp/py.typed").items()}
    content[f"otp/_lib/{SONAME}"] = elf
    content[f"{information}/METADATA"] = metadata()
    content[f"{information}/WHEEL"] = \
        f"Wheel-Version: 1.0\nGenerator: swift-otp\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    record = "".join(f"{name},sha256={digest(data)},{len(data)}\n" for name, data in content.items())
    content[f"{information}/RECORD"] = f"{record}{information}/RECORD,,\n".encode()
    wheel = f"{NAME}-{tag}.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in content.items():
            entry = zipfile.ZipInfo(name, time.gmtime(DATE)[:6])
            entry.external_attr = 0o100644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return wheel


def digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    content = files("pyproject.toml", "README.md", "backend.py", "src/otp/*.py", "src/otp/py.typed", "tests/*.py")
    content["PKG-INFO"] = metadata()
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, data in content.items():
            # Its owner is 0, and its mode 644.
            entry = tarfile.TarInfo(f"{NAME}/{name}")
            entry.size, entry.mtime = len(data), DATE
            archive.addfile(entry, io.BytesIO(data))
    sdist = f"{NAME}.tar.gz"
    pathlib.Path(sdist_directory, sdist).write_bytes(gzip.compress(packed.getvalue(), mtime=0))
    return sdist


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: backend.py FOLDER")
    os.makedirs(sys.argv[1], exist_ok=True)
    for name in build_wheel(sys.argv[1]), build_sdist(sys.argv[1]):
        print(os.path.join(sys.argv[1], name))
