"""Plants faults in the machine code of a library, each of which the theorem must refuse.

    python3 faults.py LIBRARY LOG quick|all
"""

import re
import sys

import iced_x86 as x86

import prove
import values
from artifacts import report_faults
from kernels.image import Image
from instructions import Refused

VERIFY, VALUES, ALL = "otp_totp_verify", "otp_lanes_key_values", {"key", "code", "window", "out"}
# What it is; the function, an instruction of it, and the bytes instead of it; and what must be refused.
FAULTS = [
    ("a window begins a step late", VERIFY, "mov r8d,1", "41b800000000", ALL - {"window"}),
    ("a window begins a step early", VERIFY, "mov r8d,1", "41b802000000", ALL - {"window"}),
    ("a window ends a step early", VERIFY, "mov r9d,1", "41b900000000", ALL - {"window"}),
    ("a window ends a step late", VERIFY, "mov r9d,1", "41b902000000", ALL - {"window"}),
    ("a window of eleven steps", VERIFY, "cmp r8,0Bh", "4983f80c", ALL),
    ("a step compared in 32 bits", VERIFY, "cmp r10,rcx", "4139ca", ALL),
    ("no result is written", VERIFY, r"mov \[rdi\+8\],ecx", "0f1f00", ALL - {"window"}),
    ("no status is written", VERIFY, r"mov dword ptr \[rdi\+0Ch\],0", "0f1f8000000000", ALL - {"window"}),
    ("no step is written", VERIFY, r"mov \[rdi\+10h\],rsi", "0f1f4000", ALL - {"window"}),
    ("no offset is written", VERIFY, r"mov \[rdi\+18h\],rax", "0f1f4000", ALL - {"window"}),
    ("the code of another step", prove.RUN, "add rax,r8", "48ffc0", 2),
    ("a match is lost if two steps have the code", prove.RUN, r"or r14,\[rbp-\w+\]", "4c33", 2),
    ("a replay is lost if two steps have the code", prove.RUN, r"or r15,\[rbp-\w+\]", "4c33", 2),
    ("the last accepted step is live", VERIFY, "inc r10w", "0f1f4000", ALL),
    ("the step after the last accepted one is not", prove.RUN, "setge r14b", "410f9fc6", 2),
    ("later values are those of the first", VALUES, r"lea rsi,\[r12\+rcx\]", "488d7100", "portable_plans"),
]


def plant(image, symbol, pattern, new):
    """The first bytes of the one instruction like this."""
    start, new = image.symbols[symbol], bytes.fromhex(new)
    code = image.code_at(start, image.sizes[start])
    found = [ins.ip for ins in x86.Decoder(64, code, ip=start) if re.fullmatch(pattern, str(ins))]
    if len(found) != 1:
        sys.exit(f"faults: {symbol} has {len(found)} instructions like {pattern}")
    image.code = [(base, content if not base <= found[0] < base + len(content) else
                   content[:found[0] - base] + new + content[found[0] - base + len(new):])
                  for base, content in image.code]


def is_refused(path, kernels, symbol, pattern, new, what):
    image = Image(path)
    plant(image, symbol, pattern, new)
    try:
        if symbol == VALUES:
            values.prove_batch(image, kernels, image.symbols[what], 6)
        elif symbol == VERIFY:
            prove.Call(image, what)
        else:
            prove.prove_run(image, 6, what)
    except Refused as refusal:
        return str(refusal)
    return None


def main():
    path, kernels = sys.argv[1], prove.kernels_of(sys.argv[2])
    missed = []
    faults = [fault for fault in FAULTS if sys.argv[3] == "all" or fault[-1] != ALL]
    for what, *fault in faults:
        reason = is_refused(path, kernels, *fault)
        print(f"faults: {what}: {reason or 'accepted'}"[:150], flush=True)
        missed += [what] * (reason is None)
    report_faults(len(faults), missed, "refused")


if __name__ == "__main__":
    main()
