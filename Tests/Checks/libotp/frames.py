"""Checks in x86-64 machine code that no function takes more than a page of stack at once, the smallest guard page: each
function touches its frame, if only by its return address, before the next one takes more.

    frames.py OBJECT...
"""

import re
import subprocess
import sys

PAGE = 4096
# These take memory of a size known only at run time, and touch it first, step by step.
PROBING = {"otp_probe_stack", "otp_with_scratch", "otp_wipe_stack"}
# withUnsafeTemporaryAllocation takes more than this from the heap.
SWIFT_TEMPORARY = 1024

# A step of -fstack-clash-protection, in a loop over memory of a size known only at run time.
PROTECTION = "sub    $0x1000,%rsp"
SUBTRACTION = re.compile(r"sub\s+\$0x([0-9a-f]+),%rsp")
ALIGNMENT = re.compile(r"and\s+\$0xf+([0-9a-f]{4}),%rsp")
DYNAMIC = re.compile(r"(sub|add|mov)\s+%(?!rbp)\w+,%rsp|lea\s+[^,(]*\(.*%r(?!bp|sp)\w+.*\),%rsp")


def functions(path):
    """Each function of an object file, with its instructions."""
    listing = subprocess.run(
        ["objdump", "-d", "--no-show-raw-insn", path], capture_output=True, text=True, check=True
    ).stdout
    name, instructions = None, []
    for line in listing.splitlines():
        start = re.match(r"[0-9a-f]+ <(.*)>:$", line)
        if start:
            if name:
                yield name, instructions
            name, instructions = start[1], []
        elif "\t" in line:
            instructions.append(line.split("\t")[1])
    if name:
        yield name, instructions


def frame(instructions):
    """The most bytes that a function takes at once, and whether it also takes memory of a dynamic size."""
    size, is_dynamic = 8, False
    for instruction in instructions:
        taken = SUBTRACTION.match(instruction)
        aligned = ALIGNMENT.match(instruction)
        if instruction.startswith("push"):
            size += 8
        elif taken:
            size += int(taken[1], 16)
        elif aligned:
            size += 0x10000 - int(aligned[1], 16)
        elif DYNAMIC.match(instruction):
            is_dynamic = True
    return size, is_dynamic


def main(paths):
    largest, count, wrong = (0, ""), 0, 0
    for path in paths:
        for name, instructions in functions(path):
            count += 1
            size, is_dynamic = frame(instructions)
            if name in PROBING and is_dynamic:
                size, is_dynamic = size - PAGE * instructions.count(PROTECTION), False
            is_swift = name.startswith("$")
            if is_dynamic and is_swift:
                size += SWIFT_TEMPORARY
            if size > PAGE or (is_dynamic and not is_swift):
                wrong += 1
                print(f"frames: {name} takes {size} bytes of stack, {'and more' if is_dynamic else 'at once'}")
            largest = max(largest, (size, name))
    print(f"frames: {count} functions; the largest takes {largest[0]} bytes of stack ({largest[1]})")
    return 1 if wrong or not count else 0


sys.exit(main(sys.argv[1:]))
