"""Where a path is: registers, flags and memory; and the objects that memory has."""

import itertools

import z3

LIBRARY, RETURN, CANARY = (z3.BitVec(name, 64) for name in ("library", "return", "canary"))
_any = itertools.count()


class Split(Exception):
    """A term must be a number before what comes next, and has more than one."""

    def __init__(self, term, values):
        super().__init__()
        self.term, self.values = term, values


def unknown(width):
    return z3.BitVec(f"any{next(_any)}", width)


class Object:
    """Of bytes from the place `low` to `low + size`, whose place 0 is `bias` past a multiple of an alignment."""

    def __init__(self, name, size, alignment=1, *, low=0, bias=0, is_writable=False):
        self.name, self.address, self.size, self.low = name, z3.BitVec(name, 64), size, low
        self.alignment, self.bias, self.is_writable = alignment, bias, is_writable


class State:
    """Of a path: registers, flags, terms whose values are known, and of each byte of memory a term and an index."""

    def __init__(self):
        self.general = [z3.BitVec(f"register{index}", 64) for index in range(16)]
        self.vectors = [z3.BitVec(f"vector{index}", 128) for index in range(16)]
        self.flags, self.cells, self.known, self.ip = {}, {}, {}, 0

    def copy(self):
        other = State.__new__(State)
        other.general, other.vectors, other.flags = self.general[:], self.vectors[:], self.flags
        other.cells, other.known, other.ip = self.cells.copy(), self.known.copy(), self.ip
        return other
