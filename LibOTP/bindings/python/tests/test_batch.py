"""A batch: an error stays with its request, and is never true."""

import sys
from dataclasses import replace

import otp
from otp import HOTPRequest, Match, Result, Status, TOTPRequest
from support import SECRET, Case

key = otp.Key(SECRET)
right = TOTPRequest(key, "287082", 59)
ACCEPTED = Match(Result.ACCEPTED, 1, 0)


class Batches(Case):
    def matches_between_right_ones(self, requests):
        """The matches of requests that stand between right ones."""
        everything = [right]
        for request in requests:
            everything += [request, right]
        matches = otp.verify_batch(everything)
        self.assertEqual(matches[::2], [ACCEPTED] * (len(requests) + 1))
        self.assertFalse(any(matches[1::2]))
        errors = [match.error for match in matches[1::2]]
        self.assertNotIn("287082", "".join(map(str, errors)))
        return errors

    def test_invalid_values(self):
        closed = otp.Key(SECRET)
        closed.close()
        wrong = [
            (replace(right, digits=5), Status.INVALID_DIGITS), (replace(right, behind=2 ** 32), Status.INVALID_WINDOW),
            (replace(right, time=2 ** 64), Status.INVALID_ARGUMENT), (replace(right, time=-1), Status.TIME_BEFORE_T0),
            (HOTPRequest(key, "287082", 1, look_ahead=1001), Status.INVALID_LOOK_AHEAD),
            (HOTPRequest(key, "287082", 2 ** 64), Status.INVALID_COUNTER),
            (replace(right, key=closed), Status.INVALID_ARGUMENT),
            (HOTPRequest(closed, "287082", 1), Status.INVALID_ARGUMENT),
        ]
        errors = self.matches_between_right_ones([request for request, _ in wrong])
        self.assertEqual([error.status for error in errors], [status for _, status in wrong])
        self.assertEqual([str(error) for error in errors].count("the key is closed"), 2)

    def test_wrong_types(self):
        wrong = [replace(right, key=other) for other in (None, "key", SECRET)]
        wrong += [replace(right, code=other) for other in (b"287082", 287082, None)]
        wrong += [replace(right, **{name: other}) for name in ("time", "after", "digits", "period")
                  for other in (True, 59.0)]
        wrong += [replace(right, time=None), replace(right, digits=[6]), HOTPRequest(key, "287082", "1"), None,
                  (key, "287082", 59), key, "287082"]
        for error in self.matches_between_right_ones(wrong):
            self.assertIsInstance(error, otp.WrongTypeError)

    def test_an_error_does_not_keep_its_key_from_being_wiped(self):
        holders = sys.getrefcount(key._handle)
        kept = otp.verify_batch([replace(right, digits=5), replace(right, code=None)])
        self.assertEqual(sys.getrefcount(key._handle), holders)
        self.assertFalse(any(kept))

    def test_any_iterable(self):
        self.assertEqual(otp.verify_batch(iter([right])), [ACCEPTED])
        self.assertEqual(otp.verify_batch([]), [])

    def test_a_request_shows_neither_key_nor_code(self):
        self.assertNotRegex(repr(right) + repr(HOTPRequest(key, "287082", 1)), "287082|1234567890|GEZD")
