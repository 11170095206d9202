"""Plants faults in the machine code of kernels, each of which the proof must refuse.

    python3 faults.py COUNT LIBRARY...

COUNT times, one byte of what a proof executes or reads is changed at random. A change that is accepted must be of an
instruction that leaves everything as the other does, as both are defined, on random states. Then, functions that no
proof may accept are executed.
"""

import random
import re
import sys

import terms
from image import Image
from instructions import BASE, after, prepared
from memory import Unknown
from prove import PARTS, hash_of, machine_of, prove_part
from words import NotConcrete

# Functions of x86-64, given states that may be written, and blocks.
FUNCTIONS = [
    ("a branch on a secret", NotConcrete, "833e00 7400 c3"),
    ("an address from a secret", NotConcrete, "8b06 8b0406 c3"),
    ("a choice by a secret", NotConcrete, "833e00 0f44c1 c3"),
    ("a jump to a secret", NotConcrete, "ff26"),
    ("a division", Unknown, "31d2 f736 c3"),
    ("a write to a block", Unknown, "8906 c3"),
    ("a read behind the blocks", Unknown, "8b8600010000 c3"),
    ("a write below the stack", Unknown, "89842478ffffff89842470ffffff c3"),
    ("an address that is not aligned", Unknown, "660f6f4604 c3"),
    ("a register that is not restored", Unknown, "31db c3"),
    ("a stack that is not restored", Exception, "50 c3"),
    ("a result that is not written", Exception, "c3"),
]


def report(count, missed, equal):
    for what in missed:
        print(f"faults: not refused: {what}", file=sys.stderr)
    print(f"faults: {count - len(missed) - equal} of {count - equal} planted faults were refused; {equal} changes were "
          "of nothing that counts")
    sys.exit(1 if missed else 0)


def are_alike(image, place, old, new, source):
    """Whether two instructions leave the same on random states."""
    if old.text == new.text:
        return True
    if old.next != new.next:
        return False
    for _ in range(20):
        record = prepared(image, place, old, source)
        if record is None or after(image, old, record) != after(image, new, record):
            return False
    return True


def change(parts, address, source):
    """Of the bytes of some parts of a library, that at an address."""
    result = []
    for base, content in parts:
        content = bytearray(content)
        if 0 <= address - base < len(content):
            content[address - base] ^= source.randrange(1, 256)
        result.append((base, bytes(content)))
    return result


def plant(path, source):
    """Changes a byte. Returns what was changed, and whether it was refused; None if it is the same as before."""
    image = Image(path)
    kernels = [(kernel, lanes, part, function) for kernel, lanes, functions in image.kernels()
               for part, function in zip(PARTS, functions) if function and "transform" not in kernel
               and (part in ("compress", "absorb_key") or re.search("sha1", kernel))]
    kernel, lanes, part, function = source.choice(kernels)
    image.most_instructions = 4 * prove_part(image, part, function, hash_of(kernel), lanes)
    if source.randrange(5) == 0 and image.constants_read:
        place, read = None, source.choice(sorted(image.constants_read))
        image.constants = change(image.constants, read, source)
        what = f"a constant at {read:#x}"
    else:
        place, old = source.choice(sorted((place, ins) for place, ins in image.instructions.items()
                                          if not re.match("nop", ins.name, re.I)))
        image.code = change(image.code, source.randrange(place, old.next), source)
        what, image.instructions = f"{old.text} at {place:#x}", {}
    what = f"{image.name} {part}/{kernel}: {what}"
    try:
        prove_part(image, part, function, hash_of(kernel), lanes)
    except Exception:
        return what, True
    if place is not None:
        decode, machine = machine_of(image, 64).decode, Image(path)
        old, new = (decode(of.code_at(place), BASE + place) for of in (machine, image))
        if are_alike(image, place, old, new, source):
            return what, None
        what += f" is now {new.text}"
    return what, False


def main():
    count, libraries, source = int(sys.argv[1]), sys.argv[2:], random.Random(20261126)
    results = [plant(libraries[index % len(libraries)], source) for index in range(count)]
    missed = [what for what, is_refused in results if is_refused is False]
    for what, expected, code in FUNCTIONS:
        terms.forget()
        image = Image(libraries[0])
        image.code.append((1 << 30, bytes.fromhex(code)))
        try:
            prove_part(image, "compress", 1 << 30, hash_of("sha1"), 4)
            missed.append(what)
        except expected:
            pass
    report(len(results) + len(FUNCTIONS), missed, sum(refused is None for _, refused in results))


if __name__ == "__main__":
    main()
