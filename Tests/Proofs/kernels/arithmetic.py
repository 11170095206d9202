"""LLVM's arithmetic on terms, and what its flags promise."""

import terms
import words
from ir import Unknown
from words import concrete


def _by_count(shift):
    def shifting(term, count):
        if concrete(count) >= term.width:
            raise Unknown("a shift by too much")
        return shift(term, concrete(count))
    return shifting


def _shift_left(term, count):
    if terms.value_of(count) is not None:
        return _by_count(words.shift_left)(term, count)
    result = words.shift_left_by(term, count)
    if result is None:
        raise Unknown("a shift by what may be too much")
    return result


def keeps_promises(opcode, flags, left, right):
    """Raises an error unless the result is defined for all values. (If an operand is poison, so is the result.)"""
    if "poison" in (left.kind, right.kind):
        return
    width = left.width
    kept = not {"exact"} & set(flags)
    if "disjoint" in flags:
        kept &= all(0 in pair for pair in zip(terms.bits(left), terms.bits(right)))
    for flag in {"nuw", "nsw"} & set(flags):
        bounds = words.signed_bounds if flag == "nsw" else lambda term: (
            terms.value_of(term) or 0, words.upper_bound(term))
        (low, high), (other_low, other_high) = bounds(left), bounds(right)
        if opcode == "add":
            ends = (low + other_low, high + other_high)
        elif opcode == "sub":
            ends = (low - other_high, high - other_low)
        elif opcode == "mul" and low >= 0 and other_low >= 0:
            ends = (low * other_low, high * other_high)
        elif opcode == "shl" and low >= 0:
            ends = (low, high << concrete(right))
        else:
            ends = (1 << width, 0)
        kept &= all(words.fits(end, width, flag == "nsw") for end in ends)
    if not kept:
        raise Unknown(f"{opcode} {' '.join(flags)} is not known to be defined")


ARITHMETIC = {
    "add": terms.add,
    "sub": lambda left, right: terms.add(left, terms.negative(right)),
    "mul": lambda left, right: terms.constant(concrete(left) * concrete(right), left.width),
    "and": terms.both,
    "or": terms.either,
    "xor": terms.xor,
    "shl": _shift_left,
    "lshr": _by_count(terms.shift_right),
    "ashr": _by_count(words.shift_right_signed),
}
