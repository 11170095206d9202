"""Plants leaks in copies of libotp's sources, compiles them as LibOTP/build.sh does, and expects each to be reported.

    python3 faults.py PROGRAM OBJECTS FOLDER quick|all    subjects.c, libotp's objects, a folder; `all` has Swift's, too
"""

import os
import re
import sys
from pathlib import Path

from artifacts import ROOT, libotp_flags, plant, report_faults, run
from follow import Library, follow

TRANSFORMS, VALUE = "COTPSupport/lanes/transforms.c", "otp_truncate(block, words * word)"
EQUAL = "difference = otp_value_barrier(difference | (left ^ right));"
# What it is; the file, its text, and what replaces it (perhaps again); a pattern of what must be reported.
FAULTS = [
    ("a part of what is compared made public", "COTPSupport/wipe.c", EQUAL,
     "if (otp_declassify(left) == 1) return 0; " + EQUAL, "otp_record_enroll: a wide value made public: otp_equal"),
    ("a jump in assembly", "COTPSupport/wipe.c", EQUAL,
     r'__asm__ volatile("test %0, %0\n\tjp 1f\n1:" : : "r"(left) : "cc"); ' + EQUAL,
     "otp_record_enroll: a jump: otp_equal.* jp "),
    ("a division in assembly", "COTPSupport/wipe.c", EQUAL,
     r'{ uint64_t q = left; __asm__ volatile("xor %%edx, %%edx\n\tdivq %1" : "+a"(q) : "r"(left | 1) : "rdx"); } '
     + EQUAL,
     "otp_record_enroll: a division: otp_equal"),
    ("a system call", "COTPSupport/wipe.c", EQUAL,
     r'{ long r = 39; __asm__ volatile("syscall" : "+a"(r) : : "rcx", "r11", "memory"); } ' + EQUAL,
     "otp_record_enroll: a system call: otp_equal"),
    ("a comparison that ends early", "COTPSupport/wipe.c", EQUAL, "if (left != right) return 0;",
     "otp_record_enroll: a jump: otp_equal.* jn?e "),
    ("a comparison of recovery codes that ends early", "COTPSupport/wipe.c", "  for (; size >= 8; size -= 8,",
     "  if (size == 32 && *(const uint8_t *)a != *(const uint8_t *)b) return 0;\n  for (; size >= 8; size -= 8,",
     "otp_record_verify: a jump: otp_equal.* je "),
    ("a secret for another library", "COTPSupport/wipe.c",
     "  if (!OTP_IS_PLANTED(leaves_memory)) OPENSSL_cleanse(bytes, size);",
     "  (void)OPENSSL_strnlen(bytes, size);\n  OPENSSL_cleanse(bytes, size);",
     "otp_record_enroll: a jump: another library"),
    ("a branch on randomness", "COTPSupport/system.c", "  return is_filled;",
     "  if (*bytes == 0) otp_defer_forks();\n  return is_filled;", r"otp_\w+: a jump: otp_random_private"),
    ("a load by assembly", TRANSFORMS, VALUE, """({ static const uint32_t table[256] = {1, 2, 3}; uint32_t r;
     __asm__ volatile("movl (%1), %0" : "=r"(r) : "r"(table + block[19])); otp_truncate(block, words * word); })""",
     r"otp_record_verify: an address: .* mov e\w+,\[r\w+\]"),
    ("a store by assembly", TRANSFORMS, VALUE, """({ uint32_t r;
     __asm__ volatile("movl %1, %0" : "=m"(r) : "r"((uint32_t)block[19]));
     if (r & 1) otp_wipe_stack(64); otp_truncate(block, words * word); })""", "otp_record_verify: a jump: .* j"),
    ("an element at a secret index", TRANSFORMS, VALUE, """({
     typedef uint32_t v4 __attribute__((vector_size(16))); v4 w;
     memcpy(&w, block, 16); w[block[19] & 3] = 7; __asm__ volatile("" : : "r"(w[0])); otp_truncate(block, words * word);
     })""", r"otp_record_verify: an address: .* mov dword \[r.*\],7"),
    ("a call of a secret function", TRANSFORMS, VALUE, """({
     ((void (*)(void))((uintptr_t)otp_wipe_registers + (otp_value_barrier(block[19]) >> 20)))();
     otp_truncate(block, words * word); })""", "otp_record_verify: a jump: .* call r"),
    ("a variable of secret size", TRANSFORMS, VALUE, """({ volatile uint8_t room[block[19] + 1]; room[0] = 1;
     otp_truncate(block, words * word); })""", r"otp_record_verify: an address: .* mov byte \[r.*\],1"),
    ("a division of a value", TRANSFORMS, VALUE,
     "otp_truncate(block, words * word) % (uint32_t)otp_value_barrier(0xffffffff)", "otp_record_verify: a division"),
    ("the length of a key without zeros", "COTPSupport/lanes/lanes.c", "  if (size <= 16 * word_bytes(plan)) {\n",
     "  while (size > 0 && secret[size - 1] == 0) size--;\n  if (size <= 16 * word_bytes(plan)) {\n",
     r"otp_key_create\w*: a jump"),
    ("a branch on what is sealed", "COTPSupport/lanes/lanes.c", "  finish_hash(plan, &space, midstates, block_bytes, m",
     "  if (size > 64 && message[size - 9] == 0) otp_wipe_registers();\n"
     "  finish_hash(plan, &space, midstates, block_bytes, m", "otp_record_enroll: a jump: otp_lanes_message_tag"),
    ("a typed character made public", "OTP/Codes/TypedCharacters.swift",
     "!Mask.lessOrEqual(UInt32(byte), 0x7F).declassified", "declassify(UInt64(byte)) > 0x7F",
     "otp_record_verify: a wide value made public"),
    ("a branch on the first of two codes", "OTP/Verification/RunScan.swift", "    secondMatched = pair\n",
     "    secondMatched = pair\n    if firstMatched.keep(1) == 1 { secondMatched = Mask.never }\n",
     "otp_hotp_resynchronize: a "),
    ("a branch on a match", "OTP/Verification/MatchScan.swift", "    hasLive = hasLive | live\n",
     "    hasLive = hasLive | live\n    if live.keep(1) == 1 { hasSpent = Mask(false) }\n",
     "otp_totp_verify: a choice"),
    ("a match made public", "OTP/Verification/MatchScan.swift", "    hasSpent = hasSpent |",
     "    if match.declassified { hasSpent = Mask(false) }\n    hasSpent = hasSpent |", "otp_hotp_verify: 7 secrets"),
    ("a code made public with the outcome", "OTP/Verification/MatchScan.swift", "switch declassify(packed) {",
     "switch declassify(packed | UInt64(complement) &<< 8) & 0xFF {", "otp_totp_verify: a wide value made public"),
    ("a division by a code", "OTP/Verification/MatchScan.swift", "multiples.contains(truncatedValue &+ complement)",
     "multiples.contains(truncatedValue &+ complement &+ (truncatedValue / (complement | 1) & 0x8000_0000))",
     "otp_totp_verify: a division"),
]


def build(folder, objects, has_swift):
    """libotp of the copy, with the objects of what is the same."""
    made = {path.name: path for path in objects.glob("*.o")}
    script = (ROOT / "LibOTP/build.sh").read_text(encoding="utf-8")
    swift = re.search(r"flags=\((-enable.*?) \"\$\{extra_swift", script, re.S)[1].split()
    for name in ("transforms", "lanes", "../wipe", "../system"):
        source = folder / f"COTPSupport/lanes/{name}.c"
        made[f"{source.stem}.o"] = folder / f"{source.stem}.o"
        run("clang", *libotp_flags(), "-c", source, "-o", folder / f"{source.stem}.o")
    if has_swift:
        made["OTP.o"] = folder / "OTP.o"
        run("swiftc", *swift, "-I", folder / "COTPSupport/include", "-module-name", "OTP", "-c",
            *sorted((folder / "OTP").rglob("*.swift")), "-o", folder / "OTP.o")
    header = (ROOT / "LibOTP/include/otp.h").read_text(encoding="utf-8")
    functions = re.findall(r"^[a-z].*[ *](otp_\w+)\(", header, re.M)
    run("ld", "-r", "--gc-sections", *(f"--undefined={name}" for name in functions), "-o", folder / "all.o",
        *made.values())
    run("clang", "-shared", "-o", folder / "planted.so", folder / "all.o", "-lcrypto")
    return Library(str(folder / "planted.so"))


def main():
    program, objects, folder = sys.argv[1], Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve() / "planted"
    has_swift = sys.argv[4] == "all"
    faults = [fault for fault in FAULTS if has_swift or not fault[1].endswith(".swift")]
    os.chdir(ROOT)
    # Those of the other form, too, are still in the sources.
    plant(folder, ("COTPSupport", "OTP"), *FAULTS)
    plant(folder, ("COTPSupport", "OTP"), *faults)
    library = build(folder, objects, has_swift)
    reported = follow(program, library, "entries" if has_swift else "records", "midstate")[0]
    missed = [what for what, *_, pattern in faults if not any(re.match(pattern, report) for report in reported)]
    report_faults(len(faults), missed, "found")


if __name__ == "__main__":
    main()
