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
ENUMERATIONS = {
    "otp_status": (otp.Status, "OTP_"), "otp_hash": (otp.Hash, "OTP_"), "otp_type": (otp.KeyType, "OTP_"),
    "otp_result": (otp.Result, "OTP_"), "otp_answer_kind": (otp_record.AnswerKind, "OTP_ANSWER_"),
    "otp_reason": (otp_record.Reason, "OTP_REASON_"), "otp_record_kind": (otp_record.Kind, "OTP_RECORD_"),
}
NUMBERS = {
    "OTP_URI_MAX": otp._URI_MAX, "OTP_URI_MEMORY": otp._URI_MEMORY,
    "OTP_BASE32_PADDING": otp._BASE32_PADDING, "OTP_BASE32_STRICT": otp._BASE32_STRICT,
    "OTP_URI_WRITE_DEFAULTS": otp._URI_WRITE_DEFAULTS, "OTP_URI_PLUS_IS_SPACE": otp._URI_PLUS_IS_SPACE,
    "OTP_URI_MISSING_COUNTER_IS_ZERO": otp._URI_MISSING_COUNTER_IS_ZERO,
    "OTP_URI_STRICT_BASE32": otp._URI_STRICT_BASE32,
    "OTP_RECORD_MAX": otp_record._RECORD_MAX, "OTP_RECOVERY_CODE_LENGTH": otp_record._RECOVERY_CODE_LENGTH,
}

work = sys.argv[1]
header = os.path.join(os.path.dirname(os.path.realpath(os.environ["OTP_LIBRARY"])), "otp.h")
expected = {name: str(value) for name, value in NUMBERS.items()}
for name, structure in STRUCTURES.items():
    members = [f"{part} {getattr(structure, part).offset}+{ctypes.sizeof(kind)}" for part, kind in structure._fields_]
    expected[name] = f"{ctypes.sizeof(structure)}, aligned to {ctypes.alignment(structure)}: {' '.join(members)}"
for name, (kind, prefix) in ENUMERATIONS.items():
    expected[f"{name}:"] = " ".join(f"{prefix}{item.name} {item.value}" for item in kind)
source = subprocess.run([sys.executable, "../libotp/layout.py", header], check=True, capture_output=True).stdout
subprocess.run(["clang", "-x", "c", "-", "-o", f"{work}/layout"], input=source, check=True)
output = subprocess.run([f"{work}/layout"], check=True, capture_output=True, text=True).stdout
found = dict(line.split(" ", 1) for line in output.splitlines())
count = 0
for name, text in expected.items():
    require(sorted(found[name].split()) == sorted(text.split()) if name.endswith(":") else found[name] == text,
            f"{name} is\n{found[name]} in otp.h, and in the modules\n{text}")
    count += len(text.split()) // 2 if name in STRUCTURES or name.endswith(":") else 1
# The policies' numbers, too.
with open(header, encoding="utf-8") as file:
    text = file.read()
for name, policy in ("INIT", otp_record.Policy()), ("STRICT_INIT", otp_record.Policy.STRICT):
    values = text[text.index(f"#define OTP_RECORD_POLICY_{name} {{sizeof(otp_record_policy), "):].split("\n")[0]
    in_header = [int(number) for number in values.split(", ", 1)[1].rstrip("}").split(", ")]
    in_module = [getattr(policy, field) for field, _ in otp_record._Policy._fields_[1:]]
    require(in_header == in_module, f"the policy {name} is {in_header} in otp.h and {in_module} in otp_record.py")
print(f"{count} sizes, offsets and numbers match the header")
