"""Records in Python: a factor's life, the one rule over many threads, refused arguments and records, and redaction."""

import copy
import os
import pickle
import tempfile
import threading

import expect
import otp
import otp_record
from expect import check, refused
from otp import Status
from otp_record import AnswerKind, Keyring, Kind, Policy, Reason

SECRET = b"12345678901234567890"
SUBJECT = "user 42"
NOW = 1_700_000_000
app = otp.Key(SECRET)
keyring = Keyring({"2026-11": bytes(range(32))})
confirmed = keyring.enroll(SUBJECT, secret=SECRET, is_confirmed=True, time=NOW)

# ---- A factor's life. ------------------------------------------------------------------------------------------------

record = keyring.enroll(SUBJECT, time=NOW)
uri = otp.KeyURI.parse(keyring.uri(SUBJECT, record, issuer="Example", account="alice@example.com"))
check((uri.issuer, uri.account, uri.digits) == ("Example", "alice@example.com", 6), "the key URI")
own = otp.Key(uri.secret)
check(keyring.info(SUBJECT, record).is_pending, "a new record is pending")
check(keyring.verify(SUBJECT, record, own.totp(NOW), time=NOW).reason == Reason.PENDING, "and signs nobody in")
check(keyring.diagnose(SUBJECT, record, own.totp(NOW - 3600), NOW).clock_offset == -3600, "a clock an hour late")
check(keyring.diagnose(SUBJECT, record, "not a code", NOW) is None, "nothing explains what is not a code")
answer = keyring.confirm(SUBJECT, record, own.totp(NOW), time=NOW)
check(answer.kind == AnswerKind.ENROLLED and not answer, "a confirmation signs nobody in")
answer = keyring.verify(SUBJECT, answer.record, own.totp(NOW), time=NOW)
check(answer.reason == Reason.REPLAYED and answer.changed, "the code that confirmed is spent, and counts")
answer = keyring.verify(SUBJECT, answer.record, f" {own.totp(NOW + 30)}\n", time=NOW + 30)
check(bool(answer) and answer.step == (NOW + 30) // 30 and answer.until is None, "the next one signs in")
refused(lambda: keyring.uri(SUBJECT, answer.record, issuer="A", account="b"), Status.NOT_PENDING)

record, now, looked = confirmed, NOW, 0
while True:
    answer = keyring.verify(SUBJECT, record, "000000", time=now)
    check(answer.changed == (answer.record != record) == (answer.kind == AnswerKind.REJECTED), "what has changed")
    if answer.kind == AnswerKind.LOCKED:
        break
    looked += answer.kind == AnswerKind.REJECTED
    record, now = answer.record, answer.until or now
check(looked == 10 and answer.until == now + 3600, "ten guesses are looked at, and lock for an hour")
record = keyring.unlock(SUBJECT, record)
check(keyring.info(SUBJECT, record).failures == 0 and bool(keyring.verify(SUBJECT, record, app.totp(now), time=now)),
      "an administrator unlocks")

token = keyring.enroll(SUBJECT, type=otp.KeyType.HOTP, secret=SECRET, counter=2, is_confirmed=True, time=NOW)
answer = keyring.resynchronize(SUBJECT, token, ["399871", "520489"], time=NOW)
check(bool(answer) and answer.step == 9, "a token that has run ahead")
check(not keyring.verify(SUBJECT, answer.record, "399871", time=NOW), "its codes are spent")
info = keyring.info(SUBJECT, answer.record)
check((info.kind, info.last_accepted, info.period, info.acceptances) == (Kind.HOTP, 9, None, 1), "what is to be seen")

spent = keyring.spend(SUBJECT, confirmed, NOW)
check(not keyring.verify(SUBJECT, spent, app.totp(NOW), time=NOW), "spent up to a moment")
codes_record, codes = keyring.recovery_codes(SUBJECT, 3, NOW)
answer = keyring.verify(SUBJECT, codes_record, codes[1].replace("-", "").lower(), time=NOW)
check(bool(answer) and answer.step == 2 and keyring.info(SUBJECT, answer.record).unused_codes == (1, 3), "one of 3")
check(len(set(codes)) == 3 and all(len(code) == 29 for code in codes), "three codes")
strict = keyring.verify(SUBJECT, confirmed, app.totp(NOW + 60), time=NOW, policy=Policy.STRICT)
check(strict.reason == Reason.EARLY and bool(keyring.verify(SUBJECT, confirmed, app.totp(NOW + 60), time=NOW)),
      "two steps ahead, only by the default")

rotated = Keyring({"next": b"n" * 32, "2026-11": bytes(range(32))})
resealed = rotated.reseal(SUBJECT, confirmed)
check(rotated.info(SUBJECT, resealed).key_name == "next" and rotated.reseal(SUBJECT, resealed) == resealed, "rotation")
check(keyring.verify(SUBJECT, confirmed, app.totp(NOW), time=NOW).record[:2] == b"\x01\x01", "the version and kind")

# ---- The one rule over many threads. ---------------------------------------------------------------------------------

column, lock = [confirmed], threading.Lock()


def replace(new, old):
    with lock:
        if column[0] != old:
            return False
        column[0] = new
        return True


def attempt(code, count):
    found, barrier = [], threading.Barrier(count)

    def run():
        barrier.wait()
        found.append(otp_record.replaced_under(
            lambda: column[0], lambda held: keyring.verify(SUBJECT, held, code, time=NOW), replace).kind)
    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [found.count(kind) for kind in AnswerKind]


check(attempt(app.totp(NOW), 200)[AnswerKind.ACCEPTED] == 1, "of 200 at once, one is let in")
column[0] = keyring.unlock(SUBJECT, column[0])
check(attempt("000000", 200)[AnswerKind.REJECTED] == 4, "at one moment, four guesses are looked at")

# ---- What is refused. ------------------------------------------------------------------------------------------------

altered = confirmed[:-1] + bytes([confirmed[-1] ^ 1])
for bad, subject, by, status in (
        (altered, SUBJECT, keyring, Status.NOT_AUTHENTIC), (confirmed[:-1], SUBJECT, keyring, Status.NOT_AUTHENTIC),
        (b"", SUBJECT, keyring, Status.MALFORMED_RECORD),
        (b"\x02" + confirmed[1:], SUBJECT, keyring, Status.LATER_RECORD),
        (confirmed, "user 43", keyring, Status.ANOTHER_SUBJECT), (confirmed, "", keyring, Status.INVALID_SUBJECT),
        (confirmed, b"u" * 1025, keyring, Status.INVALID_SUBJECT),
        (confirmed, "\ud800", keyring, Status.INVALID_SUBJECT),
        (confirmed, SUBJECT, Keyring({"other": bytes(32)}), Status.UNKNOWN_KEY),
        (confirmed, SUBJECT, Keyring({"2026-11": bytes(32)}), Status.NOT_AUTHENTIC),
        (confirmed, SUBJECT, Keyring.unsealed(), Status.WRONG_ENCODING)):
    for call in (lambda: by.verify(subject, bad, "000000"), lambda: by.unlock(subject, bad),
                 lambda: by.info(subject, bad), lambda: by.spend(subject, bad, NOW), lambda: by.reseal(subject, bad),
                 lambda: by.confirm(subject, bad, "0"), lambda: by.diagnose(subject, bad, "000000")):
        refused(call, status)
refused(lambda: keyring.resynchronize(SUBJECT, codes_record, ["1", "2"]), Status.ANOTHER_KIND)
refused(lambda: keyring.enroll(SUBJECT, digits=5), Status.INVALID_DIGITS)
refused(lambda: keyring.enroll(SUBJECT, digits=2 ** 32 + 6), Status.INVALID_DIGITS)
refused(lambda: keyring.enroll(SUBJECT, period=0), Status.INVALID_PERIOD)
refused(lambda: keyring.enroll(SUBJECT, counter=2 ** 64), Status.INVALID_COUNTER)
refused(lambda: keyring.enroll(SUBJECT, secret=b""), Status.EMPTY_SECRET)
refused(lambda: keyring.enroll(SUBJECT, secret=b"s" * 1025), Status.INVALID_SECRET)
refused(lambda: keyring.enroll(SUBJECT, hash=4), Status.INVALID_ARGUMENT)
refused(lambda: keyring.recovery_codes(SUBJECT, 21), Status.INVALID_ARGUMENT)
refused(lambda: keyring.verify(SUBJECT, confirmed, "0", time=2 ** 63), Status.INVALID_ARGUMENT)
for policy in (Policy(adjacent_intervals=11), Policy(adjacent_intervals=2 ** 32), Policy(failures_until_lock=0),
               Policy(lock_seconds=-1), Policy(look_ahead=1001), Policy(initial_delay_seconds=2 ** 63)):
    refused(lambda: keyring.verify(SUBJECT, confirmed, "0", policy=policy), Status.INVALID_ARGUMENT)
for count in (0, 1, 4):
    refused(lambda: keyring.resynchronize(SUBJECT, token, ["1"] * count), Status.INVALID_ARGUMENT)
for call in (lambda: keyring.verify(7, confirmed, "0"), lambda: keyring.verify(SUBJECT, "text", "0"),
             lambda: keyring.verify(SUBJECT, confirmed, 7), lambda: keyring.verify(SUBJECT, None, "0"),
             lambda: keyring.resynchronize(SUBJECT, confirmed, "000000"), lambda: Keyring({"a": 7}),
             lambda: Keyring({7: bytes(32)}), lambda: Keyring(["a"]),
             lambda: keyring.verify(SUBJECT, confirmed, "0", policy=5),
             lambda: keyring.spend(SUBJECT, confirmed, "now"),
             lambda: keyring.enroll(SUBJECT, previous="text"), lambda: keyring.enroll(SUBJECT, secret=5),
             lambda: keyring.enroll(SUBJECT, after=True), lambda: keyring.recovery_codes(SUBJECT, True),
             lambda: keyring.verify(SUBJECT, confirmed, "0", policy=Policy(look_ahead=True))):
    refused(call, Status.INVALID_ARGUMENT, otp.WrongType)
refused(lambda: keyring.enroll("\ud800"), Status.INVALID_SUBJECT)
check(not keyring.verify(SUBJECT, confirmed, app.totp(NOW) + "\0", time=NOW), "a NUL is not dropped")
check(keyring.verify(SUBJECT, confirmed, "\ud800", time=NOW).reason == Reason.MALFORMED, "half of a pair")
for keys, status in (({}, Status.INVALID_ARGUMENT), ({"": bytes(32)}, Status.INVALID_KEY_NAME),
                     ({"a b": bytes(32)}, Status.INVALID_KEY_NAME), ({"a": bytes(31)}, Status.INVALID_KEY)):
    refused(lambda: Keyring(keys), status)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "keyring")
    refused(lambda: Keyring.open(path), Status.KEYRING_UNREADABLE)
    with open(path, "w", encoding="ascii") as file:
        file.write("{}")
    os.chmod(path, 0o644)
    refused(lambda: Keyring.open(path), Status.KEYRING_READABLE_BY_OTHERS)
    os.chmod(path, 0o600)
    refused(lambda: Keyring.open(path), Status.KEYRING_MALFORMED)
    refused(lambda: Keyring.open(path + "\0x"), Status.INVALID_ARGUMENT)

# ---- Redaction, and the end. -----------------------------------------------------------------------------------------

shown = repr(keyring.verify(SUBJECT, confirmed, app.totp(NOW), time=NOW)) + repr(keyring) + str(answer)
check("b'" not in shown and SECRET.decode() not in shown and "ACCEPTED" in shown, "an answer shows no record")
refused(lambda: pickle.dumps(keyring), None, TypeError)
refused(lambda: copy.copy(keyring), None, TypeError)
with Keyring({"a": bytes(32)}) as closing:
    held = closing.enroll(SUBJECT, time=NOW)
refused(lambda: closing.verify(SUBJECT, held, "000000"), Status.INVALID_ARGUMENT)
closing.close()

expect.closed_while_used(
    lambda: Keyring({"2026-11": bytes(range(32))}),
    lambda shared: shared.verify(SUBJECT, confirmed, app.totp(NOW), time=NOW).kind,
    AnswerKind.ACCEPTED, "the keyring is closed")
print(f"{expect.checks} expectations of records")
