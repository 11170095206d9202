"""The ctypes structures and the enumerations match otp.h: a C program prints every size, offset and number."""

import ctypes
import pathlib
import re
import subprocess
import tempfile

import otp
from otp import _structures as c
from support import ROOT, Case, in_repository

STRUCTURES = {
    "otp_totp_params": c.TOTPParams, "otp_window": c.Window, "otp_match": c.Match, "otp_request": c.Request,
    "otp_error_info": c.ErrorInfo, "otp_uri": c.URI, "otp_library_info": c.LibraryInfo, "otp_named_key": c.NamedKey,
    "otp_record_policy": c.Policy, "otp_answer": c.Answer, "otp_enrollment": c.Enrollment,
    "otp_diagnosis": c.Diagnosis, "otp_record_details": c.RecordDetails,
}
#: Each enumeration of the header, with what its members' names have before the names here.
ENUMERATIONS = {
    "otp_status": (otp.Status, ""), "otp_hash": (otp.Hash, ""), "otp_type": (otp.KeyType, ""),
    "otp_result": (otp.Result, ""), "otp_answer_kind": (otp.AnswerKind, "ANSWER_"),
    "otp_reason": (otp.Reason, "REASON_"), "otp_record_kind": (otp.RecordKind, "RECORD_"),
}
CONSTANTS = ["URI_MAX", "URI_MEMORY", "BASE32_PADDING", "BASE32_STRICT", "URI_WRITE_DEFAULTS", "URI_PLUS_IS_SPACE",
             "URI_MISSING_COUNTER_IS_ZERO", "URI_STRICT_BASE32", "RECORD_MAX", "RECOVERY_CODE_LENGTH"]


@in_repository
class Layout(Case):
    def setUp(self):
        self.header = ROOT / "Sources/COTP/otp.h"
        self.text = self.header.read_text(encoding="utf-8")

    def test_every_size_offset_and_number(self):
        expected, lines = {}, []

        def expect(name, numbers, *values):
            expected[name] = numbers
            lines.append(f'printf("{name} %zu %zu\\n", {", ".join(f"(size_t)({value})" for value in values)});')

        for name, structure in STRUCTURES.items():
            expect(name, (ctypes.sizeof(structure), 0), f"sizeof({name})", "0")
            for field, kind in c.Sized._fields_ + structure._fields_:
                expect(f"{name}.{field}", (ctypes.sizeof(kind), getattr(structure, field).offset),
                       f"sizeof((({name} *)0)->{field})", f"offsetof({name}, {field})")
        for name in CONSTANTS:
            expect(name, (getattr(c, name), 0), f"OTP_{name}", "0")
        for kinds, prefix in ENUMERATIONS.values():
            for item in kinds:
                expect(f"{prefix}{item.name}", (item.value, 0), f"OTP_{prefix}{item.name}", "0")
        with tempfile.TemporaryDirectory() as folder:
            source, program = pathlib.Path(folder, "layout.c"), pathlib.Path(folder, "layout")
            source.write_text(f'#include "{self.header}"\n#include <stddef.h>\n#include <stdio.h>\nint main(void) {{\n'
                              + "\n".join(lines) + "\nreturn 0;\n}\n", encoding="ascii")
            subprocess.run(["cc", "-o", program, source], check=True)
            output = subprocess.run([program], check=True, capture_output=True, text=True).stdout
        found = {name: (int(first), int(second)) for name, first, second in map(str.split, output.splitlines())}
        self.assertEqual(found, expected)

    def test_no_member_of_an_enumeration_is_missing(self):
        for name, (kinds, prefix) in ENUMERATIONS.items():
            members = self.text[self.text.index(f"typedef enum {name} {{"):self.text.index(f"}} {name};")]
            in_header = set(re.findall(r"\b(OTP_\w+) = ", members))
            self.assertEqual(in_header, {f"OTP_{prefix}{item.name}" for item in kinds}, name)

    def test_the_policies(self):
        for name, policy in ("INIT", otp.Policy()), ("STRICT_INIT", otp.Policy.STRICT):
            values = self.text.split(f"#define OTP_RECORD_POLICY_{name} {{sizeof(otp_record_policy), ")[1].split("}")[0]
            self.assertEqual([int(number) for number in values.split(", ")],
                             [getattr(policy, field[0]) for field in c.Policy._fields_], name)
