"""LLVM's intrinsic functions on terms, those of instructions among them."""

import arm
import intel
import terms
import words
from ir import Unknown, shape
from words import concrete, regroup


def _fill(machine, _kind, _name, arguments):
    (name, offset), byte, count = arguments[0], arguments[1], concrete(arguments[2])
    step = 8 if count % 8 == 0 else 4 if count % 4 == 0 else 1
    for index in range(0, count, step):
        machine.memory.store((name, offset + index), words.concatenate([byte] * step))


def _copy(machine, _kind, _name, arguments):
    (to, at), (source, start), count = arguments[0], arguments[1], concrete(arguments[2])
    if to == source and at < start + count and start < at + count:
        raise Unknown("a copy onto itself")
    step = 8 if count % 8 == 0 else 4 if count % 4 == 0 else 1
    loaded = [machine.memory.load((source, start + index), 8 * step) for index in range(0, count, step)]
    for place, value in enumerate(loaded):
        machine.memory.store((to, at + place * step), value)


def _loaded_where(machine, kind, name, arguments):
    """From consecutive addresses, or from an address for each element; only where the mask is set."""
    places, alignment, mask, otherwise = arguments
    count, width = shape(kind)
    if not isinstance(places, list):
        # Only the first address is promised to be aligned.
        machine.memory.checked(places, 0, concrete(alignment))
        places, alignment = [(places[0], places[1] + index * width // 8) for index in range(count)], None
    size = 1 if alignment is None else concrete(alignment)
    return [machine.memory.load(place, width, size) if concrete(is_read) else rest
            for place, is_read, rest in zip(places, mask, regroup(otherwise, width))]


def _rotated(_machine, kind, _name, arguments):
    """A funnel shift to the left."""
    width = shape(kind)[1]

    def shifted(high, low, count):
        if high is low:
            return terms.rotate_left(high, count)
        return words.extract(words.concatenate([low, high]), width - count, width)
    if shape(kind)[0] == 0:
        return shifted(*arguments[:2], concrete(arguments[2]) % width)
    high, low, counts = (regroup(argument, width) for argument in arguments)
    return [shifted(a, b, concrete(count) % width) for a, b, count in zip(high, low, counts)]


def _by_table(_machine, _kind, _name, arguments):
    # Bit by bit: so the size of the elements does not matter.
    width = max(vector[0].width for vector in arguments[:3])
    vectors = [regroup(argument, width) for argument in arguments[:3]]
    return [words.by_table(concrete(arguments[3]), *three) for three in zip(*vectors)]


def _defined(arguments, width):
    """The operands of an instruction, in elements of this width."""
    operands = [regroup(argument, width) if isinstance(argument, list) else argument for argument in arguments]
    words_of = [term for operand in operands for term in (operand if isinstance(operand, list) else [operand])]
    if any(term.kind == "poison" for term in words_of):
        raise Unknown("an instruction with an operand that is not defined")
    return operands


def _intel_sha(_machine, _kind, name, arguments):
    *vectors, last = _defined(arguments, 32)
    rest = [last] if isinstance(last, list) else [concrete(last)]
    return intel.SHA_INSTRUCTIONS[name.split(".")[-1]](*vectors, *rest)


def _arm_sha(_machine, _kind, name, arguments):
    instruction = name.split(".")[-1]
    return arm.SHA_INSTRUCTIONS[instruction](*_defined(arguments, 64 if instruction.startswith("sha512") else 32))


def _bytes_chosen(_machine, _kind, _name, arguments):
    """PSHUFB: an index with the highest bit gives 0."""
    source, places = (regroup(argument, 8) for argument in arguments)
    values = [concrete(place) for place in places]
    return [terms.constant(0, 8) if value & 128 else source[value & 15] for value in values]


def _byte_swapped(_machine, kind, _name, arguments):
    def swapped(word):
        return words.concatenate([words.extract(word, low, 8) for low in range(word.width - 8, -1, -8)])
    if isinstance(arguments[0], list):
        return [swapped(word) for word in regroup(arguments[0], shape(kind)[1])]
    return swapped(arguments[0])


def _chosen_by(compare):
    return lambda _machine, _kind, _name, arguments: compare(*arguments[:2], key=concrete)


def _difference_or_zero(_machine, _kind, _name, arguments):
    left, right = (concrete(argument) for argument in arguments)
    return terms.constant(max(left - right, 0), arguments[0].width)


# By how the names begin.
CALLS = {
    "llvm.memset.": _fill,
    "llvm.memcpy.": _copy,
    "llvm.lifetime.": lambda *_: None,
    "llvm.experimental.noalias.scope.decl": lambda *_: None,
    "llvm.masked.": _loaded_where,
    "llvm.fshl.": _rotated,
    "llvm.bswap.": _byte_swapped,
    "llvm.umin.i": _chosen_by(min),
    "llvm.umax.i": _chosen_by(max),
    "llvm.usub.sat.i": _difference_or_zero,
    "llvm.x86.avx512.pternlog.": _by_table,
    "llvm.x86.sha": _intel_sha,
    "llvm.aarch64.crypto.sha": _arm_sha,
    "llvm.x86.ssse3.pshuf.b.128": _bytes_chosen,
    "llvm.x86.avx.vzeroupper": lambda *_: None,
}
