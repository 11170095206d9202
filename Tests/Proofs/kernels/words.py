"""More operations on terms, from those of terms.py."""

from terms import bits, both, constant, moved, of_bits, ones, remembered, rotate_left, value_of, xor


class Refused(Exception):
    """Something is wrong, or not known to be right."""


class NotConcrete(Refused):
    """A branch, an address or a count depends on a variable."""


class Unknown(Refused):
    """Something that the proof does not know, or does not allow."""


def concrete(term):
    value = value_of(term)
    if value is None:
        raise NotConcrete()
    return value


def invert(term):
    return xor(term, constant(ones(term.width), term.width))


@remembered
def by_table(table, first, *rest):
    """The function of some terms that is given by a table: an index is a bit of each, the first the highest."""
    low, high = (by_table(half, *rest) if rest else constant(-(half & 1), first.width)
                 for half in (table, table >> (1 << len(rest))))
    return xor(low, both(first, xor(low, high)))


# MARK: Moving bits.

def rotate_right(term, count):
    return rotate_left(term, term.width - count)


def shift_left(term, count):
    if term.kind == "polynomial":
        return moved(term, lambda part: shift_left(part, count))
    return of_bits((0,) * count + bits(term)[:term.width - count])


def shift_right_signed(term, count):
    entries = bits(term)
    return of_bits(entries[count:] + entries[-1:] * count)


def extract(term, low, width):
    return term if (low, width) == (0, term.width) else of_bits(bits(term)[low:low + width])


def concatenate(terms):
    """The first is the lowest."""
    return terms[0] if len(terms) == 1 else of_bits(tuple(bit for term in terms for bit in bits(term)))


def regroup(vector, width):
    """The same bits in elements of another width."""
    if vector[0].width == width:
        return vector
    if vector[0].width < width:
        size = width // vector[0].width
        return [concatenate(vector[start:start + size]) for start in range(0, len(vector), size)]
    return [extract(term, low, width) for term in vector for low in range(0, term.width, width)]


def swapped(value):
    """The bytes in the other order."""
    return concatenate([extract(value, low, 8) for low in range(value.width - 8, -1, -8)])


def splat(bit, width):
    return of_bits((bit,) * width)


def select(bit, first, second):
    """The first if the bit is 1."""
    return xor(second, both(splat(bit, first.width), xor(first, second)))
