"""Prints calls.h: a valid call of every function of otp.h, and the wrong values that its arguments can have.

    calls.py OTP.H

Its arguments are variables of fixture.h, named as the parameters are, except for those of VALID. Outputs, and mistakes
with memory, are call.h's and arguments.c's.
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "Scripts"))
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
# Further valid calls.
FURTHER = [
    ("otp_key_create", {"secret_len": "200"}),
    ("otp_record_verify", {"record": "counted.bytes", "record_len": "counted.len"}),
    ("otp_record_resynchronize", {"record": "counted.bytes", "record_len": "counted.len"}),
]

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
    "otp_record_policy.adjacent_intervals": (INVALID, 11, "UINT32_MAX"),
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
# The status if a text or memory is empty, which is no mistake if there is none here; and if it is too long.
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


def wrong_values(owner, each, fields, is_output=False):
    """The wrong values of a parameter or a member, as `status, value`."""
    pointer = next((other for other in fields if each.name in (f"{other.name}_len", "len") and "*" in other.type), None)
    if f"{owner}.{each.name}" in IGNORED or is_output:
        return
    if each.type.endswith("*") and each.name != "path" and each.name in OPTIONAL:
        yield "OTP_OK", "0"
    elif each.type.endswith("*"):
        may_be_empty = owner in ("otp_key_destroy", "otp_keyring_destroy")
        yield "OTP_OK" if may_be_empty else INVALID, "0"
    elif each.type == "size_t" and pointer:
        yield from ((INVALID, value) for value in IMPOSSIBLE)
        yield of(EMPTY, owner, pointer.name, "OTP_OK"), "0"
        status, *lengths = of(LONG, owner, pointer.name, (INVALID,))
        yield from ((status, value) for value in lengths)
    elif base(each.type):
        known = {int(value.type) for value in base(each.type).fields}
        if owner != "otp_status_string":
            yield from ((INVALID, value) for value in (0, max(known) + 1, 255, -1) if value not in known)
    else:
        status, *values = of(WRONG, owner, each.name, (INVALID,))
        allowed = ALLOWED_FLAGS.get(owner, set())
        yield from ((status, value) for value in values if each.name != "flags" or value not in allowed)


functions = [each for each in DECLARATIONS.values() if each.kind == "function"]
calls = [(each, {}) for each in functions] + [(DECLARATIONS[name], changed) for name, changed in FURTHER]
mistakes = []
print("// Made of otp.h by calls.py.")
for number, (function, changed) in enumerate(calls):
    fields = function.fields
    kinds = [kind_of(fields, place) for place in range(len(fields))]
    print(f"static otp_status make_{number}(const word *a) {{")
    arguments = ", ".join(f"({each.type}{' *' if each.length else ''})a[{place}]" for place, each in enumerate(fields))
    call = f"{function.name}({arguments})"
    # The library has been in use before.
    returned = {"void": f"({call}, OTP_OK)", "const char *": f"{call} != NULL ? OTP_OK : OTP_INVALID_ARGUMENT"}
    last = f"{call} == OTP_INVALID_ARGUMENT ? OTP_INVALID_ARGUMENT : OTP_OK"
    print(f"  (void)a;\n  return {last if 'at_exit' in function.name else returned.get(function.type, call)};\n}}")
    print(f"static void set_{number}(word *a) {{\n  (void)a;")
    for place, each in enumerate(fields):
        kind, partner = kinds[place]
        if kind == "LENGTH" and kinds[partner][0] == "ROOM":
            print(f"  a[{place}] = ROOM_BYTES;")
        elif kind in ("BYTES", "LENGTH", "NUMBER", "ENUMERATOR", "STRUCTURE", "OBJECT", "DESTROYED", "TEXTS", "PATH"):
            print(f"  a[{place}] = (word)({changed.get(each.name) or of(VALID, function.name, each.name, each.name)});")
    print("}")
    if changed:
        continue
    for place, each in enumerate(fields):
        is_output = kinds[place][0] in ("CODE", "TOLD", "ROOM") or kinds[place][0].startswith("MADE")
        of_memory = kinds[place][0] == "LENGTH" and kinds[kinds[place][1]][0] == "ROOM"
        for status, value in [(INVALID, "0")] if is_output else wrong_values(function.name, each, fields):
            if of_memory and value == "0":
                status = "OTP_OUTPUT_TOO_SHORT" if each.name == "memory_len" else INVALID
            mistakes.append(f"{{{number}, {place}, 0, 0, (word){value}, {status}}}")
        if kinds[place][0] == "STRUCTURE":
            structure = base(each.type)
            for member in structure.fields[1:]:
                spot = f"offsetof({structure.name}, {member.name}), sizeof((({structure.name} *)0)->{member.name})"
                mistakes += [f"{{{number}, {place}, {spot}, (word){value}, {status}}}"
                             for status, value in wrong_values(structure.name, member, structure.fields)]
print("static const call calls[] = {")
for number, (function, changed) in enumerate(calls):
    kinds = [kind_of(function.fields, place) for place in range(len(function.fields))]
    needs = any(kind in ("OBJECT", "DESTROYED", "TEXTS") or each.name in ("requests", "code", "text")
                for (kind, _), each in zip(kinds, function.fields))
    listed = ", ".join(
        f"{{{kind}, {f'sizeof({base(each.type).name})' if '*' in each.type and base(each.type) and base(each.type).fields else each.length or 1}, {partner}}}"
        for (kind, partner), each in zip(kinds, function.fields))
    print(f'    {{"{function.name}", make_{number}, set_{number}, {int(needs)}, {len(kinds)}, {{{listed or "{NUMBER, 0, 0}"}}}}},')
print("};\nstatic const mistake mistakes[] = {")
print("".join(f"    {each},\n" for each in mistakes) + "};")
statuses = ", ".join(each.name for each in DECLARATIONS["otp_status"].fields)
print(f"static const otp_status statuses[] = {{{statuses}}};")
