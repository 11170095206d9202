"""The algebraic normal form of single bits: a set of products, each a set of bits of variables and sums.

It is unique for a function of these bits. So two words that mix shifts, masks and selections, and whose terms differ,
can still be shown to be equal.
"""

from terms import bits, remembered, value_of
from words import Refused


class TooLarge(Refused):
    """The form of a bit has more products than are waited for."""


MOST_PRODUCTS = 20000


def product(left, right):
    result = set()
    for a in left:
        for b in right:
            result ^= {a | b}
        if len(result) > MOST_PRODUCTS:
            raise TooLarge()
    return frozenset(result)


ONE = frozenset([frozenset()])
ZERO = frozenset()


@remembered
def form(bit):
    """Of an entry of `bits`."""
    if bit in (0, 1):
        return ONE if bit else ZERO
    term, index, is_inverted = bit
    if is_inverted:
        return form((term, index, False)) ^ ONE
    if term.kind in ("variable", "sum") and value_of(term) is None:
        return frozenset([frozenset([(term, index)])])
    if term.kind != "polynomial":
        return form(bits(term)[index])
    result = ZERO
    for factors, mask in term.data:
        if mask >> index & 1:
            one = ONE
            for factor in factors:
                one = product(one, form(bits(factor)[index]))
            result ^= one
    return result


def forms(term):
    """Of all bits of a term, the lowest first."""
    return [form(bit) for bit in bits(term)]


def selected(choices, selectors):
    """The form of the choice with this index, whose bits, the lowest first, are forms too."""
    for selector in selectors:
        choices = [choices[i] ^ product(selector, choices[i] ^ choices[i + 1]) for i in range(0, len(choices), 2)]
    return choices[0]
