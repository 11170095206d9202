"""Plants leaks in copies of the C sources, each of which taint.py must find.

    python3 faults.py MANIFEST FOLDER     SwiftPM's manifest, and a folder for the copies
"""

import shutil
import subprocess
import sys
from pathlib import Path

from program import File
from taint import analyze
# program.py has set the path.
from artifacts import SOURCES, report_faults, swiftpm_commands, without_output

# What it is; the file, its text, and what replaces it; which file is compiled; what must be reported.
FAULTS = [
    ("a table", "lanes/transforms.c", "otp_truncate(block, words * word)", "block[block[19] & 15]",
     "lanes/transforms.c", "an address"),
    ("a division", "lanes/transforms.c", "otp_truncate(block, words * word)",
     "otp_truncate(block, words * word) % (uint32_t)(counter | 1)", "lanes/transforms.c", "a division"),
    ("a branch on a key", "lanes/lanes.c", "    pads[0][i] = padded_key[i] ^ 0x36;\n",
     "    if (padded_key[i] == 7) otp_wipe_stack(64);\n    pads[0][i] = padded_key[i] ^ 0x36;\n", "lanes/lanes.c",
     "a branch"),
    ("the length of a key without zeros", "lanes/lanes.c", "  if (size <= 16 * word_bytes(plan)) {\n",
     "  while (size > 0 && secret[size - 1] == 0) size--;\n  if (size <= 16 * word_bytes(plan)) {\n", "lanes/lanes.c",
     "a branch"),
    ("a comparison that ends early", "wipe.c", "CRYPTO_memcmp(a, b, size) == 0", "memcmp(a, b, size) == 0", "wipe.c",
     "a pointer to secrets"),
    ("a branch on OpenSSL's tag", "evp.c", "written == tag_size &&", "written == tag_size && tag[0] != 1 &&", "evp.c",
     "a branch"),
    ("a branch on a key for OpenSSL", "evp.c", "if (secret == NULL || size == 0)",
     "if (secret == NULL || *secret == 0)", "evp.c", "a branch"),
    ("a branch on randomness", "system.c", "  return is_filled;", "  if (*bytes == 0) abort();\n  return is_filled;",
     "system.c", "a branch"),
    ("a branch on a file", "private_file.c", "    if (count == 0) break;", "    if (count == 0 || *bytes == 10) break;",
     "private_file.c", "a branch"),
    ("a secret for another library", "wipe.c", "  if (!OTP_IS_PLANTED(leaves_memory)) OPENSSL_cleanse(bytes, size);",
     "  OPENSSL_cleanse(bytes, size);\n  (void)OPENSSL_strnlen(bytes, size);", "wipe.c", "a pointer to secrets"),
    ("a size from a secret", "lanes/lanes.c", "memcpy(padded_key, secret, size);",
     "memcpy(padded_key, secret, size & *secret);", "lanes/lanes.c", "an address or a size"),
    ("a division in assembly", "wipe.c", "CRYPTO_memcmp(a, b, size) == 0",
     r"""({ uint64_t x = *(const uint8_t *)a; __asm__ volatile("test %0, %0\n\tdivq %%rcx" :: "r"(x) : "cc");
     CRYPTO_memcmp(a, b, size) == 0; })""", "wipe.c", "assembly"),
    ("an element at a secret index", "lanes/transforms.c", "otp_truncate(block, words * word)",
     """({ typedef uint32_t v4 __attribute__((vector_size(16))); v4 w; memcpy(&w, block, 16); w[block[19] & 3] = 7;
     w[0]; })""", "lanes/transforms.c", "an index"),
    ("a call of a secret function", "lanes/transforms.c", "otp_truncate(block, words * word)",
     """({ extern void f_a(void), f_b(void); uint64_t m = otp_value_barrier(0 - (uint64_t)(block[19] & 1));
     uintptr_t t = ((uintptr_t)f_a & m) | ((uintptr_t)f_b & ~m); ((void (*)(void))t)();
     otp_truncate(block, words * word); })""", "lanes/transforms.c", "a callee"),
    ("a variable of secret size", "lanes/transforms.c", "otp_truncate(block, words * word)",
     """({ volatile uint8_t room[block[19] + 1]; room[0] = 1; otp_truncate(block, words * word) + room[0]; })""",
     "lanes/transforms.c", "a size"),
    ("a minimum", "lanes/transforms.c", "otp_truncate(block, words * word)",
     "({ uint32_t v = otp_truncate(block, words * word); v < 1000000 ? v : 1000000; })", "lanes/transforms.c",
     "a choice"),
    ("a scalar that is not in the table", "wipe.c", "int otp_equal(",
     "unsigned otp_odd(unsigned code) { return code & 1 ? code / 3 : code; }\nint otp_equal(", "wipe.c",
     "not in the table"),
    ("a function that is not in the table", "wipe.c", "int otp_equal(",
     "int otp_same(const char *a, const char *b) { return *a == *b; }\nint otp_equal(", "wipe.c", "not in the table"),
]


def is_found(arguments, folder, file, old, new, compiled, wanted):
    copy = folder / "planted"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(SOURCES, copy)
    text = (copy / file).read_text(encoding="utf-8")
    if text.count(old) != 1:
        sys.exit(f"faults: {file} has not exactly one: {old}")
    (copy / file).write_text(text.replace(old, new), encoding="utf-8")
    flags = [word.replace(str(SOURCES), str(copy)) for word in without_output(arguments)]
    subprocess.run([*flags, "-S", "-emit-llvm", copy / compiled, "-o", folder / "planted.ll"], check=True)
    faults, missing, _ = analyze([File(str(folder / "planted.ll"))])
    return any(wanted in text for text in [*faults, *missing])


def main():
    arguments = next(iter(swiftpm_commands(sys.argv[1]).values()))
    folder = Path(sys.argv[2]).resolve()
    missed = [what for what, *fault in FAULTS if not is_found(arguments, folder, *fault)]
    report_faults(len(FAULTS), missed, "found")


if __name__ == "__main__":
    main()
