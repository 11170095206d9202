"""Puts into the wheel the libotp that OTP_LIBRARY names, else the one that pkg-config finds.

The tag is of this machine, not a manylinux (PEP 600), which promises that no other library is needed: libcrypto.so.3 is
the system's."""

import os
import pathlib
import platform
import shutil
import subprocess

from setuptools import setup
from setuptools.command.build_py import build_py

SONAME = "libotp.so.0"


def library() -> str:
    found = ["pkg-config", "--variable=libdir", "libotp"]
    path = os.environ.get("OTP_LIBRARY")
    if not path and shutil.which(found[0]):
        path = f"{subprocess.run(found, capture_output=True, text=True).stdout.strip()}/{SONAME}"
    if not path or not os.path.isfile(path):
        raise SystemExit(f"swift-otp: {path or 'libotp'} is missing: install libotp with its pkg-config file, or set"
                         f" OTP_LIBRARY to the path of {SONAME}")
    return path


class Build(build_py):
    def run(self) -> None:
        super().run()
        folder = pathlib.Path(self.build_lib, "otp/_lib")
        folder.mkdir(exist_ok=True)
        shutil.copyfile(library(), folder / SONAME)


setup(cmdclass={"build_py": Build}, options={"bdist_wheel": {"plat_name": f"linux_{platform.machine()}"}})
