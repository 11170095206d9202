"""Proves what lanes.c builds on the kernels, for sizes of keys and messages, and for batches of codes.

    python3 lanes.py LIBRARY texts|codes SIZES KERNEL...     sizes such as 1-64,100; - for those around blocks' sizes

texts: the midstates of keys of these sizes, and the tags of messages. The plan has one kernel, perhaps after one of
libcrypto. codes: the values of this many counters of one key, or of a key and a counter each, in an array of that size.
The plan has all these kernels, from narrow to wide, and was not measured.
"""

import sys

import terms
import words
from image import Image
from prove import (compare, compare_midstates, hash_of, midstates, place, prove, prove_values, result_at, variables,
                   write_executed)
from standards import SHA1, SHA256, SHA512, initial_state


def planned(machine, hash_function, kernels):
    """The address of a plan of these kernels."""
    image = machine.image
    fields = [[SHA1, SHA256, SHA512].index(hash_function), len(kernels),
              *(machine.memory.pointer(image.symbols[name]) for name in kernels)]
    size = image.sizes[image.symbols["portable_plans"]] // 24
    return place(machine, fields + [0] * (size - len(fields)), 8)


def as_words(hash_function, text):
    size = hash_function.word_bits // 8
    return [words.concatenate(text[start:start + size][::-1]) for start in range(0, len(text), size)]


def as_bytes(state):
    return [words.extract(word, low, 8) for word in state for low in range(word.width - 8, -1, -8)]


def digest(hash_function, state, before, text):
    """FIPS 180-4, sections 5 and 6: of a text that follows `before` bytes, which the state has absorbed."""
    block_bytes = hash_function.block_bits // 8
    length = (8 * (before + len(text))).to_bytes(block_bytes // 8, "big")
    zeros = -(len(text) + 1 + len(length)) % block_bytes
    padding = [terms.constant(byte, 8) for byte in b"\x80" + bytes(zeros) + length]
    padded = as_words(hash_function, [*text, *padding])
    for start in range(0, len(padded), 16):
        state = hash_function.compress(state, padded[start:start + 16])
    return state


def prove_prepare(machine, hash_function, kernels, size):
    plan = planned(machine, hash_function, kernels)
    block_bytes = hash_function.block_bits // 8
    key = variables(("key",), size, 8)
    result = place(machine, [None] * 16, hash_function.word_bits // 8, is_writable=True, alignment=8)
    machine.call("otp_lanes_prepare", [plan, place(machine, key, 1), size, result])
    if size > block_bytes:
        start = [hash_function.constant(word) for word in initial_state(hash_function)]
        key = as_bytes(digest(hash_function, start, 0, key))
    padded = as_words(hash_function, [*key, *[terms.constant(0, 8)] * (block_bytes - len(key))])
    compare_midstates(machine, result, hash_function, midstates(hash_function, padded))


def prove_message_tag(machine, hash_function, kernels, size):
    plan = planned(machine, hash_function, kernels)
    width, state_words = hash_function.word_bits, hash_function.state_words
    key = variables(("midstate",), 16, width)
    message = variables(("message",), size, 8)
    result = place(machine, [None] * (state_words * width // 8), 1, is_writable=True)
    machine.call("otp_lanes_message_tag", [
        plan, place(machine, key, width // 8, alignment=8), place(machine, message, 1), size, result])
    block_bytes = hash_function.block_bits // 8
    inner = digest(hash_function, key[:state_words], block_bytes, message)
    outer = digest(hash_function, key[8:8 + state_words], block_bytes, as_bytes(inner))
    for index, byte in enumerate(as_bytes(outer)):
        compare(result_at(machine, result, index, 8), byte, f"byte {index} of the tag")


def prove_key_values(machine, hash_function, kernels, count, function="otp_lanes_key_values", has_own_keys=False):
    prove_values(machine, hash_function, function, count, has_own_keys, [planned(machine, hash_function, kernels)])


def prove_lanes(*arguments):
    prove_key_values(*arguments, "otp_lanes_values", True)


AROUND_BLOCKS = {32: "1,20,32,55,56,64,65,119,120,128,129", 64: "1,64,111,112,128,129,240"}


def sizes_of(text, kernel):
    for part in (AROUND_BLOCKS[hash_of(kernel).word_bits] if text == "-" else text).split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def main():
    image, what, sizes, kernels = Image(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:]
    # A plan, a size and a proof.
    proofs = [(kernels, count, proof) for count in sizes_of(sizes, kernels[0]) for proof in (
        prove_key_values, prove_lanes)] if what == "codes" else []
    for kernel in kernels if what == "texts" else ():
        for size in sizes_of(sizes, kernel):
            # For odd sizes, as a plan's second kernel, after one that is not for texts.
            plan = [f"otp_transform_{hash_of(kernel).name.lower().replace('-', '')}"] * (size % 2) + [kernel]
            proofs += [(plan, size, prove_prepare), (plan, size, prove_message_tag)]
    reasons = [prove(image, f"{size} {proof.__name__}/{plan[-1]}", hash_of(plan[-1]), proof, plan, size)[1]
               for plan, size, proof in proofs]
    write_executed(image)
    sys.exit(any(reasons))


if __name__ == "__main__":
    main()
