"""Plants faults in the machine code of kernels, each of which the proof must refuse.

    python3 faults.py LIBRARY...

Twenty times for each library, one byte of what a proof executes or reads is changed at random; if the code is a
kernel's, so that the instruction keeps its name. A change that is accepted must be of an instruction that leaves
everything as the other does, as both are defined, on random states. Some must be refused for another result.
Then, functions of x86-64 that no proof may accept are executed.
"""

import random
import re
import sys

import terms
from artifacts import report_faults
from image import BASE, Image
from instructions import after, prepared
from lanes import prove_message_tag, prove_prepare
from prove import machine_of, prove, prove_compress, theorems
from standards import SHA1
from words import Refused

# Functions before the library. They are given states that may be written, and blocks; why they must be refused.
BEFORE = BASE - 4096
FUNCTIONS = [
    ("a branch on a secret", "NotConcrete", "833e00 7400 c3"),
    ("an address from a secret", "NotConcrete", "8b06 8b0406 c3"),
    ("a choice by a secret", "NotConcrete", "833e00 0f44c1 c3"),
    ("a jump to a secret", "NotConcrete", "ff26"),
    ("a division", "Unknown: DIV", "31d2 f736 c3"),
    ("a write to a block", "Unknown: a write", "8906 c3"),
    ("a write to the caller's frame", "Unknown: an access of 4", "89442408 c3"),
    ("a read behind the blocks", "Unknown: an access of 4", "8b8600010000 c3"),
    ("a write below the stack", "Unknown: an access below", "89842478ffffff89842470ffffff c3"),
    ("an address that is not aligned", "Unknown: an access that is not", "660f6f4601 c3"),
    ("a register that is not restored", "Unknown: a register", "31db c3"),
    ("a stack that is moved", "Unknown: ret 10h", "c21000"),
    ("a stack that is not restored", "NotConcrete", "50 c3"),
    ("a result that is not written", "Refused: word 0 of lane 0", "c3"),
    ("a branch on the return address", "NotConcrete: a condition", "813c2478563412 7400 c3"),
    ("a branch on the place of the stack", "NotConcrete: a condition", "f7c400000040 7400 c3"),
    ("a branch on the alignment of states", "NotConcrete: a condition", "40f6c720 7400 c3"),
    ("a branch on blocks at 20 bytes past 64", "NotConcrete: a condition", "89f0 83e03f 83f814 7400 c3"),
    ("a branch on the distance of objects", "NotConcrete: a condition", "4889f0 4829f8 483d00100000 7400 c3"),
    ("a choice by which object is first", "NotConcrete: a condition", "4839f7 480f42c1 c3"),
    ("an access of one object from another", "Unknown: an address", "8b8700101000 c3"),
    ("an access by a masked address", "NotConcrete: an address", "4883e6c0 8b06 c3"),
    ("an access by half of an address", "NotConcrete: an address", "89f6 8b06 c3"),
    ("an access by a number", "NotConcrete: an address", "a1 0000603512610000 c3"),
    ("a frame's address after its end", "NotConcrete: an address", "4889e0 4883e480 4889e1 4889c4 8b41f8 c3"),
    ("an access below an aligned frame", "Unknown: an access below", "4889e0 4883e480 8b40f8 4889c4 c3"),
    ("a stack in another object", "Unknown: a stack", "4889fc c3"),
    ("a stack of too much", "Unknown: an address", "4881ec00000200 c3"),
    ("a call with a stack that is not aligned", "Unknown: a stack", "50 e9WIPE"),
    ("a return to 16 bits", "Unknown: RET", "66c3"),
    ("a jump to 16 bits", "Unknown: JMP", "66ffe0"),
    ("a call of 16 bits", "Unknown: CALL", "66e800000000"),
    ("a branch to 16 bits", "Unknown: JE", "667400 c3"),
]


def are_alike(image, place, old, new, source):
    """Whether two instructions leave the same on random states."""
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
    """Changes a byte. Returns what was changed, and why it was refused; None if the same is done as before."""
    image = Image(path)
    decode = machine_of(image, 64).decode
    # One that takes little time.
    theorem = source.choice([*(one for one in theorems(image) if re.match("compress|absorb_key|.*sha1", one[0])),
                             *5 * [("prepare", SHA1, prove_prepare, ["otp_portable_sha1_x4"], 65),
                                   ("message_tag", SHA1, prove_message_tag, ["otp_portable_sha1_x4"], 55)]])
    count, reason = prove(image, *theorem)
    if reason:
        sys.exit("faults: a theorem is refused without a fault")
    image.most_instructions, new = 4 * count, None
    # The others read lanes that are not used, too.
    if source.randrange(5) == 0 and image.constants_read and theorem[0].startswith("compress"):
        place, read = None, source.choice(sorted(image.constants_read))
        image.constants = change(image.constants, read, source)
        what = f"a constant at {read:#x}"
    else:
        place, old = source.choice(sorted((place, ins) for place, ins in image.instructions.items()
                                          if not re.match("nop", ins.name, re.I)))
        code, image.instructions, what = image.code, {}, "code that is not known"
        for _ in range(100 if "/" in theorem[0] else 1):
            image.code = change(code, source.randrange(place, old.next), source)
            try:
                new = decode(image.code_at(place), place)
            except Refused:
                continue
            what = f"{new.name} {new.text}"
            if (new.name, new.next) == (old.name, old.next) and new.text != old.text:
                break
        what = f"{old.name} {old.text} at {place:#x} is now {what}"
    print(f"faults: {what}")
    reason = prove(image, *theorem)[1]
    return what, reason or place and are_alike(image, place, old, new, source) and "the same is done" or "accepted"


def main():
    libraries, source = sys.argv[1:], random.Random(20261126)
    results = [plant(library, source) for library in libraries for _ in range(20)]
    missed = [what for what, reason in results if reason == "accepted"]
    if not any(reason.endswith("differs") for _, reason in results):
        missed.append("any, for another result")
    for what, wanted, code in FUNCTIONS:
        image = Image(libraries[0])
        wipe = image.symbols["otp_wipe_stack"] - BEFORE - 6
        image.code.append((BEFORE, bytes.fromhex(code.replace("WIPE", wipe.to_bytes(4, "little").hex()))))
        terms.forget()
        try:
            prove_compress(machine_of(image, 32), SHA1, BEFORE, 4)
            missed.append(what)
        except Refused as error:
            if not f"{type(error).__name__}: {error}".startswith(wanted):
                missed.append(f"{what}: {error}")
    report_faults(len(FUNCTIONS) + sum(reason != "the same is done" for _, reason in results), missed, "refused")


if __name__ == "__main__":
    main()
