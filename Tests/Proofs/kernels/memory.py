"""Memory on terms: objects, each with an end and whether it may be written.

An address is a variable, which may have any value that is aligned as the object is, and an offset. Within, an object
has a number, so that a place is one, too; no term has these numbers.
"""

import bisect

from image import BASE
from terms import add, constant, offset_from, variable
from words import NotConcrete, Unknown, concatenate, extract

PAGE, GAP = 4096, 1 << 20


class Memory:
    """Terms by place. What was never written is any value."""

    def __init__(self, image):
        self.objects = [(start, start + len(content), content) for start, content in sorted(image.constants)]
        self.starts, self.cells, self.constants_read = [start for start, *_ in self.objects], {}, image.constants_read
        self.forgotten, self.image = 0, image
        # Of each variable: its number, from where to where an address may be, and the alignment.
        self.bases = {}

    def place(self, size, alignment, is_writable, before=0):
        """The address of a new object, perhaps with more bytes before it, a multiple of the alignment."""
        start = (self.objects[-1][1] + GAP) & -PAGE
        self.objects.append((start, start + before + size, is_writable))
        self.starts.append(start)
        return self._based(start + before, start, start + before + size, alignment)

    def _based(self, number, first, last, alignment):
        base = variable(("base", number), 64)
        self.bases[base] = (number, first, last, alignment)
        return base

    def pointer(self, number):
        """The address of a place in the library, or of a function elsewhere."""
        if number >> 42:
            return add(self._based(BASE, BASE - PAGE, self.image.end, PAGE), constant(number - BASE, 64))
        return self._based(number, number, number, 1)

    def resolved(self, address):
        """The place, and the alignment of its object."""
        base, offset = offset_from(address)
        if base not in self.bases:
            raise NotConcrete("an address")
        number, first, last, alignment = self.bases[base]
        place = number + (offset ^ 1 << 63) - (1 << 63)
        if not first <= place <= last:
            raise Unknown(f"an address {place - number:#x} bytes from the start of an object")
        return place, alignment

    def with_numbers(self, start, size):
        """As instructions.py executes them: one object, and addresses are numbers."""
        self.objects, self.starts = [(start, start + size, True)], [start]
        self.bases = {None: (0, 0, 1 << 62, PAGE)}
        self.pointer = lambda number: constant(number, 64)

    def _object(self, address, size):
        start, end, what = self.objects[max(bisect.bisect(self.starts, address) - 1, 0)]
        if not start <= address <= address + size <= end:
            raise Unknown(f"an access of {size} bytes at {address:#x}")
        return start, what

    def store(self, address, value):
        size = value.width // 8
        if self._object(address, size)[1] is not True:
            raise Unknown(f"a write to {address:#x}")
        # What the new value covers in part is cut.
        for start in range(address - 7, address + size):
            old = self.cells.get(start)
            if old is not None and start + old.width // 8 > address:
                del self.cells[start]
                for index in range(old.width // 8):
                    if not address <= start + index < address + size:
                        self.cells[start + index] = extract(old, 8 * index, 8)
        self.cells[address] = value

    def forget(self, start, end):
        """What is there, and what was never written, is another value from now on."""
        self.cells = {address: term for address, term in self.cells.items() if not start <= address < end}
        self.forgotten += 1

    def load(self, address, width):
        start, content = self._object(address, width // 8)
        if isinstance(content, bytes):
            places = range(address - start, address - start + width // 8)
            moved = [place for place in range(address - 7, address + width // 8) if place in self.image.moved]
            if moved and (width, moved) != (64, [address]):
                raise Unknown("a part of an address")
            if moved:
                return self.pointer(self.image.moved[address])
            self.constants_read.update(start + place for place in places)
            return constant(int.from_bytes(content[places.start:places.stop], "little"), width)
        value = self.cells.get(address)
        if value is not None and value.width == width:
            return value
        return concatenate([self._byte(address + index) for index in range(width // 8)])

    def _byte(self, address):
        for start in range(address, address - 8, -1):
            value = self.cells.get(start)
            if value is not None and start + value.width // 8 > address:
                return extract(value, 8 * (address - start), 8)
        return variable(("unwritten", self.forgotten, address), 8)
