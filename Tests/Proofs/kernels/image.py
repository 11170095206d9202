"""A linked library, as it lies in memory: its code, constants, relocations and symbols; and its kernels."""

import collections
import re
import struct
from pathlib import Path

Section = collections.namedtuple("Section", "name kind flags address offset size link info alignment entry")
# What nothing writes once the dynamic linker is done.
CONSTANTS, CODE = (".rodata", ".data.rel.ro", ".got", ".got.plt"), (".plt", ".text")
# The number of where a library lies (memory.py).
BASE = 0x612345600000
# Relocations of x86-64 and arm64: to a symbol, and to the library's own addresses.
SYMBOL, RELATIVE = (1, 6, 7, 257, 1025, 1026), (8, 1027)


class Image:
    def __init__(self, path):
        self.raw = Path(path).read_bytes()
        self.name, self.is_arm = Path(path).name.split(".")[0], self.raw[18] == 183
        start, = struct.unpack_from("<Q", self.raw, 40)
        size, count, names = struct.unpack_from("<3H", self.raw, 58)
        self.headers = [Section._make(struct.unpack_from("<2I4Q2I2Q", self.raw, start + size * index))
                        for index in range(count)]
        self.sections = {self._text(names, header.name): header for header in self.headers}
        self.constants, self.code = ([(BASE + self.sections[part].address, self.content(part)) for part in parts
                                      if part in self.sections] for parts in (CONSTANTS, CODE))
        self.symbols, self.sizes = {}, {}
        for name, address, length in self._symbols(".symtab"):
            if address:
                self.symbols.setdefault(name, address)
                self.sizes[address] = max(length, self.sizes.get(address, 0))
        # The places with addresses, which the dynamic linker writes; and where the library ends.
        self.moved = {}
        self.end = BASE + max(header.address + header.size for header in self.headers)
        # Functions that are not in the library have addresses without memory.
        dynamic = [(name, address or 1 << 40 | index << 4)
                   for index, (name, address, _) in enumerate(self._symbols(".dynsym"))]
        if ".relr.dyn" in self.sections:
            raise ValueError("packed relocations")
        for part in (".rela.dyn", ".rela.plt"):
            for place, kind, addend in struct.iter_unpack("<QQq", self.content(part)):
                if kind not in RELATIVE and kind & 0xFFFFFFFF not in SYMBOL:
                    raise ValueError(f"relocation {kind & 0xFFFFFFFF}")
                self._relocate(BASE + place, (BASE if kind in RELATIVE else dynamic[kind >> 32][1]) + addend)
        # What is not executed.
        self.external = {address: name for name, address in dynamic if address >> 40 == 1}
        self.external[self.symbols.get("otp_wipe_stack")] = "otp_wipe_stack"
        self.instructions, self.constants_read, self.most_instructions = {}, set(), 1 << 17

    def content(self, part):
        return self.raw[self.sections[part].offset:][:self.sections[part].size]

    def _text(self, table, place):
        start = self.headers[table].offset + place
        return self.raw[start:self.raw.index(0, start)].decode()

    def _symbols(self, part):
        for name, _, _, where, address, length in struct.iter_unpack("<I2BH2Q", self.content(part)):
            yield self._text(self.sections[part].link, name), where and BASE + address, length

    def _relocate(self, place, value):
        self.moved[place] = value
        self.constants = [(base, content if not 0 <= place - base < len(content) else
                           content[:place - base] + struct.pack("<Q", value) + content[place - base + 8:])
                          for base, content in self.constants]

    def code_at(self, address, size=15):
        return next((content[address - base:address - base + size] for base, content in self.code
                     if base <= address < base + len(content)), b"")

    def _words(self, address, count):
        base, content = next((base, content) for base, content in self.constants
                             if base <= address < base + len(content))
        return struct.unpack_from(f"<{count}Q", content, address - base)

    def kernels(self):
        """Of each kernel that a plan names, but libcrypto's: its name, lanes, and its functions' addresses or 0."""
        plans = [self._words(address + part, 11) for name, address in self.symbols.items()
                 if re.search("_plans|_combination$", name) for part in range(0, self.sizes[address], 88)]
        names = {address: name for name, address in self.symbols.items() if self.sizes[address] == 48}
        named = {names[address] for _, count, *kernels in plans for address in kernels[:count]}
        others = {f"otp_transform_sha{bits}" for bits in (1, 256, 512)}
        return [(name, lanes, functions) for name in sorted(named - others)
                for lanes, _, *functions in [self._words(self.symbols[name], 6)]]
