"""The build backend: the wheel's tag is of its library, and its RECORD lists what is in it."""

import csv
import importlib.util
import io
import os
import pathlib
import tempfile
import unittest.mock
import zipfile

from support import Case

SPEC = importlib.util.spec_from_file_location("backend", pathlib.Path(__file__).parents[1] / "backend.py")
backend = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(backend)


def library(machine):
    """The beginning of a 64-bit shared library for a machine, by its number in ELF."""
    return b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x03\0" + machine.to_bytes(2, "little") + bytes(100)


class Backend(Case):
    def test_the_platform_is_the_librarys(self):
        self.assertEqual(backend.platform(library(62)), "linux_x86_64")
        self.assertEqual(backend.platform(library(183)), "linux_aarch64")
        wrong = (b"", b"\x7fELF", library(40), b"\x7fELF\x01" + library(62)[5:], b"INPUT(libotp.so.0)" + bytes(20))
        for other in wrong:
            self.assertRaisesRegex(SystemExit, "not a shared library for 64-bit Linux", backend.platform, other)

    def test_the_wheel_has_what_its_record_lists(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "libotp.so.0")
            path.write_bytes(library(183))
            with unittest.mock.patch.dict(os.environ, OTP_LIBRARY=str(path)):
                name = backend.build_wheel(folder)
            self.assertEqual(name, f"{backend.NAME}-py3-none-linux_aarch64.whl")
            with zipfile.ZipFile(os.path.join(folder, name)) as wheel:
                content = {entry: wheel.read(entry) for entry in wheel.namelist()}
        record = f"{backend.NAME}.dist-info/RECORD"
        rows = {row[0]: row[1:] for row in csv.reader(io.StringIO(content[record].decode()))}
        self.assertEqual(rows.pop(record), ["", ""])
        del content[record]
        self.assertEqual(rows, {entry: [f"sha256={backend.digest(data)}", str(len(data))]
                                for entry, data in content.items()})
        self.assertEqual(content["otp/_lib/libotp.so.0"], library(183))
        self.assertLessEqual({"otp/__init__.py", "otp/py.typed"}, set(content))
