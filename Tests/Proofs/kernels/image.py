"""A linked library for x86-64, as it lies in memory: its code, constants, relocations and symbols; and its kernels."""

import re
import struct
from pathlib import Path

# What nothing writes once the dynamic linker is done.
_CONSTANT = (".rodata", ".data.rel.ro", ".got", ".got.plt")
_CODE = (".plt", ".text")
# Relocations of x86-64 and arm64: to a symbol, and to the library's own addresses.
_SYMBOL, _RELATIVE = (1, 6, 7, 257, 1025, 1026), (8, 1027)


class Image:
    def __init__(self, path):
        raw = bytearray(Path(path).read_bytes())
        self.name, self.is_arm = Path(path).name.split(".")[0], raw[18] == 183
        start, = struct.unpack_from("<Q", raw, 40)
        size, count, names = struct.unpack_from("<3H", raw, 58)
        headers = [struct.unpack_from("<2I4Q2I2Q", raw, start + size * index) for index in range(count)]
        name = lambda table, place: raw[table[4] + place:raw.index(0, table[4] + place)].decode()  # noqa: E731
        sections = {name(headers[names], header[0]): header for header in headers}
        self.offsets = {part: (header[3], header[4], header[5]) for part, header in sections.items()}

        def symbols(part):
            header = sections[part]
            for place in range(header[4], header[4] + header[5], 24):
                word, _, _, where, address, length = struct.unpack_from("<I2BH2Q", raw, place)
                yield name(headers[header[6]], word), where and address, length
        # Functions that are not in the library have addresses without memory.
        dynamic = [(word, address or 1 << 40 | index << 4)
                   for index, (word, address, _) in enumerate(symbols(".dynsym"))]
        self.external = {address: word for word, address in dynamic if address >> 40}
        self.symbols, self.sizes = {}, {}
        for word, address, length in symbols(".symtab"):
            if address:
                self.symbols.setdefault(word, address)
                self.sizes[address] = max(length, self.sizes.get(address, 0))
        for part in (".rela.dyn", ".rela.plt"):
            for place in range(sections[part][4], sections[part][4] + sections[part][5], 24):
                address, kind, addend = struct.unpack_from("<QQq", raw, place)
                value = addend if kind in _RELATIVE else (
                    dynamic[kind >> 32][1] + addend if kind & 0xFFFFFFFF in _SYMBOL else None)
                for header in headers:
                    if header[3] <= address < header[3] + header[5] and header[1] == 1 and value is not None:
                        struct.pack_into("<Q", raw, header[4] + address - header[3], value)
        content = {part: (header[3], bytes(raw[header[4]:header[4] + header[5]]))
                   for part, header in sections.items()}
        self.constants = [content[part] for part in _CONSTANT if part in content]
        self.code = [content[part] for part in _CODE if part in content]
        self.instructions, self.constants_read, self.most_instructions = {}, set(), 1 << 17

    def code_at(self, address, size=15):
        return next((content[address - base:address - base + size] for base, content in self.code
                     if base <= address < base + len(content)), b"")

    def words(self, address, count):
        for base, content in self.constants:
            if base <= address < base + len(content):
                return struct.unpack_from(f"<{count}Q", content, address - base)
        raise ValueError(f"no constants at {address:#x}")

    def kernels(self):
        """Of each kernel that a plan names: its name, lanes, and the addresses of its functions or 0."""
        named = {word for name, address in self.symbols.items() if re.search("_plans|_combination$", name)
                 for word in self.words(address, self.sizes[address] // 8)}
        return sorted((name, lanes, functions) for name, address in self.symbols.items()
                      if address in named and self.sizes[address] == 48
                      for lanes, _, *functions in [self.words(address, 6)])
