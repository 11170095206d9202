"""The names of the package, which it imports at the first use of one."""

from otp._header import AnswerKind, Cause, Hash, KeyType, Policy, Reason, RecordKind, Result, Status
from otp.engine import LibraryInfo, info, self_test, version
from otp.errors import InvalidInputError, KeyringError, OTPError, RecordError, UnavailableError, WrongTypeError
from otp.keyring import Keyring
from otp.keys import Key, generate_secret, read_typed_code
from otp.records import Answer, Diagnosis, Explanation, RecordDetails, replace_under
from otp.texts import KeyURI, base32_decode, base32_encode
from otp.verification import Match

__all__ = [
    "Answer", "AnswerKind", "Cause", "Diagnosis", "Explanation", "Hash", "InvalidInputError", "Key", "KeyType",
    "KeyURI", "Keyring", "KeyringError", "LibraryInfo", "Match", "OTPError", "Policy", "Reason", "RecordDetails",
    "RecordError", "RecordKind", "Result", "Status", "UnavailableError", "WrongTypeError", "base32_decode",
    "base32_encode", "generate_secret", "info", "read_typed_code", "replace_under", "self_test", "version",
]
