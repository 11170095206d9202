"""Records: that arguments and results keep their places, the one rule, what is refused, and redaction."""

import copy
import ctypes
import pathlib
import pickle
import tempfile
from datetime import datetime, timezone
from unittest import mock

import otp
from otp import AnswerKind, Keyring, Policy, Reason, RecordKind, Status
from otp._library import library
from support import SECRET, Case

SUBJECT = "user 42"
NOW = 1_700_000_000
app = otp.Key(SECRET)
keyring = Keyring({"2026-11": bytes(range(32))})
confirmed = keyring.enroll(SUBJECT, secret=SECRET, is_confirmed=True, time=NOW)
token = keyring.enroll(SUBJECT, type=otp.KeyType.HOTP, secret=SECRET, counter=2, is_confirmed=True, time=NOW)


class Places(Case):
    def test_an_enrollment_is_the_given_one(self):
        record = keyring.enroll(SUBJECT, hash=otp.Hash.SHA256, digits=8, period=60, t0=120, secret=SECRET[:10],
                                previous=confirmed, replace=True, time=NOW)
        self.refused(Status.ENROLLED, lambda: keyring.enroll(SUBJECT, previous=confirmed), kind=otp.RecordError)
        uri = keyring.uri(SUBJECT, record, issuer="Example", account="alice")
        self.assertEqual(uri, "otpauth://totp/Example:alice?secret=GEZDGNBVGY3TQOJQ&issuer=Example&algorithm=SHA256"
                         "&digits=8&period=60")
        self.assertEqual(keyring.info(SUBJECT, record), otp.RecordDetails(
            RecordKind.TOTP, True, otp.Hash.SHA256, 8, 60, 120, True, None, 0, 0, 0,
            datetime.fromtimestamp(NOW, timezone.utc), None, (), "2026-11"))
        self.assertEqual(keyring.info(SUBJECT, token).last_accepted, 1)
        record = keyring.enroll(SUBJECT, secret=SECRET, time=NOW)
        self.assertEqual(keyring.diagnose(SUBJECT, record, app.totp(NOW - 3600), NOW),
                         otp.Diagnosis(otp.Hash.SHA1, 6, 30, -3600, 0))
        self.assertIsNone(keyring.diagnose(SUBJECT, record, "not a code", NOW))
        answer = keyring.confirm(SUBJECT, record, app.totp(NOW), time=NOW)
        self.assertEqual((answer.kind, answer.step), (AnswerKind.ENROLLED, NOW // 30))
        self.assertFalse(answer, "a confirmation signs no user in")

    def test_an_answer_is_the_librarys(self):
        policy = Policy(failures_until_lock=1)
        wrong = keyring.verify(SUBJECT, confirmed, "000000", time=NOW, policy=policy)
        self.assertEqual((wrong.kind, wrong.reason, wrong.changed), (AnswerKind.REJECTED, Reason.WRONG, True))
        locked = keyring.verify(SUBJECT, wrong.record, app.totp(NOW), time=NOW, policy=policy)
        self.assertEqual((locked.kind, locked.changed, locked.record), (AnswerKind.LOCKED, False, wrong.record))
        self.assertEqual(locked.until.timestamp(), NOW + 3600)
        unlocked = keyring.unlock(SUBJECT, wrong.record, NOW)
        self.assertEqual(keyring.info(SUBJECT, unlocked).failures, 0)
        right = keyring.verify(SUBJECT, unlocked, app.totp(NOW + 30), time=NOW)
        self.assertTrue(right)
        self.assertEqual((right.step, right.until), (NOW // 30 + 1, None))
        spent = keyring.spend(SUBJECT, confirmed, NOW + 3600)
        self.assertEqual(keyring.info(SUBJECT, spent).last_accepted, (NOW + 3600) // 30 + 6)
        answer = keyring.resynchronize(SUBJECT, token, ["399871", "520489"], time=NOW)
        self.assertTrue(answer)
        info = keyring.info(SUBJECT, answer.record)
        self.assertEqual((info.kind, info.last_accepted, info.period, info.acceptances), (RecordKind.HOTP, 9, None, 1))
        self.assertEqual(info.last_attempt_time.timestamp(), NOW)

    def test_recovery_codes_have_their_numbers(self):
        record, codes = keyring.recovery_codes(SUBJECT, 20, NOW)
        self.assertEqual([len(code) for code in codes], [29] * 20)
        answer = keyring.verify(SUBJECT, record, codes[3], time=NOW)
        self.assertEqual(answer.step, 4)
        self.assertEqual(keyring.info(SUBJECT, answer.record).unused_codes, (1, 2, 3, *range(5, 21)))
        wrong = keyring.verify(SUBJECT, record, keyring.recovery_codes(SUBJECT, 1)[1][0], time=NOW)
        again, _ = keyring.recovery_codes(SUBJECT, time=NOW, previous=wrong.record)
        self.assertEqual(keyring.info(SUBJECT, again).failures, 1)
        self.refused(Status.ANOTHER_KIND, keyring.resynchronize, SUBJECT, record, ["1", "2"], kind=otp.RecordError)

    def test_a_code_is_explained(self):
        why = keyring.explain(SUBJECT, confirmed, app.totp(NOW + 3600), time=NOW)
        self.assertEqual((why.cause, why.step, why.offset, why.refusal), (otp.Cause.EARLY, NOW // 30 + 120, 120, None))
        self.assertEqual(why.app, otp.Diagnosis(otp.Hash.SHA1, 6, 30, 3600, 0))
        self.assertTrue(100 < why.odds < 10000)
        policy = Policy(failures_until_lock=1)
        locked = keyring.verify(SUBJECT, confirmed, "000000", time=NOW, policy=policy).record
        why = keyring.explain(SUBJECT, locked, app.totp(NOW), time=NOW, policy=policy)
        self.assertEqual((why.cause, why.refusal, why.until.timestamp()),
                         (otp.Cause.RIGHT, AnswerKind.LOCKED, NOW + 3600))
        codes, _ = keyring.recovery_codes(SUBJECT, time=NOW)
        why = keyring.explain(SUBJECT, codes, "000000", time=NOW)
        self.assertEqual((why.cause, why.step, why.odds, why.app), (otp.Cause.MALFORMED, None, 0, None))

    def test_a_keyrings_file_is_created_once(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "keyring")
            Keyring.create_file(path)
            self.assertEqual(path.stat().st_mode & 0o777, 0o600)
            held = Keyring.open(path).enroll(SUBJECT, time=NOW)
            self.assertTrue(Keyring.open(path).info(SUBJECT, held).is_pending)
            self.refused(Status.KEYRING_EXISTS, Keyring.create_file, path, kind=otp.KeyringError)
        self.refused(Status.KEYRING_UNWRITABLE, Keyring.create_file, path, kind=otp.KeyringError)
        self.refused(Status.INVALID_ARGUMENT, Keyring.create_file, "/nonexistent/keyring\0x")

    def test_a_keyring_has_all_its_keys(self):
        rotated = Keyring({"next": b"n" * 32, "2026-11": bytes(range(32))})
        resealed = rotated.reseal(SUBJECT, confirmed)
        self.assertEqual(rotated.info(SUBJECT, resealed).key_name, "next")
        self.refused(Status.UNKNOWN_KEY, keyring.info, SUBJECT, resealed, kind=otp.RecordError)

    def test_what_a_later_library_adds_lets_nobody_in(self):
        self.assertEqual((AnswerKind(99), Reason(99), otp.Cause(99)),
                         (AnswerKind.REJECTED, Reason.NONE, otp.Cause.WRONG))


class OneRule(Case):
    def test_an_answer_is_of_the_record_that_was_replaced(self):
        tries = []

        def replace(old, new):
            tries.append(old == confirmed != new)
            return len(tries) == 3
        answer = otp.replace_under(lambda: confirmed, lambda held: keyring.verify(SUBJECT, held, app.totp(NOW),
                                                                                  time=NOW), replace)
        self.assertEqual((bool(answer), tries), (True, [True] * 3))
        written = []
        unlocked = otp.replace_under(lambda: confirmed, lambda held: keyring.spend(SUBJECT, held, NOW),
                                     lambda old, new: written.append(new) or True)
        self.assertEqual([unlocked], written)
        self.assertIs(otp.replace_under(lambda: confirmed, lambda held: held, None), confirmed)
        locked = otp.Answer(AnswerKind.LOCKED, confirmed, False)
        self.assertIs(otp.replace_under(lambda: confirmed, lambda held: locked, None), locked)

    def test_a_column_that_never_equals_what_was_read(self):
        with self.assertRaises(otp.InvalidInputError):
            otp.replace_under(lambda: confirmed, lambda held: keyring.verify(SUBJECT, held, "000000", time=NOW),
                              lambda old, new: False)


class Refused(Case):
    def test_records(self):
        altered = confirmed[:-1] + bytes([confirmed[-1] ^ 1])
        for record, subject, by, status in (
                (altered, SUBJECT, keyring, Status.NOT_AUTHENTIC),
                (b"", SUBJECT, keyring, Status.MALFORMED_RECORD),
                (confirmed, "user 43", keyring, Status.ANOTHER_SUBJECT),
                (confirmed, "", keyring, Status.INVALID_SUBJECT),
                (confirmed, "\ud800", keyring, Status.INVALID_SUBJECT),
                (confirmed, SUBJECT, Keyring.unsealed(), Status.WRONG_ENCODING)):
            kind = otp.InvalidInputError if status == Status.INVALID_SUBJECT else otp.RecordError
            for call, arguments in ((by.verify, ["000000"]), (by.unlock, []), (by.info, []), (by.spend, [NOW]),
                                    (by.reseal, []), (by.confirm, ["0"]), (by.diagnose, ["000000"]),
                                    (by.explain, ["000000"])):
                error = self.refused(status, call, subject, record, *arguments, kind=kind)
                self.assertIs(type(error), kind)
        self.refused(Status.INVALID_SUBJECT, keyring.enroll, "\ud800")

    def test_enrollments(self):
        for status, arguments in (
                (Status.INVALID_DIGITS, {"digits": 2 ** 32 + 6}), (Status.INVALID_PERIOD, {"period": 2 ** 63}),
                (Status.INVALID_COUNTER, {"counter": 2 ** 64}), (Status.EMPTY_SECRET, {"secret": b""}),
                (Status.INVALID_ARGUMENT, {"hash": 4})):
            self.refused(status, keyring.enroll, SUBJECT, **arguments)

    def test_numbers(self):
        for count in (0, 21):
            self.assertIn("count", str(self.refused(Status.INVALID_ARGUMENT, keyring.recovery_codes, SUBJECT, count)))
        for call in (app.totp, lambda t0: keyring.enroll(SUBJECT, t0=t0)):
            self.assertIn("t0", str(self.refused(Status.INVALID_ARGUMENT, call, t0=2 ** 63)))
        self.refused(Status.INVALID_ARGUMENT, keyring.verify, SUBJECT, confirmed, "0", time=2 ** 63)
        # A time in milliseconds, which a record would remember.
        self.refused(Status.INVALID_TIME, keyring.verify, SUBJECT, confirmed, "0", time=NOW * 1000)
        for name, number in (("adjacent_steps", 2 ** 32), ("lock_seconds", -1), ("lock_seconds", 2 ** 63),
                             ("failures_until_lock", 0), ("first_delayed_failure", 0)):
            error = self.refused(Status.INVALID_POLICY, keyring.verify, SUBJECT, confirmed, "0",
                                 policy=Policy(**{name: number}))
            self.assertIn(name, str(error))
        for count in (0, 1, 4):
            self.refused(Status.INVALID_ARGUMENT, keyring.resynchronize, SUBJECT, token, ["1"] * count)

    def test_types(self):
        for value, call in (
                (7, lambda: keyring.verify(7, confirmed, "0")), ("text", lambda: keyring.verify(SUBJECT, "text", "0")),
                (7, lambda: keyring.verify(SUBJECT, confirmed, 7)), (None, lambda: keyring.verify(SUBJECT, None, "0")),
                ("", lambda: keyring.resynchronize(SUBJECT, confirmed, "000000")), (7, lambda: Keyring({"a": 7})),
                (7, lambda: Keyring({7: bytes(32)})), ([], lambda: Keyring(["a"])),
                (5, lambda: keyring.verify(SUBJECT, confirmed, "0", policy=5)),
                ("now", lambda: keyring.spend(SUBJECT, confirmed, "now")),
                (None, lambda: keyring.spend(SUBJECT, confirmed, None)),
                ("text", lambda: keyring.enroll(SUBJECT, previous="text")),
                (5, lambda: keyring.enroll(SUBJECT, secret=5)), (True, lambda: keyring.enroll(SUBJECT, after=True)),
                (True, lambda: keyring.recovery_codes(SUBJECT, True)),
                (1.0, lambda: keyring.verify(SUBJECT, confirmed, "0", time=1.0)),
                (True, lambda: keyring.verify(SUBJECT, confirmed, "0", policy=Policy(look_ahead=True)))):
            self.refused_type(value, call)
        with self.assertRaisesRegex(TypeError, "a subject must be str or bytes, not int"):
            keyring.enroll(7)
        with self.assertRaisesRegex(TypeError, "a time must be a whole number of seconds"):
            keyring.verify(SUBJECT, confirmed, "0", time=1.0)

    def test_codes_are_not_cut_off(self):
        self.assertFalse(keyring.verify(SUBJECT, confirmed, app.totp(NOW) + "\0", time=NOW))
        self.assertEqual(keyring.verify(SUBJECT, confirmed, "\ud800", time=NOW).reason, Reason.MALFORMED)

    def test_keyrings(self):
        for keys, status in (({}, Status.INVALID_ARGUMENT), ({"a b": bytes(32)}, Status.INVALID_KEY_NAME),
                             ({"a": bytes(31)}, Status.INVALID_KEY)):
            self.refused(status, Keyring, keys)
            self.refused(status, Keyring, {name: bytearray(key) for name, key in keys.items()})
        self.refused(Status.KEYRING_UNREADABLE, Keyring.open, "/nonexistent/keyring", kind=otp.KeyringError)
        self.refused(Status.INVALID_ARGUMENT, Keyring.open, "/nonexistent/keyring\0x")

    def test_a_key_that_can_be_wiped_is_not_copied(self):
        key, seen, create = bytearray(range(32)), [], library.otp_keyring_create

        def noted(keys, *rest):
            seen.extend(ctypes.c_void_p.from_buffer(each, type(each).key.offset).value for each in keys)
            create(keys, *rest)
        with mock.patch.object(library, "otp_keyring_create", noted):
            made = Keyring({"first": memoryview(b"x" + bytes(32))[1:], "2026-11": key})
        self.assertEqual(seen[1], ctypes.addressof(ctypes.c_char.from_buffer(key)))
        key[:] = bytes(32)
        self.assertEqual(made.info(SUBJECT, confirmed).key_name, "2026-11")


class Redaction(Case):
    def test_nothing_is_shown(self):
        answer = keyring.verify(SUBJECT, confirmed, app.totp(NOW), time=NOW)
        shown = repr(answer) + str(answer) + repr(keyring)
        self.assertNotRegex(shown, "b'|b\"|1234567890")
        self.assertIn("ACCEPTED", shown)

    def test_a_keyring_is_not_copied_or_pickled(self):
        for call in (copy.copy, copy.deepcopy, pickle.dumps):
            self.assertRaises(TypeError, call, keyring)

    def test_a_closed_keyring_is_refused(self):
        with Keyring({"a": bytes(32)}) as closing:
            held = closing.enroll(SUBJECT, time=NOW)
        error = self.refused(Status.INVALID_ARGUMENT, closing.verify, SUBJECT, held, "000000")
        self.assertEqual(str(error), "the keyring is closed")
        closing.close()
