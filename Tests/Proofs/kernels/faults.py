"""Plants faults in kernels, each of which the proof must refuse, and executes functions that are not defined.

    python3 faults.py FOLDER quick|all

FOLDER has the kernels' FILE.ll, and perhaps ARM's in arm. `quick` plants every third of the faults in kernels.
"""

import os
import re
import sys

import prepare
import terms
from artifacts import report_faults
from ir import Module, Unknown
from machine import Machine
from prove import PARTS, Refused, compare, hash_of, place, prove_part
from standards import HASHES
from words import NotConcrete

# What it is; file, kernel and part; which of the lines that a pattern matches; what replaces the match in it.
FAULTS = [
    ("a rotation", "portable", "otp_portable_sha1_x4", "compress", r"fshl.*splat \(i32 5\)", 40, "i32 5)", "i32 6)"),
    ("a sum", "portable", "otp_portable_sha1_x4", "compress", r"= add <", 200, "add", "sub"),
    ("a constant of SHA-1", "portable", "otp_portable_sha1_x4", "compress", r"splat \(i32 1518500249\)", 3,
     "1518500249", "1518500248"),
    ("choose", "portable", "otp_portable_sha256_x4", "compress", r"= and <", 10, "and", "or"),
    ("a rotation of SHA-512", "portable", "otp_portable_sha512_x2", "compress", r"fshl.*splat \(i64 ", 20,
     "splat (i64 ", "splat (i64 1"),
    ("an exclusive or", "avx2", "otp_avx2_sha512_x4", "compress", r"= xor <", 7, "xor", "or"),
    ("a ternary function", "avx512", "otp_avx512_sha1_x8", "compress", r"pternlog", 2, "i32 232", "i32 150"),
    ("a ternary function of SHA-512", "avx512", "otp_avx512_sha512_x4", "compress", r"pternlog", 5,
     "i32 232", "i32 233"),
    ("a loop's end", "avx512", "otp_avx512_sha256_x8", "compress", r"icmp eq i64 %\d+, 256", 0, "256", "192"),
    ("the rounds' function", "sha_ni", "otp_sha1_ni", "compress", r"sha1rnds4.*i8 1\)", 2, "i8 1)", "i8 3)"),
    ("the rounds' function once", "sha_ni", "otp_sha1_ni_x3", "compress", r"sha1rnds4.*i8 2\)", 1, "i8 2)", "i8 0)"),
    ("operands of a schedule", "sha_ni", "otp_sha1_ni_x2", "compress", r"sha1msg1", 1, "msg1", "msg2"),
    ("operands of two rounds", "sha_ni", "otp_sha256_ni", "compress", r"sha256msg2", 3, "msg2", "msg1"),
    ("a lane's state", "sha_ni", "otp_sha256_ni_x4", "compress", r"ptr %0, i64 12$", 0, "i64 12", "i64 8"),
    ("the first counter", "portable", "otp_portable_sha1_x4", "key_values", r"= add i64 %1, 3", 0, ", 3", ", 4"),
    ("a lane's counter", "avx2", "otp_avx2_sha512_x4", "key_values", r"= add i64 %1, 2", 0, ", 2", ", 3"),
    ("half of the counter", "portable", "otp_portable_sha256_x4", "key_values", r"= lshr i64 %\d+, 32", 0,
     ", 32", ", 31"),
    ("the first bit", "portable", "otp_portable_sha1_x4", "key_values", r"2147483647", 0, "2147483647", "-1"),
    ("the length", "portable", "otp_portable_sha1_x4", "key_values", r"splat \(i32 672\)", 0, "672", "680"),
    ("a bit of the offset", "portable", "otp_portable_sha1_x4", "key_values", r"= shl <4 x i32> .*29\)", 0, "29", "28"),
    ("a neighbor's offset", "avx2", "otp_avx2_sha1_x8", "key_values", r"= ashr <8 x i32> %\d+, .*i32 31", 0,
     r"(%\d+) = ashr <8 x i32> (%\d+)", r"%swapped = shufflevector <8 x i32> \2, <8 x i32> poison, <8 x i32> "
     r"<i32 1, i32 0, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>\n\1 = ashr <8 x i32> %swapped"),
    ("a shift of the tag", "avx512", "otp_avx512_sha1_x8", "key_values", r"fshl.*splat \(i32 16\)", 0,
     "i32 16)", "i32 8)"),
    ("a shift of one tag", "sha_ni", "otp_sha256_ni_x3", "key_values", r"= and i\d+ %\d+, 24", 1, "24", "8"),
    ("a state word", "sha_ni", "otp_sha1_ni", "key_values", r"getelementptr .*ptr %0, i64 32$", 0, "i64 32", "i64 28"),
    ("another lane's key", "portable", "otp_portable_sha1_x4", "lane_values", r"ptr %0, i64 32$", 0, "32", "16"),
    ("another lane's counter", "portable", "otp_portable_sha1_x4", "lane_values", r"ptr %0, i64 24$", 0, "24", "8"),
    ("a transposition", "avx2", "otp_avx2_sha1_x8", "lane_values", r"shufflevector.*<i32 0, i32 8, i32 2, i32 10", 0,
     "<i32 0, i32 8", "<i32 8, i32 0"),
    ("a byte of the inner pad", "sha_ni", "otp_sha1_ni", "absorb_key", r"splat \(i32 909522486\)", 0, "486", "487"),
    ("the order of a key's bytes", "sha_ni", "otp_sha256_ni", "absorb_key", r"i32 3, i32 2, i32 1", 1,
     "i32 3, i32 2", "i32 2, i32 3"),
    ("a word of the initial state", "portable", "otp_portable_sha512_x2", "absorb_key", r"6620516959819538809", 0,
     "809", "808"),
    ("a function of ARM", "arm/arm_sha", "otp_arm_sha1_x1", "compress", r"crypto.sha1p", 3, "sha1p", "sha1c"),
    ("a half of ARM's rounds", "arm/arm_sha", "otp_arm_sha256_x2", "compress", r"crypto.sha256h2", 3, "h2", "h"),
    ("ARM's schedule", "arm/arm_sha512", "otp_arm_sha512_x1", "compress", r"crypto.sha512su0", 0,
     r"\((<2 x i64> %\d+), (<2 x i64> %\d+)\)", r"(\2, \1)"),
    ("a length of ARM's", "arm/arm_sha512", "otp_arm_sha512_x2", "key_values", r"i64 1088", 0, "1088", "1096"),
]

# In lanes.c: the function; the same; and the proof, by its size, that must refuse it.
LANES_FAULTS = [
    ("the outer pad", "otp_lanes_prepare", r"xor <16 x i8>.*i8 92", 0, "92", "93", "prove_prepare", 20),
    ("the padding's first byte", "finish_hash", r"store i8 -128", 0, "-128", "64", "prove_prepare", 65),
    ("the padding's length", "finish_hash", r"lshr i64 %\d+, 8$", 0, ", 8", ", 9", "prove_message_tag", 40),
    ("the block of the length", "finish_hash", r"= icmp ugt i64 %\d+, %\d+$", 0, "ugt", "uge", "prove_message_tag", 55),
]

# Functions that depend on what is hashed by a branch or an address; and some whose result LLVM leaves undefined.
FUNCTIONS = {
    "a branch on a secret": (NotConcrete, "%4 = icmp eq i32 %3, 0\nbr i1 %4, label %5, label %5\n\n5:\nret void"),
    "an address from a secret": (
        NotConcrete, "%4 = zext i32 %3 to i64\n%5 = getelementptr inbounds i8, ptr %1, i64 %4\nret void"),
    "a choice by a secret": (NotConcrete, "%4 = trunc i32 %3 to i1\n%5 = select i1 %4, i32 1, i32 2\nret void"),
    "a division": (Unknown, "%4 = udiv i32 7, %3\nret void"),
    "a sum that may overflow": (Unknown, "%4 = add nuw i32 %3, 1\nret void"),
    "a difference that may overflow": (Unknown, "%4 = sub nsw i32 0, %3\nret void"),
    "bits that may meet": (Unknown, "%4 = or disjoint i32 %3, 1\nret void"),
    "a shift that may be exact": (Unknown, "%4 = lshr exact i32 %3, 1\nret void"),
    "a shift by too much": (Unknown, "%4 = shl i32 1, %3\nret void"),
    "a number that may be negative": (Unknown, "%4 = zext nneg i32 %3 to i64\nret void"),
    "an address beyond the object": (Unknown, "%4 = getelementptr inbounds i8, ptr %0, i64 65\nret void"),
    "a read beyond the object": (Unknown, "%4 = load i64, ptr %0, align 4\n%5 = getelementptr i8, ptr %0, i64 60\n"
                                 "%6 = load i64, ptr %5, align 4\nret void"),
    "a read that is not aligned": (Unknown, "%4 = load i64, ptr %0, align 16\nret void"),
    "a write to what is read only": (Unknown, "store i32 %3, ptr %1, align 4\nret void"),
    "a copy onto itself": (Unknown, "%4 = getelementptr i8, ptr %0, i64 4\n"
                           "call void @llvm.memcpy.p0.p0.i64(ptr %4, ptr %0, i64 8, i1 false)\nret void"),
    "memory that was not written": (
        Refused, "%4 = alloca i32, align 4\n%5 = load i32, ptr %4, align 4\n%6 = xor i32 %5, %5\n"
        "%7 = add i32 %6, %3\nstore i32 %7, ptr %0, align 4\nret void"),
    "poison and 0": (Refused, "%4 = and i32 poison, 0\n%5 = add i32 %4, %3\nstore i32 %5, ptr %0, align 4\nret void"),
    "an unknown promise": (Unknown, "%4 = load i32, ptr %0, align 4, !range !7\nret void"),
}
HEAD = "define internal void @f(ptr noundef %0, ptr %1) {\n%3 = load i32, ptr %0, align 4\n"


def plant(module, functions, pattern, index, old, new):
    """Changes a line of these functions, which must exist, to one or more; returns what undoes it."""
    for name in functions:
        for block in module.functions[name][1].values():
            for number, line in enumerate(block):
                if not re.search(pattern, line):
                    continue
                if index == 0:
                    changed = re.sub(old, new, line, count=1) if "\\" in new else line.replace(old, new, 1)
                    if changed == line:
                        sys.exit(f"faults: cannot change: {line}")
                    before = list(block)
                    block[number:number + 1] = changed.split("\n")
                    return lambda: block.__setitem__(slice(None), before)
                index -= 1
    sys.exit(f"faults: no such line: {pattern} in {functions}")


def is_refused(module, kernel, part, *fault):
    lanes, functions = module.kernels[kernel]
    function = dict(zip(PARTS, functions))[part]
    # A block function that is called belongs to it.
    undo = plant(module, [name for name in (function, f"{kernel}_called_block") if name in module.functions], *fault)
    try:
        prove_part(module, part, function, hash_of(kernel), lanes)
        return False
    except (Refused, Unknown):
        return True
    finally:
        undo()


def is_refused_in_lanes(module, folder, function, *fault):
    *fault, proof, size = fault
    undo = plant(module, [function], *fault)
    terms.forget()
    machine = prepare.machine_of(module, folder, HASHES[1], ["otp_portable_sha1_x4"])
    try:
        getattr(prepare, proof)(machine, HASHES[1], size)
        return False
    except (Refused, Unknown):
        return True
    finally:
        undo()


def is_noticed(path, body, wanted):
    """Whether this error is raised by a function that would otherwise add 0 to its argument."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{HEAD}{body}\n}}\n")
    terms.forget()
    try:
        machine = Machine(Module(path))
        state = terms.variable("secret", 32)
        machine.call("f", [place(machine, "state", [state] * 16, 4, is_writable=True),
                           place(machine, "blocks", [state] * 16, 4)])
        compare(machine.memory.load(("state", 0), 32), state, "the result")
    except wanted:
        return True
    return False


def main():
    folder, modules, missed, count = sys.argv[1], {}, [], 0
    for what, file, *fault in FAULTS[::3 if sys.argv[2] == "quick" else 1]:
        path = f"{folder}/{file}.ll"
        if not os.path.exists(path) and file.startswith("arm/"):
            continue
        if path not in modules:
            modules[path] = Module(path)
        count += 1
        if not is_refused(modules[path], *fault):
            missed.append(what)
    lanes = Module(*(f"{folder}/{name}.ll" for name in ("hashes", "lanes", "plans", "portable")))
    for what, *fault in LANES_FAULTS:
        count += 1
        if not is_refused_in_lanes(lanes, folder, *fault):
            missed.append(what)
    for what, (wanted, body) in FUNCTIONS.items():
        count += 1
        if not is_noticed(f"{folder}/planted.txt", body, wanted):
            missed.append(what)
    if is_noticed(f"{folder}/planted.txt", "ret void", ()):
        missed.append("a function without a fault")
    report_faults(count, missed, "refused")


if __name__ == "__main__":
    main()
