"""Records: all that a server must remember about a user's second factor, sealed, in one column."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping

from otp import _header as c
from otp._arguments import as_bytes, code_bytes, codes_array, counter as counter_of, encoded, in_range, int64, \
    moment_of, pinned, seconds, seconds_or_now, taken, unsigned, wrong_type
from otp._header import AnswerKind, Cause, Hash, KeyType, Policy, Reason, RecordKind, Status
from otp._library import failure, library
from otp._owner import Owner
from otp.errors import InvalidInputError, WrongTypeError
from otp.keys import hash_number, type_number
from otp.records import Answer, Diagnosis, Explanation, RecordDetails

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Callable, Union

    from otp._arguments import BytesLike, Time

    Subject = Union[str, bytes]
    Function = Callable[..., None]


class Keyring(Owner):
    """Keys that seal records, and all that can be done with a record. A context manager, which wipes the keys.

    Any number of threads may use one at once. Every method takes the record's subject: whose factor it is, 1 to 1,024
    bytes, such as "user 42", which never changes. A record opens only for the subject that it was made for. A `time` is
    the server's, from 2000 to 2199: Unix time in seconds, or a datetime with a time zone; None means now. A `policy`
    of None is `Policy()`. Each method is a function of otp.h, which describes it: `verify` is otp_record_verify().
    """

    __slots__ = ()
    _destroy = library.otp_keyring_destroy

    def __init__(self, keys: Mapping[str, BytesLike]) -> None:
        """A keyring of keys from elsewhere: names of 1 to 32 characters, and 32 random bytes each. The first seals.
        The library copies them: afterward, wipe a bytearray (`key[:] = bytes(32)`); bytes cannot be wiped."""
        if not isinstance(keys, Mapping):
            raise wrong_type("the keys", "a mapping", keys)
        pairs = [(encoded(name, "a key's name"), pinned(key, "a key")) for name, key in keys.items()]
        array = (c.NamedKey * len(pairs))(*(
            c.NamedKey.of(name, len(name), ctypes.cast(key, ctypes.c_char_p), len(key)) for name, key in pairs))
        self._create(library.otp_keyring_create, array, len(pairs))

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Keyring:
        """Reads a keyring's file, as `create_file` or `otp keyring new` writes it."""
        return cls.__new__(cls)._create(library.otp_keyring_open, _path(path))

    @staticmethod
    def create_file(path: str | os.PathLike[str]) -> None:
        """Writes a new keyring's file, as `otp keyring new` does: once, never at a server's start, since new keys open
        no old record. If something is there, a KeyringError says so."""
        library.otp_keyring_create_file(_path(path))

    @classmethod
    def unsealed(cls) -> Keyring:
        """A keyring that seals NOTHING, for a caller that encrypts and authenticates each record by other means."""
        return cls.__new__(cls)._create(library.otp_keyring_create_unsealed)

    # ---- A factor's life.

    def enroll(self, subject: Subject, *, type: KeyType = KeyType.TOTP, hash: Hash = Hash.SHA1, digits: int = 6,
               period: int = 30, t0: int = 0, counter: int = 0, secret: BytesLike | None = None,
               is_confirmed: bool = False, after: int | None = None, previous: bytes | None = None,
               replace: bool = False, time: Time | None = None) -> bytes:
        """A new record, pending until `confirm`.

        secret: None for a new random one.
        is_confirmed, after: for a factor from another system, and the step that was accepted there last.
        previous: the subject's record that this one replaces: its failures stay counted, and what was spent stays
            spent. One of an active factor is a RecordError, unless `replace` says so.
        """
        key = b"" if secret is None else as_bytes(secret, "a secret")
        if secret is not None and not key:
            raise failure(Status.EMPTY_SECRET)
        enrollment = c.Enrollment.of(
            type_number(type), hash_number(hash), unsigned(digits, Status.INVALID_DIGITS),
            int64(period, Status.INVALID_PERIOD), int64(t0, what="t0"), counter_of(counter), key or None, len(key),
            bool(is_confirmed), after is not None, 0 if after is None else counter_of(after), bool(replace))
        return self._written(library.otp_record_enroll, subject, enrollment, *_held_if_any(previous),
                             seconds_or_now(time))

    def recovery_codes(self, subject: Subject, count: int = 10, time: Time | None = None, *,
                       previous: bytes | None = None) -> tuple[bytes, list[str]]:
        """A record of 1 to 20 new recovery codes, and the codes: show them once, with their numbers from 1.

        previous: the record of the codes that they replace: its failures stay counted.
        """
        room = c.RECOVERY_CODE_LENGTH + 1
        count = in_range(count, 1, 20, Status.INVALID_ARGUMENT, "count")
        codes = ctypes.create_string_buffer(room * count)
        record = self._written(library.otp_record_recovery_codes, subject, count, *_held_if_any(previous),
                               seconds_or_now(time), codes, len(codes))
        return record, taken(codes, len(codes)).decode().rstrip("\0").split("\0")

    def uri(self, subject: Subject, record: bytes, *, issuer: str, account: str) -> str:
        """The key URI of a pending record, for a QR code that only the user who enrolls sees: it has the secret."""
        issuer_text = encoded(issuer, "an issuer", "surrogatepass")
        account_text = encoded(account, "an account", "surrogatepass")
        return self._written(library.otp_record_uri, subject, *_held(record), issuer_text, len(issuer_text),
                             account_text, len(account_text), room=c.URI_MAX + 1).decode()

    def confirm(self, subject: Subject, record: bytes, typed: str, *, time: Time | None = None,
                policy: Policy | None = None) -> Answer:
        """Confirms an enrollment by a code, which is spent: `ENROLLED`. A failure is not counted."""
        text = code_bytes(typed)
        return self._answered(library.otp_record_confirm, subject, record, text, len(text), time, policy)

    def verify(self, subject: Subject, record: bytes, typed: str, *, time: Time | None = None,
               policy: Policy | None = None) -> Answer:
        """Verifies what a user typed to sign in: counts the attempt, checks the code, spends it."""
        text = code_bytes(typed)
        return self._answered(library.otp_record_verify, subject, record, text, len(text), time, policy)

    def resynchronize(self, subject: Subject, record: bytes, codes: Sequence[str], *, time: Time | None = None,
                      policy: Policy | None = None) -> Answer:
        """Verifies two or three consecutive codes of a token that has run ahead, or whose clock has drifted."""
        texts = codes_array(codes)
        return self._answered(library.otp_record_resynchronize, subject, record, texts, len(texts), time, policy)

    def diagnose(self, subject: Subject, record: bytes, typed: str, time: Time | None = None) -> Diagnosis | None:
        """What explains a code that does not confirm a pending record; None if nothing does. For the operator."""
        out, text = c.Diagnosis.of(), code_bytes(typed)
        self._call(library.otp_record_diagnose, subject, *_held(record), text, len(text), seconds_or_now(time), out)
        return Diagnosis(Hash(out.hash), out.digits, out.period, out.clock_offset, out.counter_offset) \
            if out.found else None

    # ---- What an operator does.

    def explain(self, subject: Subject, record: bytes, typed: str, *, time: Time | None = None,
                policy: Policy | None = None) -> Explanation:
        """Explains to an administrator, never to the client, why a code is not accepted. It counts no attempt."""
        out, text = c.Explanation.of(), code_bytes(typed)
        self._call(library.otp_record_explain, subject, *_held(record), text, len(text), seconds_or_now(time),
                   _in_c(policy), out)
        app = Diagnosis(Hash(out.hash), out.digits, out.period, out.clock_offset, 0 if out.period else out.offset)
        return Explanation(
            Cause(out.cause), out.step if out.found else None, out.offset, out.odds, app if out.odds else None,
            AnswerKind(out.refusal) if out.refusal else None, moment_of(out.until) if out.has_until else None,
            bool(out.needs_enrollment), moment_of(out.loss_end) if out.has_loss_end else None)

    def unlock(self, subject: Subject, record: bytes, time: Time | None = None) -> bytes:
        """Clears the failures, which ends a delay or lock: for an administrator who has verified who is asking."""
        return self._written(library.otp_record_unlock, subject, *_held(record), seconds_or_now(time))

    def spend(self, subject: Subject, record: bytes, until: Time, policy: Policy | None = None) -> bytes:
        """Spends each TOTP code that may have been accepted up to a moment: after a backup was restored."""
        return self._written(library.otp_record_spend, subject, *_held(record), seconds(until), _in_c(policy))

    def reseal(self, subject: Subject, record: bytes) -> bytes:
        """Seals a record again if another key than the first has sealed it; otherwise it stays as it is."""
        return self._written(library.otp_record_reseal, subject, *_held(record))

    def info(self, subject: Subject, record: bytes) -> RecordDetails:
        """Describes a record, without its secret."""
        out = c.RecordDetails.of()
        self._call(library.otp_record_info, subject, *_held(record), out)
        kind = RecordKind(out.kind)
        has_key, has_steps = kind != RecordKind.RECOVERY_CODES, kind == RecordKind.TOTP
        return RecordDetails(
            kind, bool(out.is_pending), Hash(out.hash) if has_key else None, out.digits if has_key else None,
            out.period if has_steps else None, out.t0 if has_steps else None, bool(out.has_weak_secret),
            out.last_accepted if out.has_last_accepted else None, out.drift, out.failures, out.acceptances,
            moment_of(out.enrollment_time), moment_of(out.last_attempt_time) if out.has_last_attempt else None,
            tuple(number for number in range(1, 21) if out.unused_codes >> (number - 1) & 1), out.key_name.decode())

    # ---- Calls.

    def _call(self, function: Function, subject: Subject, *arguments: Any) -> None:
        whose = _subject(subject)
        function(self._open(), whose, len(whose), *arguments)

    def _written(self, function: Function, subject: Subject, *arguments: Any, answer: tuple[c.Answer, ...] = (),
                 room: int = c.RECORD_MAX) -> bytes:
        """What the function writes: a record, or a text."""
        out, length = ctypes.create_string_buffer(room), ctypes.c_size_t(room)
        self._call(function, subject, *arguments, out, length, *answer)
        return taken(out, length.value)

    def _answered(self, function: Function, subject: Subject, record: bytes, codes: Any, count: int,
                  time: Time | None, policy: Policy | None) -> Answer:
        answer = c.Answer.of()
        new = self._written(function, subject, *_held(record), codes, count, seconds_or_now(time), _in_c(policy),
                            answer=(answer,))
        return Answer(AnswerKind(answer.kind), new, bool(answer.changed), Reason(answer.reason), answer.step,
                      answer.drift, moment_of(answer.until) if answer.has_until else None)


def _path(path: str | os.PathLike[str]) -> bytes:
    name = as_bytes(os.fsencode(path), "a path")
    if b"\0" in name:
        raise InvalidInputError(Status.INVALID_ARGUMENT, "a path contains a NUL")
    return name


def _held(record: bytes) -> tuple[bytes, int]:
    data = as_bytes(record, "a record")
    return data, len(data)


def _held_if_any(record: bytes | None) -> tuple[bytes, int]:
    return _held(b"" if record is None else record)


def _subject(subject: Subject) -> bytes:
    if not isinstance(subject, str):
        try:
            return as_bytes(subject, "a subject")
        except WrongTypeError:
            raise wrong_type("a subject", "str or bytes", subject) from None
    try:
        return str.encode(subject)
    except UnicodeEncodeError:
        # With a replacement, different subjects would become one.
        raise failure(Status.INVALID_SUBJECT) from None


def _in_c(policy: Policy | None) -> c.RecordPolicy | None:
    if policy is None:
        return None
    if not isinstance(policy, Policy):
        raise wrong_type("a policy", "a Policy", policy)
    # What is too low is named here; the library says only that some number is too high.
    return c.RecordPolicy.of(*(
        in_range(getattr(policy, name), int(name in ("failures_until_lock", "first_delayed_failure")),
                 0x7FFF_FFFF_FFFF_FFFF if name.endswith("_seconds") else 0xFFFF_FFFF, Status.INVALID_POLICY, name)
        for name, _ in c.RecordPolicy._fields_))
