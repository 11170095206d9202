"""What otp.h declares, and what the languages share."""

import pathlib
import re
import sys
import textwrap

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
import header  # noqa: E402

DECLARATIONS = header.read()[1]
BY_NAME = {declared.name: declared for declared in DECLARATIONS if declared.name}
FUNCTIONS = [declared for declared in DECLARATIONS if declared.kind == "function"]
STRUCTURES = [declared for declared in DECLARATIONS if declared.kind == "struct"]
NUMBERS = {declared.name: declared.type for declared in DECLARATIONS if re.fullmatch(r"\d+u?", declared.type)}
VALUES = {each.name: each.type for declared in DECLARATIONS if declared.kind == "enum" for each in declared.fields}
#: What the names of an enumeration's members begin with.
PREFIXES = {"otp_status": "OTP_", "otp_hash": "OTP_", "otp_type": "OTP_", "otp_result": "OTP_",
            "otp_backend": "OTP_BACKEND_", "otp_answer_kind": "OTP_ANSWER_", "otp_reason": "OTP_REASON_",
            "otp_record_kind": "OTP_RECORD_", "otp_cause": "OTP_CAUSE_"}


def camel(name, initialisms=()):
    """otp_record_policy as RecordPolicy, OTP_INVALID_URI as InvalidUri or InvalidURI."""
    words = re.sub("^otp_", "", name, flags=re.I).upper().split("_")
    return "".join(word if word in initialisms else word.capitalize() for word in words)


def members(enumeration):
    """The names without their prefix, the numbers, and the comments."""
    for each in BY_NAME[enumeration].fields:
        yield each.name.removeprefix(PREFIXES[enumeration]), each.type, each.comment or f"`{each.name}`."


def comment(text, mark, indent=""):
    """Lines of comments."""
    return [indent + mark + line for line in textwrap.wrap(" ".join(text.split()), 112)]


def initial(structure):
    """By name, the members' values in each OTP_..._INIT of a structure."""
    for name, declared in BY_NAME.items():
        form = rf"\{{sizeof\({structure.name}\), (.*)\}}"
        if declared.kind == "constant" and (found := re.fullmatch(form, declared.type)):
            yield name.removeprefix(structure.name.upper() + "_"), found[1].split(", ")


def pointee(kind):
    """What a type points to: `otp_window` for `const otp_window *`."""
    return kind.removeprefix("const ").removesuffix("*").strip()
