"""What the tests share."""

from __future__ import annotations

import os
import pathlib
import unittest
from typing import Any, Callable

import otp

SECRET = b"12345678901234567890"
#: The repository, which has the vectors and otp.h; an sdist is without.
ROOT = pathlib.Path(os.environ.get("SWIFT_OTP") or pathlib.Path(__file__).resolve().parents[4])
in_repository = unittest.skipUnless((ROOT / "LibOTP/include/otp.h").exists(), "needs the repository: set SWIFT_OTP")


class Case(unittest.TestCase):
    def refused(self, status: otp.Status, call: Callable[..., Any], *arguments: Any,
                kind: type[otp.OTPError] = otp.InvalidInputError, **named: Any) -> otp.OTPError:
        """The error of a call that must fail with this status, and must not repeat an argument."""
        with self.assertRaises(kind) as raised:
            call(*arguments, **named)
        error = raised.exception
        self.assertEqual(error.status, status)
        for value in (*arguments, *named.values()):
            if isinstance(value, (str, bytes)) and len(value) > 5:
                self.assertNotIn(str(value), str(error))
        return error

    def refused_type(self, value: object, call: Callable[..., Any], *arguments: Any, **named: Any) -> None:
        """A TypeError, which names the type of the value and never the value."""
        error = self.refused(otp.Status.INVALID_ARGUMENT, call, *arguments, kind=otp.WrongTypeError, **named)
        self.assertIsInstance(error, TypeError)
        self.assertIn(type(value).__name__, str(error))
        self.assertNotRegex(str(error), "87082|12345678")
