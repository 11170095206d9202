"""Plants faults in the machine code of kernels, each of which the proof must refuse.

    python3 faults.py LIBRARY...

Twenty times for each library, one byte of what a proof executes or reads is changed at random. A change that is
accepted must be of an instruction that leaves everything as the other does, as both are defined, on random states.
Then, functions of x86-64 that no proof may accept are executed.
"""

import random
import re
import sys

import terms
from artifacts import report_faults
from image import Image
from instructions import BASE, after, prepared
from lanes import prove_message_tag, prove_prepare
from prove import is_proved, machine_of, prove_compress, theorems
from standards import SHA1
from words import Refused

# They are given states that may be written, and blocks; why they must be refused.
FUNCTIONS = [
    ("a branch on a secret", "NotConcrete", "833e00 7400 c3"),
    ("an address from a secret", "NotConcrete", "8b06 8b0406 c3"),
    ("a choice by a secret", "NotConcrete", "833e00 0f44c1 c3"),
    ("a jump to a secret", "NotConcrete", "ff26"),
    ("a division", "Unknown: DIV", "31d2 f736 c3"),
    ("a write to a block", "Unknown: a write", "8906 c3"),
    ("a read behind the blocks", "Unknown: an access of 4", "8b8600010000 c3"),
    ("a write below the stack", "Unknown: an access below", "89842478ffffff89842470ffffff c3"),
    ("an address that is not aligned", "Unknown: an access that is not", "660f6f4604 c3"),
    ("a register that is not restored", "Unknown: a register", "31db c3"),
    ("a stack that is not restored", "NotConcrete", "50 c3"),
    ("a result that is not written", "Refused: word 0 of lane 0", "c3"),
]


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
    # One that takes little time.
    theorem = source.choice([*(one for one in theorems(image) if re.match("compress|absorb_key|.*sha1", one[0])),
                             *5 * [("prepare", SHA1, prove_prepare, ["otp_portable_sha1_x4"], 65),
                                   ("message_tag", SHA1, prove_message_tag, ["otp_portable_sha1_x4"], 55)]])
    if not (count := is_proved(image, *theorem)):
        sys.exit("faults: a theorem is refused without a fault")
    image.most_instructions = 4 * count
    # The others read lanes that are not used, too.
    if source.randrange(5) == 0 and image.constants_read and theorem[0].startswith("compress"):
        place, read = None, source.choice(sorted(image.constants_read))
        image.constants = change(image.constants, read, source)
        what = f"a constant at {read:#x}"
    else:
        place, old = source.choice(sorted((place, ins) for place, ins in image.instructions.items()
                                          if not re.match("nop", ins.name, re.I)))
        image.code = change(image.code, source.randrange(place, old.next), source)
        what, image.instructions = f"{old.text} at {place:#x}", {}
    if not is_proved(image, *theorem):
        return what, True
    if place is not None:
        decode, machine = machine_of(image, 64).decode, Image(path)
        old, new = (decode(of.code_at(place), BASE + place) for of in (machine, image))
        if are_alike(image, place, old, new, source):
            print(f"faults: the same is done by {old.text} and {new.text}")
            return what, None
        what += f" is now {new.text}"
    return what, False


def main():
    libraries, source = sys.argv[1:], random.Random(20261126)
    results = [plant(library, source) for library in libraries for _ in range(20)]
    missed = [what for what, is_refused in results if is_refused is False]
    for what, wanted, code in FUNCTIONS:
        image = Image(libraries[0])
        image.code.append((1 << 30, bytes.fromhex(code)))
        terms.forget()
        try:
            prove_compress(machine_of(image, 32), SHA1, 1 << 30, 4)
            missed.append(what)
        except Refused as error:
            if not f"{type(error).__name__}: {error}".startswith(wanted):
                missed.append(f"{what}: {error}")
    report_faults(sum(refused is not None for _, refused in results) + len(FUNCTIONS), missed, "refused")


if __name__ == "__main__":
    main()
