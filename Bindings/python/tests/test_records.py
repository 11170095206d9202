"""Records: a factor's life, the one rule over many threads, refused arguments and records, and redaction."""

import copy
import os
import pickle
import signal
import tempfile
import threading

import otp
from otp import AnswerKind, Keyring, Policy, Reason, RecordKind, Status
from support import SECRET, Case

SUBJECT = "user 42"
NOW = 1_700_000_000
app = otp.Key(SECRET)
keyring = Keyring({"2026-11": bytes(range(32))})
confirmed = keyring.enroll(SUBJECT, secret=SECRET, is_confirmed=True, time=NOW)
token = keyring.enroll(SUBJECT, type=otp.KeyType.HOTP, secret=SECRET, counter=2, is_confirmed=True, time=NOW)


class Life(Case):
    def test_enrollment_and_sign_in(self):
        record = keyring.enroll(SUBJECT, time=NOW)
        uri = otp.KeyURI.parse(keyring.uri(SUBJECT, record, issuer="Example", account="alice@example.com"))
        self.assertEqual((uri.issuer, uri.account, uri.digits), ("Example", "alice@example.com", 6))
        own = otp.Key(uri.secret)
        self.assertTrue(keyring.info(SUBJECT, record).is_pending)
        self.assertEqual(keyring.verify(SUBJECT, record, own.totp(NOW), time=NOW).reason, Reason.PENDING)
        self.assertEqual(keyring.diagnose(SUBJECT, record, own.totp(NOW - 3600), NOW).clock_offset, -3600)
        self.assertIsNone(keyring.diagnose(SUBJECT, record, "not a code", NOW))
        answer = keyring.confirm(SUBJECT, record, own.totp(NOW), time=NOW)
        self.assertEqual(answer.kind, AnswerKind.ENROLLED)
        self.assertFalse(answer, "a confirmation signs nobody in")
        answer = keyring.verify(SUBJECT, answer.record, own.totp(NOW), time=NOW)
        self.assertEqual((answer.reason, answer.changed), (Reason.REPLAYED, True))
        answer = keyring.verify(SUBJECT, answer.record, f" {own.totp(NOW + 30)}\n", time=NOW + 30)
        self.assertTrue(answer)
        self.assertEqual((answer.step, answer.until), ((NOW + 30) // 30, None))
        self.refused(Status.NOT_PENDING, keyring.uri, SUBJECT, answer.record, issuer="A", account="b",
                     kind=otp.RecordError)

    def test_ten_guesses_lock_for_an_hour_and_an_administrator_unlocks(self):
        record, now, looked = confirmed, NOW, 0
        while True:
            answer = keyring.verify(SUBJECT, record, "000000", time=now)
            self.assertEqual(answer.changed, answer.record != record)
            self.assertEqual(answer.changed, answer.kind == AnswerKind.REJECTED)
            if answer.kind == AnswerKind.LOCKED:
                break
            looked += answer.kind == AnswerKind.REJECTED
            record, now = answer.record, int(answer.until.timestamp()) if answer.until else now
        self.assertEqual((looked, answer.until.timestamp()), (10, now + 3600))
        record = keyring.unlock(SUBJECT, record, now)
        self.assertEqual(keyring.info(SUBJECT, record).failures, 0)
        self.assertTrue(keyring.verify(SUBJECT, record, app.totp(now), time=now))

    def test_forks_beside_verifying_threads(self):
        otp.self_test()
        done = threading.Event()

        def verify():
            while not done.is_set():
                keyring.verify(SUBJECT, confirmed, "000000", time=NOW)

        threads = [threading.Thread(target=verify) for _ in range(4)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(100):
                if (child := os.fork()) == 0:
                    signal.alarm(20)  # which ends a child that hangs
                    os._exit(keyring.verify(SUBJECT, confirmed, "000000", time=NOW).reason != Reason.WRONG)
                self.assertEqual(os.waitpid(child, 0)[1], 0, "the child hung, or its record did not verify")
        finally:
            done.set()
            for thread in threads:
                thread.join()

    def test_a_token_that_has_run_ahead(self):
        answer = keyring.resynchronize(SUBJECT, token, ["399871", "520489"], time=NOW)
        self.assertTrue(answer)
        self.assertEqual(answer.step, 9)
        self.assertFalse(keyring.verify(SUBJECT, answer.record, "399871", time=NOW))
        info = keyring.info(SUBJECT, answer.record)
        self.assertEqual((info.kind, info.last_accepted, info.period, info.acceptances), (RecordKind.HOTP, 9, None, 1))

    def test_codes_are_spent_up_to_a_moment(self):
        spent = keyring.spend(SUBJECT, confirmed, NOW)
        self.assertFalse(keyring.verify(SUBJECT, spent, app.totp(NOW), time=NOW))

    def test_recovery_codes(self):
        record, codes = keyring.recovery_codes(SUBJECT, 3, NOW)
        self.assertEqual([len(code) for code in codes], [29] * 3)
        self.assertEqual(len(set(codes)), 3)
        answer = keyring.verify(SUBJECT, record, codes[1].replace("-", "").lower(), time=NOW)
        self.assertTrue(answer)
        self.assertEqual(keyring.verify(SUBJECT, answer.record, codes[1], time=NOW).reason, Reason.REPLAYED)
        self.assertEqual((answer.step, keyring.info(SUBJECT, answer.record).unused_codes), (2, (1, 3)))
        self.refused(Status.ANOTHER_KIND, keyring.resynchronize, SUBJECT, record, ["1", "2"], kind=otp.RecordError)

    def test_two_steps_ahead_only_by_the_default_policy(self):
        code = app.totp(NOW + 60)
        self.assertEqual(keyring.verify(SUBJECT, confirmed, code, time=NOW, policy=Policy.STRICT).reason, Reason.EARLY)
        self.assertTrue(keyring.verify(SUBJECT, confirmed, code, time=NOW))

    def test_rotation(self):
        rotated = Keyring({"next": b"n" * 32, "2026-11": bytes(range(32))})
        resealed = rotated.reseal(SUBJECT, confirmed)
        self.assertEqual(rotated.info(SUBJECT, resealed).key_name, "next")
        self.assertEqual(rotated.reseal(SUBJECT, resealed), resealed)
        self.assertEqual(keyring.verify(SUBJECT, confirmed, app.totp(NOW), time=NOW).record[:2], b"\x01\x01")

    def test_what_a_later_library_adds_lets_nobody_in(self):
        self.assertEqual((AnswerKind(99), Reason(99)), (AnswerKind.REJECTED, Reason.NONE))


class OneRule(Case):
    def test_over_two_hundred_threads(self):
        column, lock = [confirmed], threading.Lock()

        def replace(old, new):
            with lock:
                if column[0] != old:
                    return False
                column[0] = new
                return True

        def attempt(code):
            found, barrier = [], threading.Barrier(200)

            def run():
                barrier.wait()
                found.append(otp.replace_under(
                    lambda: column[0], lambda held: keyring.verify(SUBJECT, held, code, time=NOW), replace).kind)
            threads = [threading.Thread(target=run) for _ in range(200)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(len(found), 200)
            return found

        self.assertEqual(attempt(app.totp(NOW)).count(AnswerKind.ACCEPTED), 1)
        column[0] = keyring.unlock(SUBJECT, column[0], NOW)
        # At one moment, four guesses are looked at.
        self.assertEqual(attempt("000000").count(AnswerKind.REJECTED), 4)


class Refused(Case):
    def test_a_column_that_never_equals_what_was_read(self):
        with self.assertRaises(otp.InvalidInputError):
            otp.replace_under(lambda: confirmed, lambda held: keyring.verify(SUBJECT, held, "000000", time=NOW),
                              lambda old, new: False)

    def test_records(self):
        altered = confirmed[:-1] + bytes([confirmed[-1] ^ 1])
        for record, subject, by, status in (
                (altered, SUBJECT, keyring, Status.NOT_AUTHENTIC),
                (confirmed[:-1], SUBJECT, keyring, Status.NOT_AUTHENTIC),
                (b"", SUBJECT, keyring, Status.MALFORMED_RECORD),
                (b"\x02" + confirmed[1:], SUBJECT, keyring, Status.LATER_RECORD),
                (confirmed, "user 43", keyring, Status.ANOTHER_SUBJECT),
                (confirmed, "", keyring, Status.INVALID_SUBJECT),
                (confirmed, b"u" * 1025, keyring, Status.INVALID_SUBJECT),
                (confirmed, "\ud800", keyring, Status.INVALID_SUBJECT),
                (confirmed, SUBJECT, Keyring({"other": bytes(32)}), Status.UNKNOWN_KEY),
                (confirmed, SUBJECT, Keyring({"2026-11": bytes(32)}), Status.NOT_AUTHENTIC),
                (confirmed, SUBJECT, Keyring.unsealed(), Status.WRONG_ENCODING)):
            kind = otp.InvalidInputError if status == Status.INVALID_SUBJECT else otp.RecordError
            for call, arguments in ((by.verify, ["000000"]), (by.unlock, []), (by.info, []), (by.spend, [NOW]),
                                    (by.reseal, []), (by.confirm, ["0"]), (by.diagnose, ["000000"])):
                error = self.refused(status, call, subject, record, *arguments, kind=kind)
                self.assertIs(type(error), kind)
        self.refused(Status.INVALID_SUBJECT, keyring.enroll, "\ud800")

    def test_enrollments(self):
        for status, arguments in (
                (Status.INVALID_DIGITS, {"digits": 5}), (Status.INVALID_DIGITS, {"digits": 2 ** 32 + 6}),
                (Status.INVALID_PERIOD, {"period": 0}), (Status.INVALID_COUNTER, {"counter": 2 ** 64}),
                (Status.EMPTY_SECRET, {"secret": b""}), (Status.INVALID_SECRET, {"secret": b"s" * 1025}),
                (Status.INVALID_ARGUMENT, {"hash": 4})):
            self.refused(status, keyring.enroll, SUBJECT, **arguments)

    def test_numbers(self):
        self.refused(Status.INVALID_ARGUMENT, keyring.recovery_codes, SUBJECT, 21)
        self.refused(Status.INVALID_ARGUMENT, keyring.verify, SUBJECT, confirmed, "0", time=2 ** 63)
        # Such as a time in milliseconds, which a record would remember.
        for time in (59, 946_684_799, 7_258_118_400, NOW * 1000):
            for call in (lambda: keyring.enroll(SUBJECT, time=time), lambda: keyring.recovery_codes(SUBJECT, 1, time),
                         lambda: keyring.verify(SUBJECT, confirmed, "0", time=time),
                         lambda: keyring.confirm(SUBJECT, confirmed, "0", time=time),
                         lambda: keyring.resynchronize(SUBJECT, token, ["1", "2"], time=time),
                         lambda: keyring.diagnose(SUBJECT, confirmed, "0", time),
                         lambda: keyring.unlock(SUBJECT, confirmed, time),
                         lambda: keyring.spend(SUBJECT, confirmed, time)):
                self.refused(Status.INVALID_TIME, call)
        for policy in (Policy(adjacent_intervals=11), Policy(adjacent_intervals=2 ** 32), Policy(failures_until_lock=0),
                       Policy(lock_seconds=-1), Policy(look_ahead=1001), Policy(initial_delay_seconds=2 ** 63)):
            self.refused(Status.INVALID_ARGUMENT, keyring.verify, SUBJECT, confirmed, "0", policy=policy)
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

    def test_codes_are_not_cut_off(self):
        self.assertFalse(keyring.verify(SUBJECT, confirmed, app.totp(NOW) + "\0", time=NOW))
        self.assertEqual(keyring.verify(SUBJECT, confirmed, "\ud800", time=NOW).reason, Reason.MALFORMED)

    def test_keyrings(self):
        for keys, status in (({}, Status.INVALID_ARGUMENT), ({"": bytes(32)}, Status.INVALID_KEY_NAME),
                             ({"a b": bytes(32)}, Status.INVALID_KEY_NAME), ({"a": bytes(31)}, Status.INVALID_KEY)):
            self.refused(status, Keyring, keys)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "keyring")
            self.refused(Status.KEYRING_UNREADABLE, Keyring.open, path, kind=otp.KeyringError)
            with open(path, "w", encoding="ascii") as file:
                file.write("{}")
            os.chmod(path, 0o644)
            self.refused(Status.KEYRING_READABLE_BY_OTHERS, Keyring.open, path, kind=otp.KeyringError)
            os.chmod(path, 0o600)
            self.refused(Status.KEYRING_MALFORMED, Keyring.open, path, kind=otp.KeyringError)
            self.refused(Status.INVALID_ARGUMENT, Keyring.open, path + "\0x")


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
