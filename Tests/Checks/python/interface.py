"""What the module adds to libotp: argument checks, redaction, and closing keys while other threads use them."""

import copy
import pickle
import sys

import expect
import otp
from expect import check, refused

SECRET = b"12345678901234567890"
key = otp.Key(SECRET)

# Numbers that do not fit into C's types must not wrap: 2^32 + 6 is not six digits, and 2^64 is not counter 0.
Status = otp.Status
for digits in (-1, 5, 9, 2 ** 32 + 6, 2 ** 64 + 6):
    refused(lambda: key.totp(59, digits=digits), Status.INVALID_DIGITS)
    refused(lambda: key.hotp(1, digits=digits), Status.INVALID_DIGITS)
    refused(lambda: key.verify_hotp("287082", 1, digits=digits), Status.INVALID_DIGITS)
for counter in (-1, 2 ** 64):
    refused(lambda: key.hotp(counter), Status.INVALID_COUNTER)
    refused(lambda: key.verify_hotp("287082", counter), Status.INVALID_COUNTER)
    refused(lambda: key.verify_totp("287082", 59, after=counter), Status.INVALID_COUNTER)
for side in (-1, 11, 2 ** 32):
    refused(lambda: key.verify_totp("287082", 59, behind=side), Status.INVALID_WINDOW)
    refused(lambda: key.verify_totp("287082", 59, ahead=side), Status.INVALID_WINDOW)
for period in (0, -30, 2 ** 63, 2 ** 64 + 30):
    refused(lambda: key.totp(59, period=period), Status.INVALID_PERIOD)
for time in (2 ** 63, -2 ** 63 - 1, 2 ** 64 + 59):
    refused(lambda: key.totp(time), Status.INVALID_ARGUMENT)
refused(lambda: key.totp(-1), Status.TIME_BEFORE_T0)
refused(lambda: key.verify_hotp("287082", 1, look_ahead=1001), Status.INVALID_LOOK_AHEAD)
refused(lambda: key.verify_hotp("287082", 1, look_ahead=2 ** 32), Status.INVALID_LOOK_AHEAD)
refused(lambda: otp.Key(b""), Status.EMPTY_SECRET)
refused(lambda: otp.Key(SECRET, 4), Status.INVALID_ARGUMENT)
error = refused(lambda: otp.base32_decode("GEZ1"), Status.INVALID_BASE32_CHARACTER)
check(error.position == 3 and isinstance(error, ValueError), "the wrong character's position")
check(pickle.loads(pickle.dumps(error)).args == error.args, "an error can be pickled")
error = refused(lambda: otp.KeyURI.parse("otpauth://totp/a?secret=GEZDGNBV&digits=5"), Status.INVALID_DIGITS)
check(error.part == "digits", "the part of the URI")
refused(lambda: otp.KeyURI(SECRET, "\ud800").build(), Status.INVALID_UTF8)
refused(lambda: otp.KeyURI(SECRET, "a" * 2100).build(), Status.URI_TOO_LONG)
refused(lambda: otp.Key.from_base32("\ud800A"), Status.INVALID_BASE32_CHARACTER)
refused(lambda: otp.base32_decode("AB", strict=True), Status.INVALID_BASE32_PADDING)
check(otp.base32_decode("") == b"" and otp.base32_encode(b"") == "", "empty base32")

# A text that is not a code is a wrong code.
for code in ("", "28708", "2870822", "28708\0", "287082\0", "２８７０８２", "\ud800", " 287082", "x" * 100_000):
    check(key.verify_totp(code, 59) == otp.Match(otp.Result.REJECTED), "a text that is not a code")
    check(not key.verify_hotp(code, 1), "a text that is not a code")
check(key.verify_totp("287082", 59) == otp.Match(otp.Result.ACCEPTED, 1, 0), "the RFC's code")
check(key.verify_totp("287082", 59, after=1) == otp.Match(otp.Result.REPLAYED), "the RFC's code again")
check(not key.verify_totp("287082", 59, after=1), "a replay is not true")
check(key.totp() is not None and key.verify_totp(key.totp()), "the clock's time")
check(key.resynchronize_hotp(["969429", "338314"], 1) == otp.Match(otp.Result.ACCEPTED, 4, 3), "resynchronization")
check(not key.resynchronize_hotp(["969429", "338314\0"], 1), "a code with a NUL")
refused(lambda: key.resynchronize_hotp(["969429"], 1), Status.INVALID_ARGUMENT)


# A code as a person types it, read as the digits that verifiers take.
for typed in ("287082", "287 082", "-287-082- ", "\t287082\r\n", "２８７０８２", "٢٨٧٠٨٢", "𝟐𝟖𝟕 𝟎𝟖𝟐\n"):
    check(otp.read_typed_code(typed) == "287082", "a typed code")
check(otp.read_typed_code("0012 3456", digits=8) == "00123456", "eight digits")
for typed in ("", "28708", "2870822", "+287082", "287\n082", "287082\0", "\ud800287082", "28708²", " " * 100_000):
    refused(lambda: otp.read_typed_code(typed), Status.MALFORMED_CODE)
for digits in (-1, 5, 9, 2 ** 32 + 6):
    refused(lambda: otp.read_typed_code("287082", digits), Status.INVALID_DIGITS)


# An argument of a wrong type is a TypeError, which names the type and never the value.
def refused_type(call, value):
    error = refused(call, Status.INVALID_ARGUMENT, otp.WrongType)
    check(isinstance(error, TypeError) and type(value).__name__ in str(error), f"the error for {type(value)}")
    check("87082" not in str(error) and "12345678" not in str(error), "an error repeats an argument")


for value in (b"287082", bytearray(b"287082"), memoryview(b"287082"), 287082, 287082.0, None, True, ["287082"]):
    refused_type(lambda: key.verify_totp(value, 59), value)
    refused_type(lambda: key.verify_hotp(value, 1), value)
    refused_type(lambda: key.resynchronize_hotp([value, "338314"], 1), value)
    refused_type(lambda: otp.read_typed_code(value), value)
    refused_type(lambda: otp.Key.from_base32(value), value)
    refused_type(lambda: otp.base32_decode(value), value)
    refused_type(lambda: otp.KeyURI.parse(value), value)
    refused_type(lambda: otp.KeyURI(SECRET, value).build(), value)
    if value is not None:
        refused_type(lambda: otp.KeyURI(SECRET, "a", value).build(), value)
refused_type(lambda: key.resynchronize_hotp("287", 1), "287")
# bytes() would convert all of these except the first.
for value in ("12345678", 5, True, [5], (5,), {5}, range(5), None, 5.0):
    refused_type(lambda: otp.Key(value), value)
    refused_type(lambda: otp.KeyURI(value, "a").build(), value)
    refused_type(lambda: otp.base32_encode(value), value)
for value in (True, False, 59.0, "59", b"59", [59], {}, object()):
    for name in ("digits", "period", "t0"):
        refused_type(lambda: key.totp(59, **{name: value}), value)
    for name in ("time", "behind", "ahead", "after", "digits", "period", "t0"):
        refused_type(lambda: key.verify_totp("287082", **{"time": 59, name: value}), value)
    for name in ("counter", "digits", "look_ahead"):
        refused_type(lambda: key.verify_hotp("287082", **{"counter": 1, name: value}), value)
        refused_type(lambda: key.resynchronize_hotp(["969429", "338314"], **{"counter": 1, name: value}), value)
    for name in ("type", "hash", "digits", "period", "counter"):
        refused_type(lambda: otp.KeyURI(SECRET, "a", **{name: value}).build(), value)
    refused_type(lambda: key.hotp(value), value)
    refused_type(lambda: otp.Key(SECRET, value), value)
    refused_type(lambda: otp.generate_secret(value), value)
check(otp.KeyURI(memoryview(bytearray(SECRET))[::2], "a").build() == otp.KeyURI(SECRET[::2], "a").build(),
      "a view with gaps in a URI")

# A batch's errors stay with their requests, and are never true.
closed = otp.Key(SECRET)
closed.close()
right = otp.TOTPRequest(key, "287082", 59)
accepted = otp.Match(otp.Result.ACCEPTED, 1, 0)
wrong_requests = [
    (right._replace(digits=5), Status.INVALID_DIGITS), (right._replace(behind=2 ** 32), Status.INVALID_WINDOW),
    (right._replace(time=2 ** 64), Status.INVALID_ARGUMENT), (right._replace(time=-1), Status.TIME_BEFORE_T0),
    (otp.HOTPRequest(key, "287082", 1, look_ahead=1001), Status.INVALID_LOOK_AHEAD),
    (otp.HOTPRequest(key, "287082", 2 ** 64), Status.INVALID_COUNTER),
    (right._replace(key=closed), Status.INVALID_ARGUMENT),
    (otp.HOTPRequest(closed, "287082", 1), Status.INVALID_ARGUMENT),
]
wrong_types = [right._replace(key=other) for other in (None, "key", SECRET)]
wrong_types += [right._replace(code=other) for other in (b"287082", 287082, None)]
wrong_types += [right._replace(**{name: other}) for name in ("time", "after", "digits", "period")
                for other in (True, 59.0)]
wrong_types += [right._replace(digits=[6]), otp.HOTPRequest(key, "287082", "1"), None, tuple(right), key, "287082"]
requests = [right]
for request, _ in wrong_requests + [(request, None) for request in wrong_types]:
    requests += [request, right]
matches = otp.verify_batch(requests)
check(matches[::2] == [accepted] * len(matches[::2]), "the others of a batch with errors")
check(not any(matches[1::2]), "a request with an error is accepted")
errors = [match.error for match in matches[1::2]]
check([error.status for error in errors[:len(wrong_requests)]] == [status for _, status in wrong_requests],
      "a batch's errors")
check(all(isinstance(error, otp.WrongType) for error in errors[len(wrong_requests):]), "a batch's wrong types")
check([str(error) for error in errors].count("the key is closed") == 2, "closed keys in a batch")
check(not any("287082" in str(error) for error in errors), "a batch's error repeats a code")
holders = sys.getrefcount(key._handle)
kept = otp.verify_batch([right._replace(digits=5), right._replace(code=None)])
check(sys.getrefcount(key._handle) == holders, "an error of a batch keeps its key from being wiped")
check(otp.verify_batch(iter([right])) == [accepted], "requests that are not a sequence")
check(otp.verify_batch([]) == [], "an empty batch")

# Secrets are random, as long as the hash's tag, and not shown.
check([len(otp.generate_secret(hash)) for hash in otp.Hash] == [20, 32, 64], "the lengths of secrets")
check(len({otp.generate_secret() for _ in range(1000)}) == 1000, "secrets repeat")
uri = otp.KeyURI(SECRET, "alice")
check(repr(key) == str(key) == "<otp.Key>" and repr(uri) == str(uri) == "<otp.KeyURI>", "keys and URIs are not shown")
check("GEZD" not in repr(otp.TOTPRequest(key, "", 0)), "a request does not show its key")
writable = bytearray(SECRET)
copied = otp.Key(writable)
writable[:] = bytes(20)
check(copied.totp(59) == "287082", "the library has its own copy")
check(otp.Key(memoryview(b"x" + SECRET)[1:]).totp(59) == "287082", "a view")
check(otp.Key(memoryview(bytearray(b"".join(bytes([byte, 0]) for byte in SECRET)))[::2]).totp(59) == "287082",
      "a view with gaps")
for call in (copy.copy, copy.deepcopy, pickle.dumps):
    refused(lambda: call(key), kind=TypeError)

# A closed key is refused; one in use by another thread lives until its calls are done.
with otp.Key(SECRET) as closed:
    pass
closed.close()
error = refused(lambda: closed.totp(59), Status.INVALID_ARGUMENT)
check(str(pickle.loads(pickle.dumps(error))) == "the key is closed", "the error for a closed key")
expect.closed_while_used(
    lambda: otp.Key(SECRET), lambda key: key.verify_hotp("287082", 0, look_ahead=1000),
    otp.Match(otp.Result.ACCEPTED, 1, 1), "the key is closed")

otp.self_test()
check(otp.info().version == otp.version() and otp.info().backend, "the library's version and backend")
print(f"{expect.checks} checks of the interface")
