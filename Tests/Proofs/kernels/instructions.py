"""Compares the definitions that the proofs use with what they define.

    python3 instructions.py                          the standards' functions, with Python's hashlib and hmac
    python3 instructions.py LIBRARY COUNT PROGRAM... instructions of a library that were executed, with what a CPU does

For COUNT states of each form; PROGRAM is instructions.c, perhaps with an emulator.
"""

import hmac
import os
import random
import re
import struct
import subprocess
import sys
from pathlib import Path

import arm64
import terms
import x86
from image import BASE, Image
from prove import machine_of, midstates
from standards import HASHES, tag, truncated_value

# instructions.c's record: where the code is, its size, where memory is; the code; registers, flags, masks; and memory.
RECORD = struct.Struct("<3Q16s32QQ8Q2048s192s")
WINDOW = 0x300000
# The places of flags; arm64's carry is no borrow.
FLAGS = {False: {"c": 0, "z": 6}, True: {"c": 29, "z": 30}}
JUMPS = re.compile(r"CALL|RET|J|PGATHER|(b|bl|br|blr|ret|cbn?z|tbn?z)$|b\.")


def form_of(ins, is_arm):
    """An instruction but its displacement and its registers' names; which of these are the same, remains."""
    numbers = {}
    if is_arm:
        text = re.sub(r"(?<=, )#[^ ,]+(?=\])", "#", ins.text)
        return ins.name, re.sub(r"(?<![#\w])([bhsdqwxv])(\d+)", lambda found: found[1] + str(
            numbers.setdefault((found[1] in "wx", found[2]), len(numbers))), text)
    decoded = ins.decoded
    registers = [register and numbers.setdefault(x86.GENERAL.get(register, (register,))[0], f"r{len(numbers)}")
                 for register in (*ins.registers, decoded.memory_base, decoded.memory_index)]
    high = [x86.GENERAL.get(register, (0, 0, 0))[2] for register in ins.registers]
    return (decoded.code, *ins.kinds, *registers, *high, ins.base == "fixed", decoded.memory_index_scale, *ins.number,
            decoded.is_broadcast, ins.is_masked, decoded.zeroing_masking)


def prepared(image, place, ins, source):
    """A random record for an instruction; None if it cannot be executed in this way."""
    general, window, machine = [source.getrandbits(64) for _ in range(32)], WINDOW, machine_of(image, 64)
    general[machine.STACK] = BASE + window + 96

    def address():
        machine.memory.with_numbers(BASE + window, 192)
        machine.general = [terms.constant(number, 64) for number in general]
        return terms.value_of(machine.address(ins))
    if ins.base == "fixed":
        window = address() - BASE - 64 & ~63
    elif ins.base is not None:
        general[ins.base] = general[ins.base] + BASE + window + 64 - address() & (1 << 64) - 1
        if address() != BASE + window + 64:
            return None
    if image.is_arm and re.search(r"\b[wx]30\b", ins.text):
        return None
    flags = source.getrandbits(4) << 28 if image.is_arm else 0x202 | source.getrandbits(1) | source.getrandbits(2) << 6
    size = ins.next - place
    return RECORD.pack(place - BASE, size, window, image.code_at(place)[:size].ljust(16, b"\0"), *general, flags,
                       *(source.getrandbits(64) for _ in range(8)), source.randbytes(2048), source.randbytes(192))


def elements(raw, width=64):
    return [terms.constant(int.from_bytes(raw[start:start + width // 8], "little"), width)
            for start in range(0, len(raw), width // 8)]


def in_bytes(vector):
    parts = [part for part in vector for part in (part if isinstance(part, list) else [part])]
    return b"".join(terms.value_of(term).to_bytes(term.width // 8, "little") for term in parts)


def after(image, ins, record, word_bits=64):
    """All registers, masks, known flags and memory, as the definition of an instruction leaves them."""
    _, _, window, _, *numbers, vectors, memory = RECORD.unpack(record)
    machine = machine_of(image, word_bits)
    machine.general = [terms.constant(number, 64) for number in numbers[:32]]
    size = 16 if image.is_arm else 64
    machine.vectors = [elements(vectors[start:start + size]) for start in range(0, 2048, 64)]
    machine.masks = [tuple(mask >> bit & 1 for bit in range(16)) for mask in numbers[33:41]]
    if not image.is_arm:
        machine.vectors = [[vector[part:part + 2] for part in range(0, 8, 2)] for vector in machine.vectors]
    machine.flags = {name: numbers[32] >> bit & 1 ^ (image.is_arm and name == "c")
                     for name, bit in FLAGS[image.is_arm].items()}
    machine.memory.with_numbers(BASE + window, 192)
    machine.frames = []
    machine.memory.cells = {BASE + window + place: term for place, term in enumerate(elements(memory, 8))}
    ins.execute(machine, ins)
    return {"general": [terms.value_of(term) for term in machine.general], "flags": machine.flags,
            "masks": machine.masks, "vectors": [in_bytes(vector) for vector in machine.vectors],
            "memory": in_bytes([machine.memory.load(BASE + window + place, 8) for place in range(192)])}


def differs(image, ins, record, answer, word_bits):
    """What the definition and the CPU leave differently, if something."""
    left = after(image, ins, record, word_bits)
    *_, vectors, memory = found = RECORD.unpack(answer)
    is_same = {
        "a register": all(left["general"][index] == found[4 + index] for index in range(32 if image.is_arm else 16)
                          if index != 30),
        "a vector": all(vectors[64 * index:].startswith(vector) for index, vector in enumerate(left["vectors"])),
        "a mask": image.is_arm or all(tuple(found[37 + index] >> bit & 1 for bit in range(16)) == mask
                                      for index, mask in enumerate(left["masks"])),
        "a flag": all(left["flags"].get(name) in (None, found[36] >> bit & 1 ^ (image.is_arm and name == "c"))
                      for name, bit in FLAGS[image.is_arm].items()),
        "memory": left["memory"] == memory}
    return next((what for what, same in is_same.items() if not same), None)


def compare_instructions(path, rounds, program):
    """Those that were executed, of each form."""
    image, source, forms = Image(path), random.Random(1234), {}
    decode = machine_of(image, 64).decode
    executed = (Path(os.environ["EXECUTED"]) / image.name / "places.txt").read_text(encoding="ascii")
    places = sorted({int(line, 16) for line in executed.split()})
    source.shuffle(places)
    for place in places:
        ins = decode(image.code_at(place), place)
        if not JUMPS.match(ins.name):
            forms.setdefault(form_of(ins, image.is_arm), []).append((place, ins))
    records, instructions, skipped = [], [], []
    for same in forms.values():
        made = [(prepared(image, place, ins, source), ins) for place, ins in same[:rounds] * rounds][:rounds]
        skipped += [f"{ins.name} {ins.text}" for record, ins in made[:1] if record is None]
        records += [record for record, _ in made if record]
        instructions += [ins for record, ins in made if record]
    answer = subprocess.run(program, input=b"".join(records), stdout=subprocess.PIPE, check=False).stdout
    if len(answer) != RECORD.size * len(records):
        sys.exit(f"instructions: {instructions[len(answer) // RECORD.size].text} cannot be executed")
    for index, (record, ins) in enumerate(zip(records, instructions)):
        terms.forget()
        what = differs(image, ins, record, answer[RECORD.size * index:][:RECORD.size], 32 << index % 2)
        if what:
            sys.exit(f"instructions: the definition of {ins.text} leaves {what} other than the CPU does")
    print(f"instructions: {len(forms) - len(skipped)} of {len(forms)} forms of {image.name} agree with the CPU on "
          f"{len(records)} random states; not compared: {'; '.join(skipped)}")


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
            wanted = hmac.digest(key, counter.to_bytes(8, "big"), f"sha{number}")
            got = b"".join(terms.value_of(word).to_bytes(size, "big") for word in digest)
            offset = wanted[-1] & 15
            value = int.from_bytes(wanted[offset:offset + 4], "big") & 0x7FFFFFFF
            if got != wanted or terms.value_of(truncated_value(digest, offset)) != value:
                sys.exit(f"instructions: {hash_function.name} differs from Python's")
            count += 1
    print(f"instructions: the standards' functions agree with hashlib and hmac on {count} random keys and counters")


if __name__ == "__main__":
    if sys.argv[1:]:
        compare_instructions(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
    else:
        compare_standards()
