"""Proves what lanes.c builds on the kernels: the midstates of a key of any bytes, and the tag of any message.

    python3 prepare.py LIBRARY SIZES KERNEL...     sizes such as 1-64,100

For each kernel and size, `otp_lanes_prepare` on a key of that size writes the midstates of RFC 2104 (a key that is
longer than a block is hashed first), and `otp_lanes_message_tag` on a message of that size the tag, from the midstates
of any key. The plan has this kernel as its only one, or after a kernel of libcrypto. `otp_wipe_stack` is taken to
change nothing that is read later.
"""

import sys
import time

import terms
import words
from image import Image
from prove import compare, compare_midstates, hash_of, machine_of, midstates, place, variables
from standards import SHA1, SHA256, SHA512, initial_state


def planned(image, hash_function, steps):
    """A machine, and the address of a plan of these steps: a kernel, and the most codes that it is for."""
    image.external[image.symbols["otp_wipe_stack"]] = "otp_wipe_stack"
    machine = machine_of(image, hash_function.word_bits)
    numbers = [[SHA1, SHA256, SHA512].index(hash_function), len(steps)]
    for kernel, most in steps:
        numbers += [image.symbols[kernel], most]
    size = image.sizes[image.symbols["portable_plans"]] // 24
    return machine, place(machine, numbers + [0] * (size - len(numbers)), 8)


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


def prove_prepare(machine, plan, hash_function, size):
    block_bytes = hash_function.block_bits // 8
    key = variables(("key",), size, 8)
    result = place(machine, [None] * 16, hash_function.word_bits // 8, is_writable=True, alignment=64)
    machine.call("otp_lanes_prepare", [plan, place(machine, key, 1), size, result])
    if size > block_bytes:
        start = [hash_function.constant(word) for word in initial_state(hash_function)]
        key = as_bytes(digest(hash_function, start, 0, key))
    padded = as_words(hash_function, [*key, *[terms.constant(0, 8)] * (block_bytes - len(key))])
    compare_midstates(machine, result, hash_function, midstates(hash_function, padded))


def prove_message_tag(machine, plan, hash_function, size):
    width, state_words = hash_function.word_bits, hash_function.state_words
    key = variables(("midstate",), 16, width)
    message = variables(("message",), size, 8)
    result = place(machine, [None] * (state_words * width // 8), 1, is_writable=True)
    machine.call("otp_lanes_message_tag", [
        plan, place(machine, key, width // 8, alignment=64), place(machine, message, 1), size, result])
    block_bytes = hash_function.block_bits // 8
    inner = digest(hash_function, key[:state_words], block_bytes, message)
    outer = digest(hash_function, key[8:8 + state_words], block_bytes, as_bytes(inner))
    for index, byte in enumerate(as_bytes(outer)):
        compare(machine.memory.load(result + index, 8), byte, f"byte {index} of the tag")


def sizes_of(text):
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def main():
    library, sizes, kernels = sys.argv[1], list(sizes_of(sys.argv[2])), sys.argv[3:]
    image = Image(library)
    failures = 0
    for kernel in kernels:
        hash_function = hash_of(kernel)
        start, count = time.process_time(), 0
        for size in sizes:
            for proof in (prove_prepare, prove_message_tag):
                terms.forget()
                try:
                    # For odd sizes, as a plan's second kernel, after one that is not for texts.
                    steps = [(f"otp_transform_{hash_function.name.lower().replace('-', '')}", 1)] * (size % 2)
                    proof(*planned(image, hash_function, [*steps, (kernel, 1)]), hash_function, size)
                    count += 1
                except Exception as error:
                    failures += 1
                    print(f"{kernel} {proof.__name__} {size}: REFUSED: {type(error).__name__}: {error}"[:300])
        print(f"{image.name} prepare and message_tag/{kernel}: {count} sizes, "
              f"{time.process_time() - start:.1f} s", flush=True)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
