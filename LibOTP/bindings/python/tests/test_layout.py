"""The ctypes structures have the places that the check `libotp` found with a C compiler."""

import ctypes

from otp import _header as c
from support import ROOT, Case, in_repository


@in_repository
class Layout(Case):
    def test_every_size_and_place(self):
        expected = (ROOT / "Tests/Checks/libotp/interface.txt").read_text(encoding="utf-8").splitlines()
        for line in (line for line in expected if ", aligned to " in line):
            name = line.split()[0]
            structure = getattr(c, "".join(map(str.capitalize, name.split("_")[1:])))
            found = f"{name} {ctypes.sizeof(structure)}, aligned to {ctypes.alignment(structure)}:"
            for field, *_ in c.Structure._fields_ + structure._fields_:
                place = getattr(structure, field)
                found += f" {field} {place.offset}+{place.size}"
            self.assertEqual(found, line)
