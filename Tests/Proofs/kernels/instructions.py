"""Compares the definitions that the proofs use with what they define.

    python3 instructions.py standards          the standards' functions, with Python's hashlib and hmac
    python3 instructions.py LIBRARY FILE COUNT PROGRAM...

The latter compares instructions that the library has at the places in a file, COUNT states of each form, with what a
CPU does; PROGRAM is instructions.c, perhaps with an emulator.
"""

import hmac
import random
import re
import struct
import subprocess
import sys
from pathlib import Path

import arm64
import terms
import x86
from image import Image
from prove import machine_of, midstates
from standards import HASHES, tag, truncated_value

NAMES = {1: "sha1", 256: "sha256", 512: "sha512"}


# instructions.c's record: where the code is, its size, where memory is; the code; registers, flags, masks; and memory.
RECORD = struct.Struct("<3Q16s32QQ8Q2048s192s")
BASE, WINDOW = 0x500000000, 0x300000
# The places of flags; arm64's carry is no borrow.
FLAGS = {False: {"c": 0, "z": 6, "s": 7, "o": 11}, True: {"c": 29, "z": 30, "s": 31, "o": 28}}
JUMPS = re.compile(r"CALL|RET|J|PGATHER|(b|bl|br|blr|ret|cbn?z|tbn?z)$|b\.|adrp?$")


def form_of(ins, is_arm):
    """What is alike in instructions that are executed once for all, but for which registers they name."""
    numbers = {}
    if is_arm:
        text = re.sub(r"\[.*\]!?|(?<![#\w])([bhsdqwxv])(\d+|zr)", lambda found: "memory" if not found[1] else (
            f"{found[1]}{numbers.setdefault(found[0], len(numbers))}"), ins.text)
        return ins.name, text
    registers = [numbers.setdefault(register, len(numbers)) for register in ins.registers]
    high = [x86.GENERAL.get(register, (0, 0, 0))[2] for register in ins.registers]
    return (ins.decoded.code, *registers, *high, *ins.number, ins.decoded.is_broadcast, ins.is_masked,
            ins.decoded.zeroing_masking)


def prepared(image, place, ins, source):
    """A random record for an instruction; None if it cannot be executed in this way."""
    general = [source.getrandbits(64) for _ in range(32)]
    stack = 31 if image.is_arm else 4
    window = WINDOW
    general[stack] = BASE + window + 96
    if image.is_arm:
        if re.search(r"\b[wx]30\b", ins.text):
            return None
        for base, *rest in (text for text in ins.operands if isinstance(text, list) and isinstance(text[0], str)):
            if rest and base == rest[0]:
                return None
            number = arm64.Register(base).number
            offset = int(rest[0].lstrip("#"), 0) if rest and rest[0][0] == "#" else 0
            if rest and not offset and rest[0][0] != "#":
                shift = int(rest[1].split("#")[1]) if len(rest) > 1 else 0
                offset = general[arm64.Register(rest[0]).number] << shift
            general[number] = BASE + window + 64 - offset & (1 << 64) - 1
    elif any(kind == x86.x86.OpKind.MEMORY for kind in ins.kinds) and ins.name != "LEA":
        base, index = (x86.GENERAL.get(register) for register in (ins.decoded.memory_base, ins.decoded.memory_index))
        offset = ins.decoded.memory_displacement + (general[index[0]] * ins.decoded.memory_index_scale if index else 0)
        if base is None and index is None:
            window = ins.decoded.memory_displacement - BASE - 64 & ~63
        elif base is None or index and index[0] == base[0]:
            return None
        else:
            general[base[0]] = BASE + window + 64 - offset & (1 << 64) - 1
    chosen = 1 << 28 if image.is_arm else 0
    flags = source.getrandbits(4) * chosen if image.is_arm else 0x202 | source.getrandbits(1) | (
        source.getrandbits(2) << 6 | source.getrandbits(1) << 11)
    size = ins.next - BASE - place
    return RECORD.pack(place, size, window, image.code_at(place)[:size].ljust(16, b"\0"), *general, flags,
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
    machine.memory.objects, machine.memory.starts = [(BASE + window, BASE + window + 192, True)], [BASE + window]
    machine.memory.cells = {BASE + window + place: term for place, term in enumerate(elements(memory, 8))}
    ins.execute(machine, ins)
    return ([terms.value_of(term) for term in machine.general], [in_bytes(vector) for vector in machine.vectors],
            machine.masks, machine.flags,
            in_bytes([machine.memory.load(BASE + window + place, 8) for place in range(192)]))


def differs(image, ins, record, answer, word_bits):
    """What the definition and the CPU leave differently, if something."""
    general, vectors, masks, flags, memory = after(image, ins, record, word_bits)
    *_, found_vectors, found_memory = found = RECORD.unpack(answer)
    numbers, found_flags, found_masks = found[4:36], found[36], found[37:45]
    if any(pair[0] != pair[1] for index, pair in enumerate(zip(general, numbers))
           if index != 30 and (image.is_arm or index < 16)):
        return "a register"
    if any(vector != found_vectors[64 * index:64 * index + len(vector)] for index, vector in enumerate(vectors)):
        return "a vector"
    if not image.is_arm and any(tuple(number >> bit & 1 for bit in range(len(mask))) != mask
                                for mask, number in zip(masks, found_masks)):
        return "a mask"
    if any(flags.get(name) not in (None, found_flags >> bit & 1 ^ (image.is_arm and name == "c"))
           for name, bit in FLAGS[image.is_arm].items()):
        return "a flag"
    return None if memory == found_memory else "memory"


def compare_instructions(path, executed, rounds, program):
    """Those at the places in a file, one of each form."""
    image, source, forms, skipped = Image(path), random.Random(1234), {}, 0
    places = [int(line, 16) for line in Path(executed).read_text(encoding="ascii").split()]
    source.shuffle(places)
    for place in places:
        ins = machine_of(image, 64).decode(image.code_at(place), BASE + place)
        if not JUMPS.match(ins.name):
            forms.setdefault(form_of(ins, image.is_arm), []).append((place, ins))
    records, instructions = [], []
    for same in forms.values():
        made = [(prepared(image, place, ins, source), ins) for place, ins in same[:rounds] * rounds][:rounds]
        skipped += made[0][0] is None
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
    print(f"instructions: {len(forms) - skipped} of {len(forms)} forms of {image.name} agree with the CPU on "
          f"{len(records)} random states")


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
    else:
        compare_instructions(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:])


if __name__ == "__main__":
    main()
