"""Memory on terms: objects that do not overlap, each with a size, an alignment and whether it may be written."""

from ir import Unknown
from terms import constant, poison
from words import concatenate, extract


class Object:
    """Its cells are terms, or pointers, by offset. What was never written is poison."""

    def __init__(self, size, alignment, is_writable=True):
        self.size, self.alignment, self.is_writable, self.cells = size, alignment, is_writable, {}


class Memory:
    """Objects by name. A pointer is a name and an offset; the names of tables begin with @."""

    def __init__(self, tables):
        self.objects = {}
        for name, (raw, alignment) in tables.items():
            table = self.objects[name] = Object(len(raw), alignment, False)
            table.cells = raw

    def checked(self, pointer, size, alignment):
        """The object and the offset of an access, which must be aligned and within the object."""
        name, offset = pointer
        found = self.objects.get(name)
        if found is None or not 0 <= offset <= offset + size <= found.size:
            raise Unknown(f"an access of {size} bytes at {pointer}")
        if offset % alignment or found.alignment % alignment:
            raise Unknown(f"an access of {size} bytes at {pointer}, aligned to {alignment}")
        return found, offset

    def store(self, pointer, value, alignment=1):
        size = 8 if isinstance(value, tuple) else value.width // 8
        found, offset = self.checked(pointer, size, alignment)
        if not found.is_writable:
            raise Unknown(f"a write to {pointer}")
        cells = found.cells
        # What the new value covers in part is cut.
        for start in range(offset - 7, offset + size):
            old = cells.get(start)
            if old is None:
                continue
            old_size = 8 if isinstance(old, tuple) else old.width // 8
            if start + old_size <= offset:
                continue
            del cells[start]
            for index in range(0 if isinstance(old, tuple) else old_size):
                if not offset <= start + index < offset + size:
                    cells[start + index] = extract(old, 8 * index, 8)
        cells[offset] = value

    def load(self, pointer, width, alignment=1):
        if width % 8:
            raise Unknown(f"{width} bits in memory")
        found, offset = self.checked(pointer, width // 8, alignment)
        if isinstance(found.cells, bytes):
            return constant(int.from_bytes(found.cells[offset:offset + width // 8], "little"), width)
        value = found.cells.get(offset)
        if isinstance(value, tuple):
            if width != 64:
                raise Unknown("a part of a pointer")
            return value
        if value is not None and value.width == width:
            return value
        return concatenate([self._byte(found.cells, offset + index) for index in range(width // 8)])

    @staticmethod
    def _byte(cells, offset):
        for start in range(offset, offset - 8, -1):
            value = cells.get(start)
            if isinstance(value, tuple):
                raise Unknown("a part of a pointer")
            if value is not None:
                return extract(value, 8 * (offset - start), 8) if start + value.width // 8 > offset else poison(8)
        return poison(8)
