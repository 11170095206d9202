"""Proves that kernels compute what the standards say, for all inputs.

    python3 prove.py LIBRARY [MOST]

Each kernel that a library's plans name, but libcrypto's, is executed on variables, and what it writes is compared with
the standards; its values only if it has at most MOST lanes. $EXECUTED is a folder for what was executed.
"""

import bisect
import functools
import os
import re
import sys
from pathlib import Path

import anf
import arm64
import terms
import words
import x86
from image import Image
from standards import HASHES, initial_state, tag, truncated_value
from words import Refused


def machine_of(image, word_bits):
    return (arm64 if image.is_arm else x86).Machine(image, word_bits)


def compare(got, wanted, what):
    if got is not wanted and anf.forms(got) != anf.forms(wanted):
        raise Refused(f"{what} differs")


def variables(name, count, width):
    return [terms.variable((*name, index), width) for index in range(count)]


def place(machine, items, size, is_writable=False, alignment=None):
    """The address of an object of these terms or numbers, one after the other."""
    address = machine.memory.place(size * len(items), alignment or size, is_writable)
    start = machine.place_of(address)
    machine.memory.cells.update((start + size * index, terms.constant(item, 64) if isinstance(item, int) else item)
                                for index, item in enumerate(items) if item is not None)
    return address


def result_at(machine, address, offset, width):
    return machine.memory.load(machine.place_of(address) + offset, width)


def prove_compress(machine, hash_function, function, lanes):
    """States and blocks have the lanes of each word side by side."""
    width = hash_function.word_bits
    states = variables(("state",), hash_function.state_words * lanes, width)
    blocks = variables(("block",), 16 * lanes, width)
    result = place(machine, states, width // 8, is_writable=True)
    machine.call(function, [result, place(machine, blocks, width // 8)])
    for lane in range(lanes):
        for word, term in enumerate(hash_function.compress(states[lane::lanes], blocks[lane::lanes])):
            got = result_at(machine, result, (word * lanes + lane) * width // 8, width)
            compare(got, term, f"word {word} of lane {lane}")


def prove_values(machine, hash_function, function, count, has_own_keys=False, before=()):
    """For all midstates and counters: of one key, or of a key and a counter for each code. In lanes.c, a plan comes
    before the arguments, and the number of codes before the result."""
    width, state_words = hash_function.word_bits, hash_function.state_words
    values = place(machine, [None] * count, 4, is_writable=True)
    results = [count, values] if before else [values]
    keys = [variables(("key", index), 16, width) for index in range(count if has_own_keys else 1)]
    pointers = [place(machine, key, width // 8, alignment=8) for key in keys]
    if has_own_keys:
        counters = variables(("counter",), count, 64)
        pairs = [item for pair in zip(pointers, counters) for item in pair]
        machine.call(function, [*before, place(machine, pairs, 8), *results])
    else:
        first = terms.variable("first", 64)
        counters = [terms.add(first, terms.constant(index, 64)) for index in range(count)]
        machine.call(function, [*before, pointers[0], first, *results])
        keys *= count
    for index, (key, counter) in enumerate(zip(keys, counters)):
        digest = tag(hash_function, key[:state_words], key[8:8 + state_words], counter)
        compare_value(result_at(machine, values, 4 * index, 32), digest, f"value {index}")


def compare_value(got, digest, what):
    """As functions of the digest's bits: of the sixteen values, the one that the last four bits choose."""
    choices = [anf.forms(truncated_value(digest, offset)) for offset in range(16)]
    selectors = [anf.form(bit) for bit in terms.bits(digest[-1])[:4]]
    wanted = [anf.selected([choice[bit] for choice in choices], selectors) for bit in range(32)]
    if anf.forms(got) != wanted:
        raise Refused(f"{what} differs")


def midstates(hash_function, block):
    """RFC 2104, section 2: of the inner and the outer pad."""
    start = [hash_function.constant(word) for word in initial_state(hash_function)]
    return [hash_function.compress(start, [
        terms.xor(word, hash_function.constant(int.from_bytes(bytes([pad]) * (hash_function.word_bits // 8), "big")))
        for word in block]) for pad in (0x36, 0x5C)]


def compare_midstates(machine, address, hash_function, wanted):
    size = hash_function.word_bits // 8
    for half, state in enumerate(wanted):
        for word, term in enumerate(state):
            got = result_at(machine, address, (8 * half + word) * size, 8 * size)
            compare(got, term, f"word {word} of midstate {half}")


def prove_absorb_key(machine, hash_function, function, _lanes):
    """Of a block of any bytes, which are words in big-endian order."""
    width = hash_function.word_bits
    block = variables(("padded_key",), 16, width)
    pointer = place(machine, [words.swapped(word) for word in block], width // 8, alignment=1)
    result = place(machine, [None] * 16, width // 8, is_writable=True, alignment=8)
    machine.call(function, [pointer, result])
    compare_midstates(machine, result, hash_function, midstates(hash_function, block))


# In the order of lane_kernel.
PROOFS = {"key_values": prove_values, "lane_values": functools.partial(prove_values, has_own_keys=True),
          "compress": prove_compress, "absorb_key": prove_absorb_key}


def prove(image, what, hash_function, proof, *arguments):
    """How many instructions a proof executes on a new machine, and why it is refused, or None. Prints that."""
    terms.forget()
    machine, reason = machine_of(image, hash_function.word_bits), None
    try:
        proof(machine, hash_function, *arguments)
    except Refused as error:
        reason = f"{type(error).__name__}: {error}"[:300]
    print(f"{image.name} {what}: {f'REFUSED: {reason}' if reason else 'proved'}, "
          f"{machine.count} instructions", flush=True)
    return machine.count, reason


def write_executed(image):
    """The addresses of instructions, and each function that has some."""
    folder = Path(os.environ["EXECUTED"]) / image.name
    folder.mkdir(parents=True, exist_ok=True)
    places = sorted(image.instructions)
    with open(folder / "places.txt", "a", encoding="ascii") as file:
        file.writelines(f"{place:x}\n" for place in places)
    for name, start in image.symbols.items():
        code = image.code_at(start, image.sizes[start])
        if code and bisect.bisect(places, start - 1) < bisect.bisect(places, start + image.sizes[start] - 1):
            (folder / name).write_bytes(code)


def hash_of(kernel):
    return HASHES[int(re.search(r"sha(\d+)", kernel)[1])]


def theorems(image, most=64):
    """Of each kernel: their names, hash functions, proofs and arguments."""
    return [(f"{part}/{kernel} of {lanes} lanes", hash_of(kernel), proof, function, lanes)
            for kernel, lanes, functions in image.kernels()
            for (part, proof), function in zip(PROOFS.items(), functions)
            if function and (lanes <= most or "values" not in part)]


def main():
    image, most = Image(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 64
    if (len(image.kernels()), len(theorems(image))) != ((9, 35) if image.is_arm else (25, 85)):
        sys.exit("prove: other kernels or functions of kernels than docs/proofs.md has")
    reasons = [prove(image, *theorem)[1] for theorem in theorems(image, most)]
    write_executed(image)
    sys.exit(any(reasons))


if __name__ == "__main__":
    main()
