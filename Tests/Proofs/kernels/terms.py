"""Words as terms in a normal form: two terms that are one object are equal for all values of their variables.

The kinds of terms, each with a width in bits:

    variable    any value
    sum         a constant and a multiset of terms, modulo 2^width; a constant is a sum of nothing else
    polynomial  over GF(2), bit by bit: the exclusive or of products of terms, each with a mask of the bits that count
    rotation    of a variable or a sum, to the left
    shift       of the same, to the right
    bits        anything else that moves bits: each is 0, 1 or a bit of a term

Terms are interned: there is one object for each value. A pair that is equal may have two normal forms, so a proof can
fail; it cannot succeed wrongly.
"""

import functools
import gc

# Terms never refer to one another in circles, and there are millions.
gc.disable()

_CACHES = []
_NOTHING = frozenset()


def remembered(operation):
    """Keeps results until terms are forgotten."""
    _CACHES.append(functools.cache(operation))
    return _CACHES[-1]


def forget():
    """Releases all terms; none made before may be used again."""
    for cache in _CACHES:
        cache.cache_clear()


class Term:
    __slots__ = ("kind", "width", "data")

    def __init__(self, kind, width, data):
        self.kind, self.width, self.data = kind, width, data


intern = remembered(Term)


def ones(width):
    return (1 << width) - 1


def variable(name, width):
    return intern("variable", width, name)


def constant(value, width):
    return intern("sum", width, (value & ones(width), _NOTHING))


def value_of(term):
    """A constant's value; None for any other term."""
    return term.data[0] if term.kind == "sum" and not term.data[1] else None


# MARK: Sums.

def _parts(term):
    return term.data if term.kind == "sum" else (0, ((term, 1),))


@remembered
def add(*terms):
    width = terms[0].width
    (total, most), *rest = sorted(map(_parts, terms), key=lambda part: -len(part[1]))
    mask, counts = ones(width), dict(most)
    for part, items in rest:
        total += part
        for item, count in items:
            count = counts.pop(item, 0) + count & mask
            if count:
                counts[item] = count
    items, total = frozenset(counts.items()), total & mask
    if total == 0 and len(items) == 1:
        (item, count), = items
        if count == 1:
            return item
        low, *rest = bits(item)
        if count == mask and not any(rest):
            return of_bits((low,) * width)
    return intern("sum", width, (total, items))


def offset_from(term):
    """The variable (or None) and the number whose sum a term is; False if it is another sum."""
    total, items = _parts(term)
    (item, count), *rest = items or ((None, 1),)
    return (False if rest or count != 1 else item), total


def negative(term):
    total, items = _parts(term)
    return add(intern("sum", term.width, (-total & ones(term.width), frozenset(
        (item, -count & ones(term.width)) for item, count in items))))


# MARK: Polynomials: a mask for each set of factors. That of the empty set is a constant.

def _polynomial(term):
    if term.kind == "polynomial":
        return dict(term.data)
    value = value_of(term)
    return {_NOTHING: value} if value else {} if value == 0 else {frozenset([term]): ones(term.width)}


def _of_polynomial(products, width):
    products = {factors: mask for factors, mask in products.items() if mask}
    rest = [(factors, mask) for factors, mask in products.items() if factors]
    if not rest:
        return constant(products.get(_NOTHING, 0), width)
    if len(products) == 1 and len(rest[0][0]) == 1 and rest[0][1] == ones(width):
        return next(iter(rest[0][0]))
    if len(rest) > 1 and all(len(factors) == 1 for factors, _ in rest):
        total = 0
        for _, mask in rest:
            total = None if total is None or total & mask else total | mask
        if total is not None:
            return of_bits(_bits_of_polynomial(products, width, None))
    return intern("polynomial", width, frozenset(products.items()))


def _sum_of(*polynomials):
    result = {}
    for polynomial in polynomials:
        for factors, mask in polynomial.items():
            result[factors] = result.get(factors, 0) ^ mask
    return result


def _product(left, right):
    result = {}
    for factors, mask in left.items():
        for others, other_mask in right.items():
            if mask & other_mask:
                both_factors = factors | others
                result[both_factors] = result.get(both_factors, 0) ^ mask & other_mask
    return result


def _moves_bits(term):
    """Whether it is of the kind `bits`, perhaps with a constant."""
    return term.kind == "bits" or term.kind == "polynomial" and len(term.data) == 2 and all(
        len(factors) < 2 and all(factor.kind == "bits" for factor in factors) for factors, _ in term.data)


def _bitwise(left, right, of_bit, of_polynomials):
    """Bit by bit if bits are moved and one of each pair is known, otherwise as polynomials."""
    if _moves_bits(left) or _moves_bits(right):
        pairs = [of_bit(a, b) if a in (0, 1) else of_bit(b, a) if b in (0, 1) else None
                 for a, b in zip(bits(left), bits(right))]
        if None not in pairs:
            return of_bits(pairs)
    return _of_polynomial(of_polynomials(_polynomial(left), _polynomial(right)), left.width)


@remembered
def xor(left, right):
    return _of_polynomial(_sum_of(_polynomial(left), _polynomial(right)), left.width)


@remembered
def both(left, right):
    return _bitwise(left, right, lambda known, other: other if known else 0, _product)


@remembered
def either(left, right):
    return _bitwise(left, right, lambda known, other: 1 if known else other, lambda a, b: _sum_of(a, b, _product(a, b)))


# MARK: Bits, the lowest first: 0, 1, or a term, an index, and whether it is inverted.

def inverted(bit):
    return 1 - bit if bit in (0, 1) else (bit[0], bit[1], not bit[2])


@remembered
def bits(term):
    value = value_of(term)
    if value is not None:
        return tuple(value >> index & 1 for index in range(term.width))
    if term.kind == "bits":
        return term.data
    if term.kind == "polynomial":
        return _bits_of_polynomial(dict(term.data), term.width, term)
    if term.kind == "rotation":
        below, count = bits(term.data[0]), term.width - term.data[1]
        return below[count:] + below[:count]
    if term.kind == "shift":
        return bits(term.data[0])[term.data[1]:] + (0,) * term.data[1]
    return tuple((term, index, False) for index in range(term.width))


def _bits_of_polynomial(products, width, term):
    """Where several products count, or one of several factors, a bit of `term`, the polynomial itself."""
    result = []
    for index in range(width):
        counted = [factors for factors, mask in products.items() if factors and mask >> index & 1]
        known = products.get(_NOTHING, 0) >> index & 1
        if not counted:
            result.append(known)
        elif len(counted) == 1 and len(counted[0]) == 1:
            bit = bits(next(iter(counted[0])))[index]
            result.append(inverted(bit) if known else bit)
        else:
            result.append((term, index, False))
    return tuple(result)


def of_bits(entries):
    width = len(entries)
    moved = [bit for bit in entries if bit not in (0, 1)]
    if not moved:
        return constant(sum(bit << index for index, bit in enumerate(entries)), width)
    flips = sum(1 << index for index, bit in enumerate(entries) if bit not in (0, 1) and bit[2])
    if flips:
        upright = of_bits([bit if bit in (0, 1) else (*bit[:2], False) for bit in entries])
        return _of_polynomial(_sum_of(_polynomial(upright), {_NOTHING: flips}), width)
    known = sum(1 << index for index, bit in enumerate(entries) if bit == 1)
    term, start = moved[0][:2]
    if term.width == width:
        # A whole term, in its place, perhaps with constants; rotated; or shifted to the right?
        if all(bit in (0, 1) or bit[:2] == (term, index) for index, bit in enumerate(entries)):
            mask = sum(1 << index for index, bit in enumerate(entries) if bit not in (0, 1))
            return _of_polynomial(_sum_of(_product(_polynomial(term), {_NOTHING: mask}), {_NOTHING: known}), width)
        whole = [(term, index, False) for index in range(width)]
        if list(entries) == whole[start:] + whole[:start]:
            return rotate_left(term, width - start)
        if list(entries) == whole[start:] + [0] * start:
            return shift_right(term, start)
    if known:
        # The ones are a constant, so that the order in which words are added does not matter.
        upright = intern("bits", width, tuple(0 if bit == 1 else bit for bit in entries))
        return _of_polynomial(_sum_of(_polynomial(upright), {_NOTHING: known}), width)
    return intern("bits", width, tuple(entries))


# MARK: Moving bits.

@remembered
def rotate_left(term, count):
    count %= term.width
    if count == 0:
        return term
    if term.kind == "polynomial":
        return moved(term, lambda part: rotate_left(part, count))
    if term.kind == "rotation":
        return rotate_left(term.data[0], term.data[1] + count)
    if value_of(term) is not None or term.kind in ("bits", "shift"):
        entries = bits(term)
        return of_bits(entries[-count:] + entries[:-count])
    return intern("rotation", term.width, (term, count))


@remembered
def shift_right(term, count):
    if count == 0:
        return term
    if term.kind == "polynomial":
        return moved(term, lambda part: shift_right(part, count))
    if value_of(term) is not None or term.kind in ("bits", "shift", "rotation"):
        return of_bits(bits(term)[count:] + (0,) * count)
    return intern("shift", term.width, (term, count))


def moved(term, move):
    """Moving bits is linear, and the same for all factors of a product and its mask."""
    result = {}
    for factors, mask in term.data:
        factors = [move(factor) for factor in factors]
        # A whole `bits` stays whole: what is moved in is 0 in it.
        is_whole = mask == ones(term.width) and [factor.kind for factor in factors] == ["bits"]
        product = {_NOTHING: mask if is_whole else value_of(move(constant(mask, term.width)))}
        for factor in factors:
            product = _product(product, _polynomial(factor))
        result = _sum_of(result, product)
    return _of_polynomial(result, term.width)
