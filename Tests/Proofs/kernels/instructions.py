"""Compares the definitions that the proofs use with what they define.

    python3 instructions.py standards          the standards' functions, with Python's hashlib and hmac
    python3 instructions.py intel|arm FILE     the instructions, with what a CPU answered (the output of instructions.c)
"""

import hmac
import random
import sys

import arm
import intel
import terms
from calls import CALLS
from prove import midstates
from standards import HASHES, tag, truncated_value

NAMES = {1: "sha1", 256: "sha256", 512: "sha512"}


def elements(text, width):
    raw = bytes.fromhex(text)
    return [terms.constant(int.from_bytes(raw[start:start + width // 8], "little"), width)
            for start in range(0, len(raw), width // 8)]


def in_bytes(vector):
    return b"".join(terms.value_of(term).to_bytes(term.width // 8, "little") for term in vector)


def answer(architecture, name, immediate, operands):
    if name == "ternary":
        table = terms.constant(immediate, 32)
        return CALLS["llvm.x86.avx512.pternlog."](
            None, "<8 x i32>", name, [*(elements(text, 32) for text in operands), table])
    if name == "pshufb":
        return CALLS["llvm.x86.ssse3.pshuf.b.128"](None, "<16 x i8>", name, [elements(text, 8) for text in operands])
    vectors = [elements(text, 64 if name.startswith("sha512") else 32) for text in operands]
    if architecture == "intel":
        return intel.SHA_INSTRUCTIONS[name](*vectors, *([immediate] if immediate >= 0 else []))
    if name == "sha1h":
        return [arm.sha1h(vectors[0][0])]
    if name in ("sha1c", "sha1p", "sha1m"):
        vectors[1] = vectors[1][0]
    return arm.SHA_INSTRUCTIONS[name](*vectors)


def compare_instructions(architecture, path):
    counts, defined = {}, {"intel": intel, "arm": arm}[architecture].SHA_INSTRUCTIONS
    with open(path, encoding="ascii") as file:
        for line in file:
            left, right = line.split(" = ")
            name, immediate, *operands = left.split()
            terms.forget()
            if in_bytes(answer(architecture, name, int(immediate), operands)) != bytes.fromhex(right):
                sys.exit(f"instructions: the definition of {name} differs: {line}")
            counts[name] = counts.get(name, 0) + 1
    missing = sorted(set(defined) - set(counts))
    print(f"instructions: {len(counts)} of {architecture} agree with the CPU on {sum(counts.values())} random operands"
          + (f"; not executed: {', '.join(missing)}" if missing else "")
          + ("; ternary logic was not executed" if architecture == "intel" and "ternary" not in counts else ""))
    return not missing


def compare_standards():
    """With random keys and counters: the midstates, the tag, and the truncated value."""
    source, count = random.Random(4226), 0
    for number, hash_function in HASHES.items():
        size = hash_function.word_bits // 8
        for _ in range(20):
            terms.forget()
            key = source.randbytes(source.randrange(1, 16 * size + 1))
            counter = source.getrandbits(64)
            padded = key.ljust(16 * size, b"\0")
            block = [hash_function.constant(int.from_bytes(padded[start:start + size], "big"))
                     for start in range(0, 16 * size, size)]
            digest = tag(hash_function, *midstates(hash_function, block), terms.constant(counter, 64))
            wanted = hmac.digest(key, counter.to_bytes(8, "big"), NAMES[number])
            got = b"".join(terms.value_of(word).to_bytes(size, "big") for word in digest)
            offset = wanted[-1] & 15
            value = int.from_bytes(wanted[offset:offset + 4], "big") & 0x7FFFFFFF
            if got != wanted or terms.value_of(truncated_value(digest, offset)) != value:
                sys.exit(f"instructions: {hash_function.name} differs from Python's")
            count += 1
    print(f"instructions: the standards' functions agree with hashlib and hmac on {count} random keys and counters")


def main():
    if sys.argv[1] == "standards":
        compare_standards()
    elif not compare_instructions(sys.argv[1], sys.argv[2]):
        sys.exit(2)


if __name__ == "__main__":
    main()
