"""Compares the definitions of instructions with this CPU, which executes them one at a time.

    python3 compare.py PROGRAM LIBRARY     machine/subjects.c, which writes all registers before each

Of each instruction of the functions below, up to 20 executions are repeated: registers, and where it goes. What it
reads of memory is known only if an instruction just before has written it.
"""

import collections
import os
import struct
import subprocess
import sys

import z3

from instructions import RSP, Refused, number, value_of
from kernels.image import BASE, Image
from machine import Machine
from prove import RUN

FUNCTIONS = ("otp_totp_verify", "otp_lanes_key_values", RUN, "$e3OTP9MatchScanV7outcomeAC7OutcomeOvg",
             "$e3OTP13SubmittedCodeV4utf86digitsACs4SpanVys5UInt8VG_AA7OTPCodeV6DigitsOtAA8OTPErrorVYKcfCTf4nnd_n")
# Where subjects.c has a general register (machine/follow.py), and its words.
PLACES, RECORD, START = [13, 14, 12, 11, 15, 10, 9, 8, 0, 1, 2, 3, 4, 5, 6, 7], struct.Struct("17Q"), 0


class Numbers(Machine):
    """Whose addresses are numbers, of one object."""

    def concrete(self, term):
        if value_of(z3.simplify(term)) is None:
            raise Refused("a number that is not known")
        return value_of(z3.simplify(term))

    def resolved(self, address):
        return "memory", self.concrete(address)

    def _checked(self, address, *_):
        return self.resolved(address)

    def move_stack(self, address):
        self.state.general[RSP] = z3.simplify(address)

    def jump(self, target):
        self.state.ip = target

    def code(self, place):
        return number(place - BASE + self.base)


def differs(machine, before, after):
    """Whether an instruction leaves a register, or goes on, other than it did; None if it cannot be repeated."""
    state = machine.state
    state.general, state.ip = [number(before[place]) for place in PLACES], before[16] - machine.base + BASE
    try:
        machine.step()
    except Refused:
        return None
    ends = [*state.general, machine.code(state.ip) if isinstance(state.ip, int) else state.ip]
    wanted = [*(after[place] for place in PLACES), after[16]]
    return any(value_of(z3.simplify(term)) not in (None, value) for term, value in zip(ends, wanted))


def main():
    image = Image(sys.argv[2])
    machine, times, compared = Numbers(image, {}), collections.Counter(), set()
    machine.public, machine.base, before = {}, 0, None
    places = {at for name in FUNCTIONS for at in range(image.symbols[name], image.symbols[name] + image.sizes[
        image.symbols[name]])}
    process = subprocess.Popen([sys.argv[1], sys.argv[2], "entries"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               env={**os.environ, "LD_BIND_NOW": "1", "OTP_BACKEND": "lanes-portable"})
    while data := process.stdout.read(RECORD.size):
        record = RECORD.unpack(data)
        if record[16] == START and not record[0]:
            process.communicate(b"")
            break
        machine.base = record[1] if record[16] == START else machine.base
        at = before[16] - machine.base + BASE if before and record[16] > 16 else None
        if at in places and times[at] < 20:
            times[at] += 1
            if (is_other := differs(machine, before, record)) is not None:
                compared.add(at)
            if is_other:
                sys.exit(f"compare: the instruction at {at - BASE:#x} does something else")
        else:
            # What is in memory, and which flags are set, is not known any more.
            machine.state.cells, machine.state.flags = {}, {}
        before = record
    if not compared:
        sys.exit("compare: nothing was compared")
    print(f"compare: {len(compared)} instructions do what the CPU does")


if __name__ == "__main__":
    main()
