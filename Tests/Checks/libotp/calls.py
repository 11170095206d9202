"""Prints calls.h: a valid call of every function of otp.h, the wrong values that its arguments can have,
and the numbers in its structures.

    calls.py OTP.H

Its arguments are variables of fixture.h, named as the parameters are, except for those of VALID. Outputs are call.h's,
and mistakes with memory arguments.c's.
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "LibOTP"))
import header  # noqa: E402

# Other arguments, of one function or of all.
VALID = {
    "count": "3",
    "flags": "0",
    "digits": "6",
    "look_ahead": "LOOK_AHEAD",
    "unix_time": "TIME",
    "now": "TIME",
    "until": "TIME",
    "counter": "STEP",
    "status": "OTP_OK",
    "kind": "OTP_ANSWER_ACCEPTED",
    "reason": "OTP_REASON_NONE",
    "cause": "OTP_CAUSE_WRONG",
    "backend": "OTP_BACKEND_STANDARD",
    "otp_hotp.counter": "STEP + WINDOW",
    "otp_totp.unix_time": "TIME + 30 * WINDOW",
    "otp_totp.params": "&standard_params",
    "otp_code_read_typed.text": "typed",
    "otp_code_read_typed.text_len": "typed_len",
    "otp_uri_parse.text": "uri_text",
    "otp_uri_parse.text_len": "sizeof uri_text - 1",
    "otp_verify_batch.count": "REQUESTS",
    "otp_keyring_create.count": "1",
    "otp_record_recovery_codes.count": "20",
    "otp_record_confirm.record": "pending.bytes",
    "otp_record_confirm.record_len": "pending.len",
    "otp_record_uri.record": "pending.bytes",
    "otp_record_uri.record_len": "pending.len",
    "otp_record_diagnose.record": "pending.bytes",
    "otp_record_diagnose.record_len": "pending.len",
    "otp_key_destroy.key": "seed_key()",
    "otp_keyring_destroy.keyring": "new_keyring()",
}

OUTPUTS = ("ROOM", "TOLD", "CODE", "MATCH", "ANSWER", "ERROR", "RESULT", "MADE_KEY", "MADE_KEYRING")
IMPOSSIBLE = ("SIZE_MAX / 512 + 1", "SIZE_MAX / 256", "SIZE_MAX / 2", "SIZE_MAX / 2 + 1", "SIZE_MAX - 1", "SIZE_MAX")
INVALID = "OTP_INVALID_ARGUMENT"
TIMES = (59, 946684799, 7258118400, 1700000000000, "INT64_MIN", "INT64_MAX")
# Wrong values of numbers, of a parameter or a member of all that have one of this name, or of one, with their status.
WRONG = {
    "digits": ("OTP_INVALID_DIGITS", 0, 5, 9, "UINT32_MAX"),
    "look_ahead": ("OTP_INVALID_LOOK_AHEAD", 1001, "UINT32_MAX"),
    "period": ("OTP_INVALID_PERIOD", 0, -1, "INT64_MIN"),
    "unix_time": ("OTP_TIME_BEFORE_T0", -1, "INT64_MIN"),
    "now": ("OTP_INVALID_TIME", *TIMES),
    "until": ("OTP_INVALID_TIME", *TIMES),
    "flags": (INVALID, *(1 << bit for bit in range(32))),
    "count": (INVALID, 0, 1, 4, "SIZE_MAX"),
    "behind": ("OTP_INVALID_WINDOW", 11, 1000, "UINT32_MAX"),
    "ahead": ("OTP_INVALID_WINDOW", 11, 1000, "UINT32_MAX"),
    "has_after": (INVALID, 2, -1, 256),
    "is_confirmed": (INVALID, 2, -1, 256),
    "otp_record_recovery_codes.count": (INVALID, 0, 21, "SIZE_MAX"),
    "otp_keyring_create.count": (INVALID, 0, 65, "SIZE_MAX"),
    "otp_verify_batch.count": (INVALID, *(f"({size}) / sizeof(otp_match) + 1" for size in IMPOSSIBLE)),
    "otp_record_policy.adjacent_steps": (INVALID, 11, "UINT32_MAX"),
    "otp_record_policy.drift_limit": (INVALID, 11, "UINT32_MAX"),
    "otp_record_policy.resynchronization_steps": (INVALID, 1501, "UINT32_MAX"),
    "otp_record_policy.look_ahead": (INVALID, 1001, "UINT32_MAX"),
    "otp_record_policy.resynchronization_look_ahead": (INVALID, 1001, "UINT32_MAX"),
    "otp_record_policy.failures_until_lock": (INVALID, 0, 101, "UINT32_MAX"),
    "otp_record_policy.lock_seconds": (INVALID, -1, "INT64_C(4294967297)"),
    "otp_record_policy.first_delayed_failure": (INVALID, 0),
    "otp_record_policy.initial_delay_seconds": (INVALID, -1, "INT64_C(4294967297)"),
    # The request that is tried is TOTP's.
    "otp_request.digits": (INVALID,),
    "otp_request.look_ahead": (INVALID,),
}
ALLOWED_FLAGS = {"otp_base32_encode": {1}, "otp_base32_decode": {2}, "otp_uri_build": {1}, "otp_uri_parse": {2, 4, 8}}
# The status if a text or memory is empty (if it is not listed here, it may be); and if it is too long.
EMPTY = {
    "secret": "OTP_EMPTY_SECRET",
    "otp_key_create_base32.text": "OTP_EMPTY_SECRET",
    "otp_code_read_typed.text": "OTP_MALFORMED_CODE",
    "otp_uri_parse.text": "OTP_INVALID_SCHEME",
    "subject": "OTP_INVALID_SUBJECT",
    "record": "OTP_MALFORMED_RECORD",
    "otp_record_uri.account": "OTP_INVALID_NAME",
    "otp_uri.account": "OTP_INVALID_ACCOUNT",
    "name": "OTP_INVALID_KEY_NAME",
    "otp_named_key.key": "OTP_INVALID_KEY",
}
LONG = {
    "subject": ("OTP_INVALID_SUBJECT", 1025),
    "otp_enrollment.secret": ("OTP_INVALID_SECRET", 1025),
    "name": ("OTP_INVALID_KEY_NAME", 33),
    "otp_named_key.key": ("OTP_INVALID_KEY", 31, 33),
}
OPTIONAL = {"params", "window", "policy", "enrollment", "error"}
IGNORED = {"otp_uri.label_issuer", "otp_uri.label_issuer_len"}

DECLARATIONS = {each.name: each for each in header.read(sys.argv[1])[1]}
# Further valid calls.
FURTHER = [
    (DECLARATIONS["otp_key_create"], {"secret_len": "200"}),
    (DECLARATIONS["otp_record_verify"], {"record": "counted.bytes", "record_len": "counted.len"}),
    (DECLARATIONS["otp_record_resynchronize"], {"record": "counted.bytes", "record_len": "counted.len"}),
]


def of(table, owner, name, default=None):
    """What a table says of one function's parameter or one structure's member, or of all of this name."""
    return table.get(f"{owner}.{name}", table.get(name, default))


def base(kind):
    """The type that a pointer's type points to, as a declaration of the header."""
    return DECLARATIONS.get(re.sub(r"const |[ *]", "", kind))


def kind_of(parameters, place):
    """What a parameter is, for call.h; and its partner: memory's length, or a length's memory."""
    each = parameters[place]
    following = parameters[place + 1].type if place + 1 < len(parameters) else ""
    declared = base(each.type)
    if each.length:
        return "CODE", place
    if each.type.endswith("**"):
        return ("MADE_KEY" if "otp_key " in each.type else "MADE_KEYRING"), place
    if each.type == "const char *const *":
        return "TEXTS", place + 1
    if each.type == "size_t *":
        return "TOLD", place - 1
    if each.type.endswith("*") and declared:
        if declared.kind == "opaque":
            return ("OBJECT" if each.type.startswith("const") else "DESTROYED"), place
        if each.type.startswith("const"):
            return "STRUCTURE", place + 1 if following == "size_t" else place
        return {"otp_match": "MATCH", "otp_answer": "ANSWER", "otp_error_info": "ERROR"}.get(
            declared.name, "RESULT"), place
    if each.type.endswith("*"):
        if not each.type.startswith("const"):
            return "ROOM", place + 1
        return ("BYTES", place + 1) if following == "size_t" else ("PATH", place)
    if each.name.endswith("_len") or each.name == "len":
        return "LENGTH", place - 1
    return ("ENUMERATOR" if declared else "NUMBER"), place


def wrong_values(owner, each, fields):
    """The wrong values of a parameter or a member, each with its status."""
    memory = next((other for other in fields if each.name in (f"{other.name}_len", "len") and "*" in other.type), None)
    if f"{owner}.{each.name}" in IGNORED:
        return
    if each.type.endswith("*"):
        may_be_null = each.name in OPTIONAL or owner in ("otp_key_destroy", "otp_keyring_destroy")
        yield "OTP_OK" if may_be_null else INVALID, 0
    elif each.type == "size_t" and memory:
        yield from ((INVALID, value) for value in IMPOSSIBLE)
        yield of(EMPTY, owner, memory.name, "OTP_OK"), 0
        status, *lengths = of(LONG, owner, memory.name, (INVALID,))
        yield from ((status, value) for value in lengths)
    elif base(each.type):
        known = {int(value.type) for value in base(each.type).fields}
        if f"{each.type}_string" not in DECLARATIONS:
            yield from ((INVALID, value) for value in (0, max(known) + 1, 255, -1) if value not in known)
    else:
        status, *values = of(WRONG, owner, each.name, (INVALID,))
        allowed = ALLOWED_FLAGS.get(owner, set()) if each.name == "flags" else set()
        yield from ((status, value) for value in values if value not in allowed)


def caller(function):
    """The body of a C function that makes a call with an array of arguments, and returns its status."""
    arguments = ", ".join(f"({each.type}{' *' if each.length else ''})a[{place}]"
                          for place, each in enumerate(function.fields))
    call = f"{function.name}({arguments})"
    if function.type == "void":
        return f"{call};\n  return OTP_OK"
    if function.type == "const char *":
        return f"return {call} != NULL ? OTP_OK : {INVALID}"
    # It fails, since the library was in use before.
    if function.name == "otp_keep_libcrypto_at_exit":
        return f"return {call} == OTP_CRYPTOGRAPHY_FAILED ? OTP_OK : {call}"
    # Nothing is created: the file is there.
    if function.name == "otp_keyring_create_file":
        return f"const otp_status status = {call};\n  return status == OTP_KEYRING_EXISTS ? OTP_OK : status"
    return f"return {call}"


def inputs(function, kinds, changed):
    """The assignments that set a valid call's inputs."""
    for place, (each, (kind, partner)) in enumerate(zip(function.fields, kinds)):
        if kind == "LENGTH" and kinds[partner][0] == "ROOM":
            yield f"a[{place}] = ROOM_BYTES"
        elif kind not in OUTPUTS:
            yield f"a[{place}] = (word)({changed.get(each.name) or of(VALID, function.name, each.name, each.name)})"


def mistakes_of(function, kinds):
    """The wrong values of a function's parameters and of the members of its structures, as rows of call.h's table."""
    for place, (each, (kind, partner)) in enumerate(zip(function.fields, kinds)):
        if kind in OUTPUTS:
            yield place, "0, 0", INVALID if each.name not in OPTIONAL else "OTP_OK", 0
            continue
        for status, value in wrong_values(function.name, each, function.fields):
            # No room at all.
            if kind == "LENGTH" and kinds[partner][0] == "ROOM" and value == 0:
                status = "OTP_OUTPUT_TOO_SHORT" if each.name == "memory_len" else INVALID
            yield place, "0, 0", status, value
        if kind == "STRUCTURE":
            structure = base(each.type)
            for member in structure.fields[1:]:
                spot = f"offsetof({structure.name}, {member.name}), sizeof((({structure.name} *)0)->{member.name})"
                for status, value in wrong_values(structure.name, member, structure.fields):
                    yield place, spot, status, value


def parameter(each, kind, partner):
    """A row of a call's parameters."""
    structure = base(each.type)
    size = f"sizeof({structure.name})" if "*" in each.type and structure and structure.fields else each.length or 1
    return f"{{{kind}, {size}, {partner}}}"


def main():
    """Print the header."""
    functions = [each for each in DECLARATIONS.values() if each.kind == "function"]
    calls, mistakes, numbers = [], [], []
    print("// Made of otp.h by calls.py.")
    for number, (function, changed) in enumerate([(each, {}) for each in functions] + FURTHER):
        kinds = [kind_of(function.fields, place) for place in range(len(function.fields))]
        if function.name.endswith("_init"):
            kinds = [("RESULT", 0)]
        set_inputs = "".join(f"  {each};\n" for each in inputs(function, kinds, changed))
        print(f"static otp_status make_{number}(const word *a) {{\n  (void)a;\n  {caller(function)};\n}}")
        print(f"static void set_{number}(word *a) {{\n  (void)a;\n{set_inputs}}}")
        needs_key = any(kind in ("OBJECT", "DESTROYED", "TEXTS") or each.name in ("requests", "code", "text")
                        for (kind, _), each in zip(kinds, function.fields))
        listed = ", ".join(parameter(each, *kind) for each, kind in zip(function.fields, kinds))
        calls.append(f'"{function.name}", make_{number}, set_{number}, {int(needs_key)}, {len(kinds)}, '
                     f"{{{listed or '{NUMBER, 0, 0}'}}}")
        if not changed:
            mistakes += [f"{number}, {place}, {spot}, (word){value}, {status}"
                         for place, spot, status, value in mistakes_of(function, kinds)]
            numbers += [f"{number}, {place}, offsetof({structure.name}, {each.name}), sizeof({each.type}), 0, OTP_OK"
                        for place, (kind, _) in enumerate(kinds) if kind == "STRUCTURE"
                        for structure in [base(function.fields[place].type)]
                        for each in structure.fields[1:] if "*" not in each.type and not each.name.endswith("_len")]
    statuses = [each.name for each in DECLARATIONS["otp_status"].fields]
    for name, rows in ("call calls", calls), ("mistake mistakes", mistakes), ("mistake numbers", numbers):
        print(f"static const {name}[] = {{\n" + "".join(f"    {{{row}}},\n" for row in rows) + "};")
    print(f"static const otp_status statuses[] = {{{', '.join(statuses)}}};")


main()
