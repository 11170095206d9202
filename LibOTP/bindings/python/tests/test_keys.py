"""Keys: numbers that do not fit, texts that are no codes, arguments of wrong types, redaction."""

import copy
import pickle
import unittest

import otp
from otp import Match, Result, Status
from support import SECRET, Case

key = otp.Key(SECRET)


class Numbers(Case):
    """2^32 + 6 is not six digits, and 2^64 is not counter 0."""

    def test_what_does_not_fit_is_refused(self):
        for digits in (-1, 2 ** 32 + 6, 2 ** 64 + 6):
            self.refused(Status.INVALID_DIGITS, key.totp, 59, digits=digits)
            self.refused(Status.INVALID_DIGITS, key.hotp, 1, digits=digits)
            self.refused(Status.INVALID_DIGITS, otp.read_typed_code, "287082", digits)
        for counter in (-1, 2 ** 64):
            self.refused(Status.INVALID_COUNTER, key.hotp, counter)
            self.refused(Status.INVALID_COUNTER, key.verify_totp, "287082", 59, after=counter)
        self.refused(Status.INVALID_WINDOW, key.verify_totp, "287082", 59, ahead=2 ** 32)
        self.refused(Status.INVALID_LOOK_AHEAD, key.verify_hotp, "287082", 1, look_ahead=2 ** 32)
        for period in (2 ** 63, 2 ** 64 + 30):
            self.refused(Status.INVALID_PERIOD, key.totp, 59, period=period)
        for time in (2 ** 63, -2 ** 63 - 1):
            self.refused(Status.INVALID_ARGUMENT, key.totp, time)
        self.refused(Status.INVALID_ARGUMENT, otp.Key, SECRET, 4)


class Codes(Case):
    def test_a_text_that_is_not_a_code_is_a_wrong_code(self):
        for code in ("", "28708\0", "287082\0", "２８７０８２", "\ud800", "x" * 100_000):
            self.assertEqual(key.verify_totp(code, 59), Match(Result.REJECTED))
            self.assertFalse(key.verify_hotp(code, 1))

    def test_a_replay_is_false(self):
        self.assertTrue(key.verify_totp("287082", 59))
        self.assertEqual(key.verify_totp("287082", 59, after=1), Match(Result.REPLAYED))
        self.assertFalse(key.verify_totp("287082", 59, after=1))
        self.assertTrue(key.verify_totp(key.totp()))

    def test_codes_in_a_row_are_counted_and_not_cut(self):
        self.assertEqual(key.resynchronize_hotp(["969429", "338314"], 1), Match(Result.ACCEPTED, 4, 3))
        self.assertFalse(key.resynchronize_hotp(["969429", "338314\0"], 1))
        self.refused(Status.INVALID_ARGUMENT, key.resynchronize_hotp, ["969429"], 1)

    def test_a_code_as_a_person_types_it(self):
        self.assertEqual(otp.read_typed_code("٢٨٧ ٠٨٢\n"), "287082")
        for typed in ("287082\0", "\ud800287082"):
            self.refused(Status.MALFORMED_CODE, otp.read_typed_code, typed)


class Types(Case):
    def test_texts(self):
        for value in (b"287082", bytearray(b"287082"), memoryview(b"287082"), 287082, 287082.0, None, True, ["287082"]):
            for call in (lambda: key.verify_totp(value, 59), lambda: key.verify_hotp(value, 1),
                         lambda: key.resynchronize_hotp([value, "338314"], 1), lambda: otp.read_typed_code(value),
                         lambda: otp.Key.from_base32(value), lambda: otp.base32_decode(value),
                         lambda: otp.KeyURI.parse(value), lambda: otp.KeyURI(SECRET, value).build()):
                self.refused_type(value, call)
            if value is not None:
                self.refused_type(value, otp.KeyURI(SECRET, "a", value).build)
        self.refused_type("287", key.resynchronize_hotp, "287", 1)

    def test_bytes(self):
        # bytes() would convert all of these except the first.
        for value in ("12345678", 5, True, [5], (5,), {5}, range(5), None, 5.0):
            self.refused_type(value, otp.Key, value)
            self.refused_type(value, otp.KeyURI(value, "a").build)
            self.refused_type(value, otp.base32_encode, value)

    def test_numbers(self):
        for value in (True, False, 59.0, "59", b"59", [59], {}, object()):
            for name in ("digits", "period", "t0"):
                self.refused_type(value, key.totp, 59, **{name: value})
            for name in ("time", "behind", "ahead", "after", "digits", "period", "t0"):
                self.refused_type(value, key.verify_totp, "287082", **{"time": 59, name: value})
            for name in ("counter", "digits", "look_ahead"):
                self.refused_type(value, key.verify_hotp, "287082", **{"counter": 1, name: value})
                self.refused_type(value, key.resynchronize_hotp, ["969429", "338314"], **{"counter": 1, name: value})
            for name in ("type", "hash", "digits", "period", "counter"):
                self.refused_type(value, otp.KeyURI(SECRET, "a", **{name: value}).build)
            self.refused_type(value, key.hotp, value)
            self.refused_type(value, otp.Key, SECRET, value)
            self.refused_type(value, otp.generate_secret, value)


class Liars(Case):
    """Subclasses whose methods say what they like. What counts is the bytes and the number that they are."""

    def test_subclasses(self):
        class Bytes(bytes):
            __len__ = __bool__ = lambda self: 1 << 30
            __getitem__ = __bytes__ = __iter__ = tobytes = lambda self, *_: b"x"

        class Text(str):
            encode = lambda self, *_: Bytes(b"x")

        class Number(int):
            __le__ = __lt__ = __ge__ = __gt__ = __eq__ = lambda self, other: True
            __hash__ = __index__ = __int__ = lambda self: 6

        self.assertEqual(otp.Key(Bytes(SECRET)).totp(59), "287082")
        self.assertEqual(otp.KeyURI.parse(otp.KeyURI(Bytes(SECRET), Text("a")).build()).secret, SECRET)
        self.assertTrue(key.verify_totp(Text("287082"), 59))
        keyring = otp.Keyring({Text("k"): Bytes(bytes(32))})
        record = keyring.enroll(Bytes(b"user"), secret=Bytes(SECRET), is_confirmed=True)
        self.assertFalse(keyring.verify("user", Bytes(record), Text("000000")))
        self.refused(Status.INVALID_DIGITS, key.totp, 59, digits=Number(2 ** 32 + 6))
        self.refused(Status.INVALID_COUNTER, key.hotp, Number(2 ** 64 + 1))
        self.assertEqual(key.totp(59, digits=Number(7))[1:], "287082")


class Secrets(Case):
    def test_they_are_as_long_as_the_tag(self):
        self.assertEqual([len(otp.generate_secret(hash)) for hash in otp.Hash], [20, 32, 64])

    def test_they_are_copied_from_any_buffer(self):
        writable = bytearray(SECRET)
        copied = otp.Key(writable)
        writable[:] = bytes(20)
        with_gaps = memoryview(bytearray(b"".join(bytes([byte, 0]) for byte in SECRET)))[::2]
        for made in (copied, otp.Key(memoryview(b"x" + SECRET)[1:]), otp.Key(with_gaps)):
            self.assertEqual(made.totp(59), "287082")

    def test_they_are_not_shown_copied_or_pickled(self):
        uri = otp.KeyURI(SECRET, "alice")
        self.assertEqual([repr(key), str(key), repr(uri), str(uri)], ["<otp.Key>"] * 2 + ["<otp.KeyURI>"] * 2)
        for call in (copy.copy, copy.deepcopy, pickle.dumps):
            self.assertRaises(TypeError, call, key)

    def test_a_closed_key_is_refused(self):
        with otp.Key(SECRET) as closed:
            self.assertEqual(closed.totp(59), "287082")
        closed.close()
        error = self.refused(Status.INVALID_ARGUMENT, closed.totp, 59)
        self.assertEqual(str(pickle.loads(pickle.dumps(error))), "the key is closed")


class Library(Case):
    def test_it_describes_and_tests_itself(self):
        otp.self_test()
        self.assertEqual(otp.info().version, otp.version())
        self.assertTrue(otp.info().backend)


if __name__ == "__main__":
    unittest.main()
