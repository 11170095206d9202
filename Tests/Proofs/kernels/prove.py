"""Proves that kernels compute what the standards say, for all inputs.

    python3 prove.py [--only=PART,...] [--kernels=NAME,...] [--executed=FOLDER] LIBRARY...

Each kernel that a library's plans name (but libcrypto's, whose code is not read here) is executed on variables, and
what it writes is compared with what the standards say:

    compress      FIPS 180-4's compression of a block, for all states and blocks, in each lane
    key_values    RFC 4226's truncated value, for all midstates of a key and all counters
    lane_values   the same, for a key and a counter of each lane
    absorb_key    the midstates of RFC 2104's pads, for all keys that are padded to a block

PART is one of these. A line for each theorem, and at the end `theorems: COUNT of KERNELS kernels`. The
FOLDER gets the addresses of the instructions that were executed, and each function with such, for each library.
"""

import bisect
import re
import sys
import time
from pathlib import Path

import anf
import arm64
import terms
import words
import x86
from image import Image
from standards import HASHES, initial_state, tag, truncated_value


class Refused(Exception):
    """What a kernel computes differs from the standard, or is not known to be equal."""


PARTS = ("key_values", "lane_values", "compress", "absorb_key")


def machine_of(image, word_bits):
    return (arm64 if image.is_arm else x86).Machine(image, word_bits)


def compare(got, wanted, what):
    if got is not wanted and anf.forms(got) != anf.forms(wanted):
        raise Refused(f"{what} differs")


def variables(name, count, width):
    return [terms.variable((*name, index), width) for index in range(count)]


def place(machine, items, size, is_writable=False, alignment=None):
    """The address of an object of these terms or addresses, one after the other."""
    address = machine.memory.place(size * len(items), alignment or size, is_writable)
    machine.memory.cells.update((address + size * index, terms.constant(item, 64) if isinstance(item, int) else item)
                                for index, item in enumerate(items) if item is not None)
    return address


def prove_compress(image, function, hash_function, lanes):
    """States and blocks have the lanes of each word side by side."""
    machine = machine_of(image, hash_function.word_bits)
    width = hash_function.word_bits
    states = variables(("state",), hash_function.state_words * lanes, width)
    blocks = variables(("block",), 16 * lanes, width)
    result = place(machine, states, width // 8, is_writable=True)
    machine.call(function, [result, place(machine, blocks, width // 8)])
    for lane in range(lanes):
        for word, term in enumerate(hash_function.compress(states[lane::lanes], blocks[lane::lanes])):
            got = machine.memory.load(result + (word * lanes + lane) * width // 8, width)
            compare(got, term, f"word {word} of lane {lane}")
    return machine.count


def prove_values(image, function, hash_function, lanes, has_own_keys):
    """For all midstates and counters: of one key, or of a key and a counter for each lane."""
    machine = machine_of(image, hash_function.word_bits)
    width = hash_function.word_bits
    values = place(machine, [None] * lanes, 4, is_writable=True)
    keys = [variables(("key", index), 16, width) for index in range(lanes if has_own_keys else 1)]
    pointers = [place(machine, key, width // 8, alignment=8) for key in keys]
    if has_own_keys:
        counters = variables(("counter",), lanes, 64)
        pairs = [item for pair in zip(pointers, counters) for item in pair]
        machine.call(function, [place(machine, pairs, 8), values])
    else:
        first = terms.variable("first", 64)
        counters = [terms.add(first, terms.constant(lane, 64)) for lane in range(lanes)]
        machine.call(function, [pointers[0], first, values])
        keys *= lanes
    state_words = hash_function.state_words
    for lane, (key, counter) in enumerate(zip(keys, counters)):
        digest = tag(hash_function, key[:state_words], key[8:8 + state_words], counter)
        compare_value(machine.memory.load(values + 4 * lane, 32), digest, f"the value of lane {lane}")
    return machine.count


def compare_value(got, digest, what):
    """As functions of the digest's bits: of the sixteen values, the one that the last four bits choose."""
    choices = [anf.forms(truncated_value(digest, offset)) for offset in range(16)]
    selectors = [anf.form(bit) for bit in terms.bits(digest[-1])[:4]]
    wanted = [anf.selected([choice[bit] for choice in choices], selectors) for bit in range(32)]
    if anf.forms(got) != wanted:
        raise Refused(f"{what} differs")


def key_block(machine, hash_function):
    """A block of any bytes, in memory, as words in big-endian order."""
    width = hash_function.word_bits
    block = variables(("padded_key",), 16, width)
    pointer = place(machine, [
        words.concatenate([words.extract(word, low, 8) for low in range(width - 8, -1, -8)]) for word in block],
        width // 8, alignment=1)
    return block, pointer


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
            got = machine.memory.load(address + (8 * half + word) * size, 8 * size)
            compare(got, term, f"word {word} of midstate {half}")


def prove_absorb_key(image, function, hash_function, _lanes):
    machine = machine_of(image, hash_function.word_bits)
    block, pointer = key_block(machine, hash_function)
    result = place(machine, [None] * 16, hash_function.word_bits // 8, is_writable=True, alignment=8)
    machine.call(function, [pointer, result])
    compare_midstates(machine, result, hash_function, midstates(hash_function, block))
    return machine.count


def prove_part(image, part, function, hash_function, lanes):
    """Returns how many instructions were executed."""
    terms.forget()
    if part == "compress":
        return prove_compress(image, function, hash_function, lanes)
    if part == "absorb_key":
        return prove_absorb_key(image, function, hash_function, lanes)
    return prove_values(image, function, hash_function, lanes, part == "lane_values")


def write_executed(image, folder):
    folder.mkdir(parents=True)
    places = sorted(image.instructions)
    (folder / "places.txt").write_text("".join(f"{place:x}\n" for place in places), encoding="ascii")
    for name, start in image.symbols.items():
        code = image.code_at(start, image.sizes[start])
        if code and bisect.bisect(places, start - 1) < bisect.bisect(places, start + image.sizes[start] - 1):
            (folder / name).write_bytes(code)


def hash_of(kernel):
    return HASHES[int(re.search(r"sha(\d+)", kernel)[1])]


def main():
    options = dict(word.removeprefix("--").split("=") for word in sys.argv[1:] if word.startswith("--"))
    parts = options.get("only", ",".join(PARTS)).split(",")
    only = options["kernels"].split(",") if "kernels" in options else None
    count = failures = kernels = 0
    for path in (word for word in sys.argv[1:] if not word.startswith("--")):
        image = Image(path)
        for kernel, lanes, functions in image.kernels():
            if only and kernel not in only or kernel.startswith("otp_transform_"):
                continue
            kernels += 1
            for part, function in zip(PARTS, functions):
                if part not in parts or not function:
                    continue
                start = time.process_time()
                try:
                    executed = prove_part(image, part, function, hash_of(kernel), lanes)
                    count += 1
                    result = f"{lanes} lanes, {executed} instructions"
                except Exception as error:
                    failures += 1
                    result = f"REFUSED: {type(error).__name__}: {error}"
                seconds = time.process_time() - start
                print(f"{image.name} {part}/{kernel}: {result}, {seconds:.1f} s"[:400], flush=True)
        if "executed" in options:
            write_executed(image, Path(options["executed"]) / image.name)
    print(f"theorems: {count} of {kernels} kernels")
    sys.exit(1 if failures or not count else 0)


if __name__ == "__main__":
    main()
