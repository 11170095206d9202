"""Follows secrets through the instructions that a library executes: no jump, address, mask of an access, division or
conditional move depends on one.

    python3 follow.py PROGRAM LIBRARY BACKEND

PROGRAM is subjects.c. The CPU computes; here are only which bytes of registers, flags and memory are secret. A library
says in .debug_otp_declassified (otp_constant_time.h) where it makes which register public.
"""

import bisect
import collections
import re
import struct
import subprocess
import sys

from decode import COUNT, RSP, VECTORS, Instruction, Unknown
from kernels.image import BASE, Image

# Where subjects.c has a general register, and its words.
PLACES = [13, 14, 12, 11, 15, 10, 9, 8, 0, 1, 2, 3, 4, 5, 6, 7]
RECORD = struct.Struct("17Q")
SP = PLACES[RSP]
START, SECRET, PUBLIC, IS_SECRET, BEGIN, END, EQUAL = range(7)
NAMES = "rax rcx rdx rbx rsp rbp rsi rdi r8 r9 r10 r11 r12 r13 r14 r15".split()


class Leak(Exception):
    """Something that takes time, and depends on a secret."""


class Memory:
    """Which bytes are secret, by lines of 64."""

    def __init__(self):
        self.lines = collections.defaultdict(int)

    def read(self, address, size):
        line, start = address >> 6, address & 63
        return (self.lines[line] | self.lines[line + 1] << 64) >> start & (1 << size) - 1

    def write(self, address, size, secret, keeps=False):
        while size > 0:
            line, start = address >> 6, address & 63
            part = min(size, 64 - start)
            mask = (1 << part) - 1
            if not keeps:
                self.lines[line] &= ~(mask << start)
            self.lines[line] |= (secret & mask) << start
            address, size, secret = address + part, size - part, secret >> part


class Secrets:
    """Which bytes are secret before an instruction."""

    def __init__(self, segment, declassified):
        self.memory, self.segment, self.declassified = Memory(), segment, declassified
        self.begin()

    def begin(self):
        self.registers, self.flags, self.exits = [0] * COUNT, 0, 0

    def _address(self, place, record):
        total = place.displacement + (self.segment if place.has_segment else 0)
        for number, scale in place.terms:
            total += record[PLACES[number]] * scale
        return total & (1 << 64) - 1

    def publish(self, number, record):
        """Makes a register public: an outcome, a small number or a mask, perhaps one of eight bytes."""
        value, is_secret = record[PLACES[number]], self.registers[number] != 0
        self.exits += is_secret
        self.registers[number] = 0
        is_wide = value > 15 and not {*value.to_bytes(8, "little")} <= {0, 0x80, 0xFF}
        return is_secret and is_wide and "a wide value made public"

    def step(self, instruction, record):
        registers, leak = self.registers, False
        for number in self.declassified.get(record[16], ()):
            leak = self.publish(number, record)
        if instruction.clears_upper:
            registers[VECTORS:VECTORS + 16] = [secret & 0xFFFF for secret in registers[VECTORS:VECTORS + 16]]
        if instruction.is_nothing:
            return
        if instruction.is_call:
            leak = "a system call"
        leak = leak or any(registers[number] & mask for number, _, mask in instruction.addressing) and "an address"
        found = 0
        for number, start, mask in instruction.reads:
            found |= (registers[number] & mask) >> start
        for place in instruction.places:
            if place.is_read:
                found |= -1 if place.is_gather else self.memory.read(self._address(place, record), place.size)
        found &= instruction.kept
        flags = self.flags & instruction.flags_read
        if found or flags:
            leak = leak or (instruction.jumps and "a jump" or instruction.divides and "a division" or
                            flags and instruction.chooses and "a choice")
            if flags or not instruction.is_bytewise:
                found = -1
            elif instruction.shift:
                found = found << instruction.shift if instruction.shift > 0 else found >> -instruction.shift
        if instruction.flags_written:
            if not instruction.flags_kept:
                self.flags &= ~instruction.flags_written
            if found:
                self.flags |= instruction.flags_changed
        for number, start, mask, is_conditional in instruction.writes:
            registers[number] = registers[number] & (-1 if is_conditional else ~mask) | found << start & mask
        for place in instruction.places:
            if place.is_written:
                self.memory.write(self._address(place, record), place.size, found, place.is_conditional)
        if leak:
            raise Leak(leak)


class Library:
    """Its functions, and where it makes which registers public."""

    def __init__(self, path):
        self.path, image = path, Image(path)
        self.functions = sorted((address - BASE, name) for name, address in image.symbols.items())
        self.declassified = [(int.from_bytes(place, "little"), NAMES.index(name.decode())) for place, name in
                             re.findall(rb"(.{8})%(\w+)\0", image.content(".debug_otp_declassified"), re.S)]

    def name(self, address):
        index = bisect.bisect_right(self.functions, (address, "~")) - 1
        if index < 0 or address > self.functions[-1][0]:
            return "another library"
        return f"{self.functions[index][1]}+{address - self.functions[index][0]:#x}"


def follow(program, library, subjects, backend):
    """What depends on secrets in entries or records, with how many functions and instructions were followed."""
    # A masked store would make as many bytes secret as its register has, so libc copies without.
    environment = {"LD_BIND_NOW": "1", "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512VL,-AVX512BW", "OTP_BACKEND": backend}
    process = subprocess.Popen([program, library.path, subjects], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               env=environment, bufsize=1 << 16)
    leaks, instructions, subject, names, count = {}, {}, "the start", set(), 0
    before = equal = after_equal = None
    with open(f"/proc/{process.pid}/mem", "rb", buffering=0) as code:
        while data := process.stdout.read(RECORD.size):
            record = RECORD.unpack(data)
            what = record[16]
            if what > EQUAL:
                count += 1
                if what == equal:
                    after_equal = record[SP] + 8
                elif record[SP] == after_equal:
                    # What CRYPTO_memcmp returns, 0 or 1. (Of libotp's own comparisons, nothing is left for it.)
                    after_equal = None
                    secrets.publish(0, record)
                if new and before and before[1][16] in new and not before[0].is_call:
                    new.remove(before[1][16])
                    changed = {n for n in range(16) if record[PLACES[n]] != before[1][PLACES[n]]}
                    if not changed <= before[0].changes:
                        raise Unknown(f"{before[0].text} changes more than is known")
                instruction = instructions.get(what)
                if instruction is None:
                    code.seek(what)
                    instruction = instructions[what] = Instruction(code.read(15), what)
                    new.add(what)
                before = instruction, record
                try:
                    secrets.step(instruction, record)
                except Leak as leak:
                    # CRYPTO_memcmp moves by a condition.
                    if str(leak) == "a choice" and not 0 <= what - base <= library.functions[-1][0]:
                        continue
                    leaks[f"{subject}: {leak}: {library.name(what - base)}: {instruction.text}"] = True
                continue
            before = None
            if what == START and not record[0]:
                process.communicate(b"")
                break
            if what == START:
                base, new = record[1], set()
                declassified = collections.defaultdict(list)
                for place, number in library.declassified:
                    declassified[base + place].append(number)
                secrets = Secrets(record[0], declassified)
            elif what == EQUAL:
                equal = record[0]
            elif what == IS_SECRET and not secrets.memory.read(record[0], min(record[1], 64)):
                leaks[f"{subject}: its result is not secret, so this says nothing"] = True
            elif what in (SECRET, PUBLIC):
                secrets.memory.write(*record[:2], -1 if what == SECRET else 0)
            elif what == BEGIN:
                code.seek(record[0])
                subject = code.read(100).split(b"\0")[0].decode()
                names.add(subject)
                secrets.begin()
            elif what == END and secrets.exits != record[1]:
                leaks[f"{subject}: {secrets.exits} secrets are made public, not {record[1]}"] = True
    if process.wait():
        sys.exit(f"machine: the program ended early, in {subject}")
    return sorted(leaks), len(names), count


def main():
    program, library, backend = sys.argv[1], Library(sys.argv[2]), sys.argv[3]
    leaks, count, steps = follow(program, library, "entries", backend)
    for text in leaks:
        print(f"machine: {text}", file=sys.stderr)
    print(f"machine: {count} functions with {backend}, {steps} instructions: {len(leaks)} depend on secrets")
    sys.exit(1 if leaks or not count else 0)


if __name__ == "__main__":
    main()
