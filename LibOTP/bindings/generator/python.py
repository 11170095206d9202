"""Python: classes of ctypes and of enum, and the argument types of the functions."""

from generator.common import BY_NAME, FUNCTIONS, NUMBERS, STRUCTURES, VALUES, camel, comment, \
    initial, members, pointee

CLASSES = {"otp_status": "Status", "otp_hash": "Hash", "otp_type": "KeyType", "otp_result": "Result",
           "otp_answer_kind": "AnswerKind", "otp_reason": "Reason", "otp_record_kind": "RecordKind",
           "otp_cause": "Cause"}
#: The members of these may contain a NUL, at which c_char_p would stop.
WITH_NUL = {"otp_uri"}


def ctypes_of(kind, length="", structure=""):
    """The type of a parameter or of a structure's member."""
    if length and kind == "char" and structure:
        return f"c_char * {length}"
    if kind in ("const char *", "const uint8_t *", "const void *"):
        return "c_void_p" if structure in WITH_NUL else "c_char_p"
    if kind == "const char *const *":
        return "POINTER(c_char_p)"
    if kind.endswith("**"):
        return "POINTER(c_void_p)"
    if kind.endswith("*") or length:
        name = pointee(kind)
        if name == "size_t" or name in BY_NAME and BY_NAME[name].kind == "struct":
            return f"POINTER({ctypes_of(name)})"
        return "c_void_p"
    if kind in BY_NAME:
        return camel(kind) if BY_NAME[kind].kind == "struct" else "c_int"
    return "c_" + {"unsigned": "uint"}.get(kind, kind.removesuffix("_t") if kind != "size_t" else kind)


def policy(structure):
    """The policy as a value of Python."""
    values = dict(initial(structure))
    yield from ("", "", "@dataclass(frozen=True)", "class Policy:", f'    """{structure.comment}"""', "",
                *comment(BY_NAME["OTP_RECORD_POLICY_STRICT_INIT"].comment, "#: ", "    "),
                "    STRICT: ClassVar[Policy]")
    for each, value in zip(structure.fields[1:], values["INIT"]):
        yield from (*comment(each.comment, "#: ", "    "), f"    {each.name}: int = {value}")
    yield from ("", "", f"Policy.STRICT = Policy({', '.join(values['STRICT_INIT'])})")


def lines():
    """The lines of _header.py."""
    yield from ('"""What otp.h declares. Written by LibOTP/bindings/generate.py."""', "",
                "from __future__ import annotations", "", "import enum",
                "from ctypes import POINTER, c_char, c_char_p, c_int, c_int64, c_size_t, c_uint, c_uint32, \\",
                "    c_uint64, c_void_p", "", "from otp._structures import Lenient, Structure",
                "from otp._values import dataclass", "", "TYPE_CHECKING = False", "if TYPE_CHECKING:",
                "    from typing import Any, ClassVar", "")
    yield from (f"{name.removeprefix('OTP_')} = {value.rstrip('u')}" for name, value in NUMBERS.items())
    for name, own in CLASSES.items():
        # Of these, a later library may answer others, which are taken for the first.
        base = "Lenient" if name in ("otp_result", "otp_answer_kind", "otp_reason", "otp_cause") else "enum.IntEnum"
        yield from ("", "", f"class {own}({base}):", f'    """{BY_NAME[name].comment.splitlines()[0]}"""', "")
        for member, number, text in members(name):
            yield from (*comment(text, "#: ", "    "), f"    {member} = {number}")
    for structure in STRUCTURES:
        yield from ("", "", f"class {camel(structure.name)}(Structure):", "    _fields_ = [")
        yield from (f'        ("{each.name}", {ctypes_of(each.type, each.length, structure.name)}),'
                    for each in structure.fields[1:])
        yield "    ]"
        for name, values in initial(structure):
            shown = (VALUES.get(value, {"NULL": "None", "SIZE_MAX": "c_size_t(-1).value"}.get(value, value))
                     for value in values)
            yield f"    {name} = ({', '.join(shown)})"
    yield from policy(BY_NAME["otp_record_policy"])
    yield from ("", "", "#: Results and arguments.", "FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {")
    for function in FUNCTIONS:
        result = {"void": "None", "otp_status": "c_int"}.get(function.type, "c_char_p")
        arguments = ", ".join(ctypes_of(each.type, each.length) for each in function.fields)
        yield f'    "{function.name}": ({result}, [{arguments}]),'
    yield "}"
