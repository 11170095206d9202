"""The ctypes structures and enumerations match otp.h: a C program prints every size, offset and number."""

import ctypes
import os
import subprocess
import sys

import otp
import otp_record
from expect import require

STRUCTURES = {
    "otp_totp_params": otp._TOTPParams, "otp_window": otp._Window, "otp_match": otp._Match, "otp_request": otp._Request,
    "otp_error_info": otp._ErrorInfo, "otp_uri": otp._URI, "otp_library_info": otp._LibraryInfo,
    "otp_named_key": otp_record._NamedKey, "otp_record_policy": otp_record._Policy, "otp_answer": otp_record._Answer,
    "otp_enrollment": otp_record._Enrollment, "otp_diagnosis": otp_record._Diagnosis,
    "otp_record_details": otp_record._Details,
}
NUMBERS = {
    **{f"OTP_{status.name}": status.value for status in otp.Status},
    **{f"OTP_{kind.name}": kind.value for kinds in (otp.Hash, otp.KeyType, otp.Result) for kind in kinds},
    "OTP_URI_MAX": otp._URI_MAX, "OTP_URI_MEMORY": otp._URI_MEMORY,
    "OTP_BASE32_PADDING": otp._BASE32_PADDING, "OTP_BASE32_STRICT": otp._BASE32_STRICT,
    "OTP_URI_WRITE_DEFAULTS": otp._URI_WRITE_DEFAULTS, "OTP_URI_PLUS_IS_SPACE": otp._URI_PLUS_IS_SPACE,
    "OTP_URI_MISSING_COUNTER_IS_ZERO": otp._URI_MISSING_COUNTER_IS_ZERO,
    "OTP_URI_STRICT_BASE32": otp._URI_STRICT_BASE32,
    **{f"OTP_{prefix}_{item.name}": item.value
       for prefix, items in (("ANSWER", otp_record.AnswerKind), ("REASON", otp_record.Reason),
                             ("RECORD", otp_record.Kind)) for item in items},
    "OTP_RECORD_MAX": otp_record._RECORD_MAX, "OTP_RECOVERY_CODE_LENGTH": otp_record._RECOVERY_CODE_LENGTH,
}

work = sys.argv[1]
header = os.path.join(os.path.dirname(os.path.realpath(os.environ["OTP_LIBRARY"])), "otp.h")
expected, lines = {}, []
for name, structure in STRUCTURES.items():
    expected[name] = (ctypes.sizeof(structure), 0)
    lines.append(f'printf("{name} %zu 0\\n", sizeof({name}));')
    for field, kind in structure._fields_:
        expected[f"{name}.{field}"] = (ctypes.sizeof(kind), getattr(structure, field).offset)
        lines.append(f'printf("{name}.{field} %zu %zu\\n", sizeof((({name} *)0)->{field}), offsetof({name}, {field}));')
for name, value in NUMBERS.items():
    expected[name] = (value, 0)
    lines.append(f'printf("{name} %zu 0\\n", (size_t){name});')
source, program = os.path.join(work, "layout.c"), os.path.join(work, "layout")
with open(source, "w", encoding="ascii") as file:
    file.write(f'#include "{header}"\n#include <stdio.h>\nint main(void) {{\n' + "\n".join(lines) + "\nreturn 0;\n}\n")
subprocess.run(["clang", "-o", program, source], check=True)
output = subprocess.run([program], check=True, capture_output=True, text=True).stdout

found = {name: (int(first), int(second)) for name, first, second in map(str.split, output.splitlines())}
for name in expected:
    require(found[name] == expected[name], f"{name} is {found[name]} in otp.h and {expected[name]} in otp.py")
# And the reverse: no enumeration has a member that its module lacks.
with open(header, encoding="utf-8") as file:
    text = file.read()
for name, kind, prefix in (("otp_status", otp.Status, ""), ("otp_answer_kind", otp_record.AnswerKind, "ANSWER_"),
                           ("otp_reason", otp_record.Reason, "REASON_"),
                           ("otp_record_kind", otp_record.Kind, "RECORD_")):
    members = text[text.index(f"typedef enum {name} {{"):text.index(f"}} {name};")]
    in_header = {line.split()[0] for line in members.splitlines() if line.strip().startswith("OTP_")}
    require(in_header == {f"OTP_{prefix}{item.name}" for item in kind}, f"{kind.__name__} differs from otp.h's {name}")
# The policies' numbers, too.
for name, policy in ("INIT", otp_record.Policy()), ("STRICT_INIT", otp_record.Policy.STRICT):
    values = text[text.index(f"#define OTP_RECORD_POLICY_{name} {{sizeof(otp_record_policy), "):].split("\n")[0]
    in_header = [int(number) for number in values.split(", ", 1)[1].rstrip("}").split(", ")]
    in_module = [getattr(policy, field) for field, _ in otp_record._Policy._fields_[1:]]
    require(in_header == in_module, f"the policy {name} is {in_header} in otp.h and {in_module} in otp_record.py")
print(f"{len(expected)} sizes, offsets and numbers match the header")
