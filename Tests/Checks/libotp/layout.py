"""Prints a C program that prints the size and alignment of every structure of otp.h, its members' offsets and sizes,
and the value of every public constant: what a program compiled against this header relies on. layout.py OTP.H
"""

import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    header = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
print(f'#include <stddef.h>\n#include <stdio.h>\n#include "{sys.argv[1]}"\nint main(void) {{')


def show(form: str, *values: str) -> None:
    """A printf of sizes and numbers."""
    print(f'  printf("{form}", ' + ", ".join(f"(long long)({value})" for value in values) + ");")


for kind, body, name in re.findall(r"typedef (struct|enum) \w+ \{(.*?)\} (\w+);", header, re.S):
    if kind == "struct":
        show(f"{name} %lld, aligned to %lld:", f"sizeof({name})", f"_Alignof({name})")
        for member in re.findall(r"(\w+)(?:\[\w+\])?;", body):
            show(f" {member} %lld+%lld", f"offsetof({name}, {member})", f"sizeof((({name} *)0)->{member})")
    else:
        print(f'  printf("{name}:");')
        for constant in re.findall(r"OTP_\w+", body):
            show(f" {constant} %lld", constant)
    print('  printf("\\n");')
for constant in re.findall(r"#define (OTP_\w+) \d", header):
    show(f"{constant} %lld\\n", constant)
print("}")
