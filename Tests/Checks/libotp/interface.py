"""Prints a C program that prints what a program compiled against otp.h relies on: each function's prototype, after the
version that had it first; the size and alignment of every structure, its members' offsets and sizes; and the value of
every constant.

    interface.py OTP.H RECORD      the record of an earlier version, from which the functions' versions are taken
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "LibOTP"))
import header  # noqa: E402


def show(form, *values):
    """A printf of sizes and numbers."""
    print("  printf(" + ", ".join([f'"{form}"', *(f"(long long)({value})" for value in values)]) + ");")


path, record = sys.argv[1:]
declarations = header.read(path)[1]
since = {line.partition(" ")[2]: line.partition(" ")[0] for line in Path(record).read_text().splitlines()}
version = next(each.type.strip('"') for each in declarations if each.name == "OTP_VERSION")
print(f'#include <stddef.h>\n#include <stdio.h>\n#include "{path}"\nint main(void) {{')
for each in declarations:
    if each.kind == "function":
        prototype = header.prototype(each)
        print(f'  puts("{since.get(prototype, version)} {prototype}");')
    elif each.kind == "struct":
        show(f"{each.name} %lld, aligned to %lld:", f"sizeof({each.name})", f"_Alignof({each.name})")
        for member in each.fields:
            size = f"sizeof((({each.name} *)0)->{member.name})"
            show(f" {member.name} %lld+%lld", f"offsetof({each.name}, {member.name})", size)
        show("\\n")
    elif each.kind == "enum":
        show(f"{each.name}:" + "".join(f" {constant.name} %lld" for constant in each.fields) + "\\n",
             *(constant.name for constant in each.fields))
    elif each.kind == "constant" and each.type[0].isdigit():
        show(f"{each.name} %lld\\n", each.name)
print("}")
