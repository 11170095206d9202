"""Checks the normal forms with random expressions: a term, and the form of each of its bits, have the value that plain
integers have.

    python3 normal_forms.py COUNT
"""

import random
import sys

import anf
import terms
import words
from base import by_variable, joined, shifted


def value_in(term, numbers, known):
    """A term's value, if its variables have these numbers."""
    if term not in known:
        ones = terms.ones(term.width)
        if term.kind == "variable":
            result = numbers[term]
        elif term.kind == "sum":
            result = term.data[0] + sum(count * value_in(item, numbers, known) for item, count in term.data[1])
        elif term.kind == "polynomial":
            result = 0
            for factors, mask in term.data:
                for factor in factors:
                    mask &= value_in(factor, numbers, known)
                result ^= mask
        elif term.kind == "rotation":
            value, count = value_in(term.data[0], numbers, known), term.data[1]
            result = value << count | value >> term.width - count
        elif term.kind == "shift":
            result = value_in(term.data[0], numbers, known) >> term.data[1]
        else:
            result = sum(bit_in(bit, numbers, known) << index for index, bit in enumerate(term.data))
        known[term] = result & ones
    return known[term]


def bit_in(bit, numbers, known):
    return bit if bit in (0, 1) else value_in(bit[0], numbers, known) >> bit[1] & 1 ^ bit[2]


def form_in(form, numbers, known):
    return sum(all(value_in(term, numbers, known) >> index & 1 for term, index in one) for one in form) & 1


def step(source, pairs, width):
    """A random operation on pairs of a term and its value."""
    (a, x), (b, y), (c, z) = (source.choice(pairs) for _ in range(3))
    count, ones = source.randrange(width), terms.ones(width)
    bit = terms.bits(b)[count]
    low = source.randrange(width)
    table = source.getrandbits(8)
    return source.choice([
        lambda: (terms.add(a, b, c), x + y + z),
        lambda: (terms.add(a, terms.negative(b)), x - y),
        lambda: (terms.xor(a, b), x ^ y),
        lambda: (terms.both(a, b), x & y),
        lambda: (terms.either(a, b), x | y),
        lambda: (words.invert(a), ~x),
        lambda: (terms.rotate_left(a, count), x << count | x >> width - count),
        lambda: (terms.shift_right(a, count), x >> count),
        lambda: (words.shift_left(a, count), x << count),
        lambda: (words.shift_right_signed(a, count), (x - (x >> width - 1 << width)) >> count),
        lambda: (terms.both(a, terms.constant(table * 257, width)), x & table * 257),
        lambda: (words.select(bit, a, c), x if y >> count & 1 else z),
        lambda: (words.splat(bit, width), ones * (y >> count & 1)),
        lambda: (words.concatenate([words.extract(a, low, width - low), words.extract(b, 0, low)]) if low else a,
                 x >> low | (y & terms.ones(low)) << width - low if low else x),
        lambda: (by_variable(a, b, 3, 1), x << (y & 7)), lambda: (joined(a, b), x | y),
        lambda: (joined(shifted(a, count or 1), shifted(a, (count or 1) - width)),
                 x << (count or 1) | x >> width - (count or 1)),
        lambda: (words.by_table(table, a, b, c), sum(
            (table >> ((x >> i & 1) << 2 | (y >> i & 1) << 1 | z >> i & 1) & 1) << i for i in range(width))),
        lambda: (terms.constant(table * 40503, width), table * 40503),
    ])()


def main():
    source, count = random.Random(29), int(sys.argv[1])
    kinds, anf.MOST_PRODUCTS = {}, 100
    for _ in range(count):
        terms.forget()
        width = source.choice((16, 32))
        variables = [terms.variable(index, width) for index in range(3)]
        numbers = {term: source.getrandbits(width) for term in variables}
        pairs, known = list(numbers.items()), {}
        for _ in range(12):
            term, value = step(source, pairs, width)
            value &= terms.ones(width)
            kinds[term.kind] = kinds.get(term.kind, 0) + 1
            bits = [bit_in(bit, numbers, known) for bit in terms.bits(term)]
            try:
                forms = [form_in(form, numbers, known) for form in anf.forms(term)]
            except anf.TooLarge:
                forms = bits
            if value_in(term, numbers, known) != value or not bits == forms == [value >> i & 1 for i in range(width)]:
                sys.exit(f"normal forms: a {term.kind} has another value")
            pairs.append((term, value))
    print(f"normal forms: {sum(kinds.values())} random terms have the values of integers: "
          + ", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items())))


if __name__ == "__main__":
    main()
