#!/usr/bin/env python3
"""Writes a Go module as the files of a module proxy, so that a folder can serve as GOPROXY.

    go_module.py FOLDER VERSION OUT
"""

import json
import subprocess
import sys
import time
import zipfile
from os import environ
from pathlib import Path

EARLIEST = (1980, 1, 1, 0, 0, 0)


def main(folder: Path, version: str, out: Path) -> None:
    manifest = (folder / "go.mod").read_text()
    module = manifest.split("module ", 1)[1].split()[0]
    versions = out / module / "@v"
    versions.mkdir(parents=True)
    (versions / "list").write_text(version + "\n")
    (versions / f"{version}.mod").write_text(manifest)
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(environ["SOURCE_DATE_EPOCH"])))
    (versions / f"{version}.info").write_text(json.dumps({"Version": version, "Time": when}) + "\n")
    with zipfile.ZipFile(versions / f"{version}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        tracked = subprocess.check_output(["git", "ls-files"], cwd=folder, text=True).splitlines()
        # With what LibOTP/bindings/generate.py writes.
        for name in sorted([*tracked, "otp_header.go"]):
            entry = zipfile.ZipInfo(f"{module}@{version}/{name}", EARLIEST)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, (folder / name).read_bytes())


main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))
