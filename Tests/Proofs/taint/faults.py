"""Plants leaks in copies of the C sources, each of which taint.py must find.

    python3 faults.py FOLDER     for the copies
"""

import subprocess
import sys
from pathlib import Path

from artifacts import SOURCES, libotp_flags, plant, report_faults
from program import File
from taint import analyze

VALUE = "lanes/transforms.c", "otp_truncate(block, words * word)"
EQUAL = "wipe.c", "difference = otp_value_barrier(difference | (left ^ right));"
# What it is; the file, its text, and what replaces it; what must be reported.
FAULTS = [
    ("a table", *VALUE, "block[block[19] & 15]", "an address"),
    ("a division", *VALUE, "otp_truncate(block, words * word) % (uint32_t)(counter | 1)", "a division"),
    ("a branch on a key", "lanes/lanes.c", "    pads[0][i] = padded_key[i] ^ 0x36;\n",
     "    if (padded_key[i] == 7) otp_wipe_stack(64);\n    pads[0][i] = padded_key[i] ^ 0x36;\n", "a branch"),
    ("the length of a key without zeros", "lanes/lanes.c", "  if (size <= 16 * word_bytes(plan)) {\n",
     "  while (size > 0 && secret[size - 1] == 0) size--;\n  if (size <= 16 * word_bytes(plan)) {\n", "a branch"),
    ("a comparison that ends early", *EQUAL, "if (left != right) return 0;", "a branch"),
    ("a branch on OpenSSL's tag", "evp.c", "written == tag_size &&", "written == tag_size && tag[0] &&", "a branch"),
    ("a branch on a key for OpenSSL", "evp.c", "secret == NULL || size == 0", "secret == NULL || *secret == 0",
     "a branch"),
    ("a branch on randomness", "system.c", "  return is_filled;", "  if (*bytes == 0) abort();\n  return is_filled;",
     "a branch"),
    ("a branch on a file", "private_file.c", "    if (count == 0) break;", "    if (count == 0 || *bytes == 10) break;",
     "a branch"),
    ("a secret for another library", "wipe.c", "  if (!OTP_IS_PLANTED(leaves_memory)) OPENSSL_cleanse(bytes, size);",
     "  OPENSSL_cleanse(bytes, size);\n  (void)OPENSSL_strnlen(bytes, size);", "a pointer to secrets"),
    ("a size from a secret", "lanes/lanes.c", "memcpy(padded_key, secret, size);",
     "memcpy(padded_key, secret, size & *secret);", "an address or a size"),
    ("a division in assembly", *EQUAL,
     r"""__asm__ volatile("test %0, %0\n\tdivq %%rcx" :: "r"(left) : "cc"); difference |= left ^ right;""", "assembly"),
    ("an element at a secret index", *VALUE,
     """({ typedef uint32_t v4 __attribute__((vector_size(16))); v4 w; memcpy(&w, block, 16); w[block[19] & 3] = 7;
     w[0]; })""", "an index"),
    ("a call of a secret function", *VALUE,
     """({ extern void f_a(void), f_b(void); uint64_t m = otp_value_barrier(0 - (uint64_t)(block[19] & 1));
     uintptr_t t = ((uintptr_t)f_a & m) | ((uintptr_t)f_b & ~m); ((void (*)(void))t)();
     otp_truncate(block, words * word); })""", "a callee"),
    ("a variable of secret size", *VALUE,
     """({ volatile uint8_t room[block[19] + 1]; room[0] = 1; otp_truncate(block, words * word) + room[0]; })""",
     "a size"),
    ("a minimum", *VALUE,
     "({ uint32_t v = otp_truncate(block, words * word); v < 1000000 ? v : 1000000; })", "a choice"),
    ("a scalar that is not in the table", "wipe.c", "int otp_equal(",
     "unsigned otp_odd(unsigned code) { return code & 1 ? code / 3 : code; }\nint otp_equal(", "not in the table"),
    ("a function that is not in the table", "wipe.c", "int otp_equal(",
     "int otp_same(const char *a, const char *b) { return *a == *b; }\nint otp_equal(", "not in the table"),
]


def is_found(folder, what, file, old, new, wanted):
    plant(folder / "planted", ["COTPSupport"], (what, f"COTPSupport/{file}", old, new))
    copy = folder / "planted/COTPSupport"
    flags = [word.replace(str(SOURCES), str(copy)) for word in libotp_flags()]
    subprocess.run(["clang", *flags, "-S", "-emit-llvm", copy / file, "-o", folder / "planted.ll"], check=True)
    faults, missing, _ = analyze([File(str(folder / "planted.ll"))])
    return any(wanted in text for text in [*faults, *missing])


def main():
    folder = Path(sys.argv[1]).resolve()
    missed = [fault[0] for fault in FAULTS if not is_found(folder, *fault)]
    report_faults(len(FAULTS), missed, "found")


if __name__ == "__main__":
    main()
