"""Proves what lanes.c builds on the kernels: the midstates of a key of any bytes, and the tag of any message.

    python3 prepare.py FOLDER SIZES KERNEL...     the IR of lanes.c, hashes.c and the kernels; sizes such as 1-64,100

For each kernel and size, `otp_lanes_prepare` on a key of that size writes the midstates of RFC 2104 (a key that is
longer than a block is hashed first), and `otp_lanes_message_tag` on a message of that size the tag, from the midstates
of any key. The plan has this kernel as its only one, or after a kernel of libcrypto. `otp_wipe_stack` is taken to
change nothing that is read later.
"""

import re
import sys
import time
from pathlib import Path

import terms
import words
from ir import Module
from machine import Machine
from memory import Object
from prove import compare, compare_midstates, hash_of, midstates, place, variables
from standards import SHA1, SHA256, SHA512, initial_state

def constants_of(folder):
    """Globals whose fields have 8 bytes each, as terms and pointers: the kernels, and the hashes' table."""
    found = {}
    for path in sorted(Path(folder).glob("*.ll")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if match := re.match(r"(@\w+) = .* (?:%struct\.lane_kernel|\[3 x %struct\.otp_hash.*?\]) ([{[].*)", line):
                fields = re.findall(r"(?:ptr|i64) (@[\w.]+|null|-?\d+)", match[2])
                found[match[1]] = [("null" if text == "null" else text, 0) if not re.match(r"-?\d", text)
                                   else terms.constant(int(text), 64) for text in fields]
    return found


def modules_of(folder, kernels):
    """lanes.c, and the files with these kernels."""
    wanted = {"lanes", "hashes", "plans"} | {path.stem for path in Path(folder).glob("*.ll")
                                             if any(f"@{kernel} =" in path.read_text(encoding="utf-8")
                                                    for kernel in kernels)}
    return Module(*(f"{folder}/{name}.ll" for name in sorted(wanted)))


def machine_of(module, folder, hash_function, kernels):
    """A machine with a plan of these kernels that was not measured."""
    machine = Machine(module, without_effect=("otp_wipe_stack",))
    for name, items in constants_of(folder).items():
        place(machine, name, items, 8)
    size, alignment = module.layout("%struct.otp_lane_plan")
    starts = module.fields("%struct.otp_lane_plan")
    plan = machine.memory.objects["plan"] = Object(size, alignment, False)
    number = [SHA1, SHA256, SHA512].index(hash_function)
    plan.cells = {starts[0]: terms.constant(number, 32), starts[1]: terms.constant(len(kernels), 64),
                  starts[3]: ("null", 0)}
    for index, kernel in enumerate(kernels):
        plan.cells[starts[2] + 8 * index] = (f"@{kernel}", 0)
    return machine


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


def prove_prepare(machine, hash_function, size):
    block_bytes = hash_function.block_bits // 8
    key = variables(("key",), size, 8)
    place(machine, "midstates", [None] * 16, hash_function.word_bits // 8, is_writable=True, alignment=64)
    machine.call("otp_lanes_prepare", [("plan", 0), place(machine, "secret", key, 1), terms.constant(size, 64),
                                       ("midstates", 0)])
    if size > block_bytes:
        start = [hash_function.constant(word) for word in initial_state(hash_function)]
        key = as_bytes(digest(hash_function, start, 0, key))
    padded = as_words(hash_function, [*key, *[terms.constant(0, 8)] * (block_bytes - len(key))])
    compare_midstates(machine, "midstates", hash_function, midstates(hash_function, padded))


def prove_message_tag(machine, hash_function, size):
    width, state_words = hash_function.word_bits, hash_function.state_words
    key = variables(("midstate",), 16, width)
    message = variables(("message",), size, 8)
    place(machine, "tag", [None] * (state_words * width // 8), 1, is_writable=True)
    machine.call("otp_lanes_message_tag", [
        ("plan", 0), place(machine, "key", key, width // 8, alignment=64), place(machine, "message", message, 1),
        terms.constant(size, 64), ("tag", 0)])
    block_bytes = hash_function.block_bits // 8
    inner = digest(hash_function, key[:state_words], block_bytes, message)
    outer = digest(hash_function, key[8:8 + state_words], block_bytes, as_bytes(inner))
    for index, byte in enumerate(as_bytes(outer)):
        compare(machine.memory.load(("tag", index), 8), byte, f"byte {index} of the tag")


def sizes_of(text):
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def main():
    folder, sizes, kernels = sys.argv[1], list(sizes_of(sys.argv[2])), sys.argv[3:]
    module = modules_of(folder, kernels)
    failures = 0
    for kernel in kernels:
        hash_function = hash_of(kernel)
        start, count = time.process_time(), 0
        for size in sizes:
            for proof in (prove_prepare, prove_message_tag):
                terms.forget()
                try:
                    # For odd sizes, as a plan's second kernel, after one that is not for texts.
                    others = [f"otp_transform_{hash_function.name.lower().replace('-', '')}"] * (size % 2)
                    proof(machine_of(module, folder, hash_function, [*others, kernel]), hash_function, size)
                    count += 1
                except Exception as error:
                    failures += 1
                    print(f"{kernel} {proof.__name__} {size}: REFUSED: {type(error).__name__}: {error}"[:300])
        print(f"{module.architecture} prepare and message_tag/{kernel}: {count} sizes, "
              f"{time.process_time() - start:.1f} s", flush=True)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
