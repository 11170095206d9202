"""Go: errors and enumerations. cgo reads the rest from the header."""

from generator.common import BY_NAME, PREFIXES, camel, comment, members

TYPES = {"otp_hash": ("Hash", ""), "otp_result": ("Result", ""), "otp_answer_kind": ("AnswerKind", "Answer"),
         "otp_reason": ("Reason", "Reason"), "otp_record_kind": ("RecordKind", "Record"),
         "otp_cause": ("Cause", "Cause")}
INITIALISMS = {"HOTP", "SHA1", "SHA256", "SHA512", "T0", "TOTP", "URI", "UTF8"}


def lines():
    """The lines of otp_header.go."""
    yield from ("package otp", "", "// Written by LibOTP/bindings/generate.py from otp.h.", "", "// #include <otp.h>",
                'import "C"', "", "const (")
    for member, _, text in list(members("otp_status"))[1:]:
        yield from ("", *comment(text, "// ", "\t"), f"\tErr{camel(member, INITIALISMS)} Error = C.OTP_{member}")
    yield ")"
    for name, (own, prefix) in TYPES.items():
        article = "An" if own[0] in "AEIOU" else "A"
        text = f"{article} {own}: {BY_NAME[name].comment}"
        yield from ("", *comment(text, "// "), f"type {own} uint32", "", "const (")
        for member, _, text in members(name):
            constant = PREFIXES[name] + member
            yield from ("", *comment(text, "// ", "\t"))
            yield f"\t{prefix}{camel(member, INITIALISMS)} {own} = C.{constant}"
        yield from (")", "", f"// String returns the {own}'s name.", f"func (value {own}) String() string {{")
        if f"{name}_string" in BY_NAME:
            yield from (f"\treturn C.GoString(C.{name}_string(C.{name}(value)))", "}")
            continue
        yield "\tswitch value {"
        for member, _, _ in members(name):
            shown = member if member in INITIALISMS else member.replace("_", " ").lower()
            yield from (f"\tcase {prefix}{camel(member, INITIALISMS)}:", f'\t\treturn "{shown}"')
        yield from ("\t}", "\treturn unknown(uint32(value))", "}")
