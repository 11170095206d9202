"""Plants faults in kernels, each of which the proof must refuse.

    python3 faults.py FOLDER      where the kernels' FILE.ll are
"""

import re
import sys

import terms
from machine import Machine, Module, NotConcrete
from prove import HASHES, Refused, prove_compress, prove_values

# File, kernel and function; which line that a pattern matches; what replaces the match.
FAULTS = [
    ("a rotation", "portable", "otp_portable_sha1_x4", "compress", r"fshl.*splat \(i32 5\)", 40, ("i32 5)", "i32 6)")),
    ("a sum", "portable", "otp_portable_sha1_x4", "compress", r"= add <", 200, ("add", "sub")),
    ("a constant of SHA-1", "portable", "otp_portable_sha1_x4", "compress", r"splat \(i32 1518500249\)", 3,
     ("1518500249", "1518500248")),
    ("choose", "portable", "otp_portable_sha256_x4", "compress", r"= and <", 10, ("and", "or")),
    ("a rotation of SHA-512", "portable", "otp_portable_sha512_x2", "compress", r"fshl.*splat \(i64 ", 20,
     ("splat (i64 ", "splat (i64 1")),
    ("an exclusive or", "avx2", "otp_avx2_sha512_x4", "compress", r"= xor <", 7, ("xor", "or")),
    ("a ternary function", "avx512", "otp_avx512_sha1_x8", "compress", r"pternlog", 2, ("i32 232", "i32 150")),
    ("a ternary function of SHA-512", "avx512", "otp_avx512_sha512_x8", "compress", r"pternlog", 5,
     ("i32 232", "i32 233")),
    ("the rounds' function", "sha_ni", "otp_sha1_ni", "compress", r"sha1rnds4.*i8 1\)", 2, ("i8 1)", "i8 3)")),
    ("the rounds' function once", "sha_ni", "otp_sha1_ni_x3", "compress", r"sha1rnds4.*i8 2\)", 1, ("i8 2)", "i8 0)")),
    ("operands of a schedule", "sha_ni", "otp_sha1_ni_x2", "compress", r"sha1msg1", 1, ("msg1", "msg2")),
    ("operands of two rounds", "sha_ni", "otp_sha256_ni", "compress", r"sha256msg2", 3, ("msg2", "msg1")),
    ("the first counter", "portable", "otp_portable_sha1_x4", "key_values", r"= add i64 %1, 3", 0, (", 3", ", 4")),
    ("a lane's counter", "avx2", "otp_avx2_sha512_x4", "key_values", r"<i64 0, i64 1, i64 2, i64 3>", 0,
     ("i64 2", "i64 1")),
    ("half of the counter", "portable", "otp_portable_sha256_x4", "key_values", r"splat \(i64 32\)", 0,
     ("i64 32", "i64 31")),
    ("the first bit", "portable", "otp_portable_sha1_x4", "key_values", r"2147483647", 0, ("2147483647", "-1")),
    ("the length", "portable", "otp_portable_sha1_x4", "key_values", r"splat \(i32 672\)", 0, ("672", "680")),
    ("a shift of the tag", "avx512", "otp_avx512_sha1_x8", "key_values", r"fshl.*splat \(i32 16\)", 0,
     ("i32 16)", "i32 8)")),
    ("a state word", "sha_ni", "otp_sha1_ni", "key_values", r"getelementptr .*ptr %0, i64 32$", 0, ("i64 32", "i64 28")),
    ("another lane's key", "portable", "otp_portable_sha1_x4", "lane_values", r"ptr %0, i64 32$", 0, ("32", "16")),
    ("another lane's counter", "portable", "otp_portable_sha1_x4", "lane_values", r"ptr %0, i64 24$", 0, ("24", "8")),
    ("a transposition", "avx2", "otp_avx2_sha1_x8", "lane_values", r"shufflevector.*<i32 0, i32 8, i32 1, i32 9", 0,
     ("<i32 0, i32 8", "<i32 8, i32 0")),
]

# A branch and an address that depend on what is hashed.
DEPENDENT = """
define internal void @branch(ptr %0, ptr %1) {
  %3 = load i32, ptr %0, align 4
  %4 = icmp eq i32 %3, 0
  br i1 %4, label %5, label %6

5:
  br label %6

6:
  ret void
}
define internal void @address(ptr %0, ptr %1) {
  %3 = load i64, ptr %0, align 8
  %4 = getelementptr inbounds i8, ptr %1, i64 %3
  ret void
}
"""


def planted(module, functions, pattern, place, change):
    """Changes a line of these functions; it must exist."""
    for name in functions:
        for block in module.functions[name][1].values():
            for index, line in enumerate(block):
                if re.search(pattern, line):
                    if place == 0:
                        block[index] = line.replace(*change, 1)
                        if block[index] == line:
                            sys.exit(f"faults: cannot change: {line}")
                        return
                    place -= 1
    sys.exit(f"faults: no such line: {pattern} in {functions}")


def is_refused(folder, file, kernel, kind, pattern, place, change):
    module = Module(f"{folder}/{file}.ll")
    lanes, (key_values, lane_values, compress, *_) = module.kernels[kernel]
    function = {"compress": compress, "key_values": key_values, "lane_values": lane_values}[kind]
    hash_function = HASHES[int(re.search(r"sha(\d+)", kernel)[1])]
    # A block function that is called belongs to it.
    functions = [name for name in (function, f"{kernel}_called_block") if name in module.functions]
    planted(module, functions, pattern, place, change)
    terms.forget()
    try:
        if kind == "compress":
            prove_compress(module, function, hash_function, lanes)
        else:
            prove_values(module, function, hash_function, lanes, kind == "lane_values")
    except Refused:
        return True
    return False


def depends(path, function):
    machine = Machine(Module(path))
    terms.forget()
    machine.memory.objects["state"] = {0: terms.variable("secret", 64)}
    try:
        machine.call(function, [("state", 0), ("blocks", 0)])
    except NotConcrete:
        return True
    return False


def main():
    folder = sys.argv[1]
    missed = [what for what, *fault in FAULTS if not is_refused(folder, *fault)]
    path = f"{folder}/dependent.ll"
    with open(path, "w", encoding="utf-8") as file:
        file.write(DEPENDENT)
    missed += [f"a dependent {name}" for name in ("branch", "address") if not depends(path, name)]
    for what in missed:
        print(f"faults: not refused: {what}", file=sys.stderr)
    print(f"faults: {len(FAULTS) + 2 - len(missed)} of {len(FAULTS) + 2} planted faults were refused")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
