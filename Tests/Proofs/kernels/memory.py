"""Memory on terms: objects at addresses, each with an end and whether it may be written."""

import bisect

from image import PLACEMENT
from terms import constant, variable
from words import Unknown, concatenate, extract

# Offsets between objects have more than 32 bits.
GAP = 3 << 31


class Memory:
    """Terms by address. What was never written is any value."""

    def __init__(self, constants, constants_read):
        self.objects = [(start, start + len(content), content) for start, content in sorted(constants)]
        self.starts, self.cells, self.constants_read = [start for start, *_ in self.objects], {}, constants_read
        self.forgotten = 0

    def place(self, size, alignment, is_writable):
        """A new object, far above all others, aligned to no more than this; or below them, aligned to pages."""
        end = self.objects[0][0] - GAP - size if PLACEMENT else self.objects[-1][1] + GAP
        address = (end & -4096) + (0 if PLACEMENT else alignment)
        place = bisect.bisect(self.starts, address)
        self.objects.insert(place, (address, address + size, is_writable))
        self.starts.insert(place, address)
        return address

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
