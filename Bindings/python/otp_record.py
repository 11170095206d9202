"""Records with libotp: all that a server must remember about a user's second factor, sealed, in one column.

    import otp_record

    keyring = otp_record.Keyring.open("/etc/example/keyring")
    record = keyring.enroll("user 42")                                  # one column of your table
    show_qr_code(keyring.uri("user 42", record, issuer="Example", account="alice@example.com"))
    answer = keyring.confirm("user 42", record, typed)                  # and, to sign in:
    answer = keyring.verify("user 42", record, typed)

There is one rule, the same for every outcome: replace the record that you read by `answer.record`, if it is still
there; act on the answer only if that succeeded; otherwise read again. `replaced_under` does that.

    UPDATE users SET otp = %(new)s WHERE id = %(id)s AND otp = %(old)s

A record is `bytes`, opens only with its keyring and for its subject, and is never shown to the client. Errors are those
of the module `otp`; one is a failure of the server or a record that is not what it was, never a wrong code.
"""

from __future__ import annotations

import ctypes
import enum
import os
from dataclasses import dataclass
from typing import Callable, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import otp
from otp import BytesLike, Hash, KeyType, Status

__all__ = ["Answer", "AnswerKind", "Details", "Diagnosis", "Keyring", "Kind", "Policy", "Reason", "replaced_under"]


class AnswerKind(enum.IntEnum):
    """What became of what a user submitted."""

    #: Give every client the same answer, whatever the reason.
    REJECTED = 0
    #: Let the user in, once the record is replaced.
    ACCEPTED = 1
    #: The code has confirmed the enrollment. It signs nobody in.
    ENROLLED = 2
    #: Nothing was looked at: it is too early after earlier failures.
    WAIT = 3
    #: Nothing was looked at: there were too many failures.
    LOCKED = 4


class Reason(enum.IntEnum):
    """Why a code was rejected: for the log, never for the client. otp.h describes each."""

    NONE = 0
    MALFORMED = 1
    WRONG = 2
    REPLAYED = 3
    LATE = 4
    EARLY = 5
    PENDING = 6
    CONFIRMED = 7
    DISABLED = 8
    USED_UP = 9


class Kind(enum.IntEnum):
    """The kind of a record."""

    TOTP = 1
    HOTP = 2
    RECOVERY_CODES = 3


class Answer(NamedTuple):
    """An answer, which is true if the user may be let in once the record is replaced."""

    kind: AnswerKind
    #: The new record. Without it, the answer means nothing.
    record: bytes
    #: Whether it differs from the old one. If not, nothing need be written.
    changed: bool
    reason: Reason = Reason.NONE
    #: If accepted or enrolled: the step (TOTP), the counter (HOTP), or the number of the recovery code.
    step: int = 0
    #: How many steps the user's clock is ahead, as far as that is known.
    drift: int = 0
    #: When an attempt will be looked at again, as a Unix time; None for a lock that only `unlock` ends.
    until: Optional[int] = None

    def __bool__(self) -> bool:
        return self.kind == AnswerKind.ACCEPTED

    def __repr__(self) -> str:
        return f"<otp_record.Answer {self.kind.name} {self.reason.name}>"


@dataclass(frozen=True)
class Policy:
    """Which codes are accepted, and how many wrong ones; otp.h has each number's range."""

    #: TOTP: how many steps early or late a code may be, 0 to 10.
    adjacent_intervals: int = 5
    #: TOTP: how many steps of clock drift are learned from accepted codes, 0 to 10.
    drift_limit: int = 0
    #: TOTP: how many steps early or late consecutive codes are searched for, 0 to 1500.
    resynchronization_steps: int = 1500
    #: HOTP: how many counters ahead a code, or consecutive codes, are searched for, 0 to 1000.
    look_ahead: int = 10
    resynchronization_look_ahead: int = 100
    #: How many consecutive failures lock the factor, 1 to 100, and for how long; 0 seconds until `unlock`.
    failures_until_lock: int = 10
    lock_seconds: int = 3600
    #: From how many failures on the next attempt must wait, and how long at first; doubled with each further failure.
    first_delayed_failure: int = 4
    initial_delay_seconds: int = 1


#: One step either way, and nothing that searches further; the same limit on attempts.
Policy.STRICT = Policy(adjacent_intervals=1, resynchronization_steps=0, look_ahead=0, resynchronization_look_ahead=0)


@dataclass(frozen=True)
class Diagnosis:
    """How the user's app computes the code that it showed, if not as it was enrolled."""

    hash: Hash
    digits: int
    period: int
    #: TOTP: how many seconds its clock is ahead; negative if it is late.
    clock_offset: int
    #: HOTP: how many codes the token is ahead.
    counter_offset: int


@dataclass(frozen=True)
class Details:
    """What an operator may see of a record; otp.h describes each. `None` for what the kind lacks."""

    kind: Kind
    is_pending: bool
    hash: Optional[Hash]
    digits: Optional[int]
    period: Optional[int]
    t0: Optional[int]
    has_weak_secret: bool
    last_accepted: Optional[int]
    drift: int
    failures: int
    acceptances: int
    enrollment_time: int
    last_attempt_time: Optional[int]
    #: The numbers of the recovery codes that are left.
    unused_codes: Tuple[int, ...]
    #: The name of the key that sealed it; empty if it is not sealed.
    key_name: str


# ---- The structures of otp.h -----------------------------------------------------------------------------------------

_size, _unsigned, _int, _i64, _u64 = ctypes.c_size_t, ctypes.c_uint, ctypes.c_int, ctypes.c_int64, ctypes.c_uint64


class _NamedKey(ctypes.Structure):
    _fields_ = [("size", _size), ("name", ctypes.c_char_p), ("name_len", _size), ("key", ctypes.c_char_p),
                ("key_len", _size)]


class _Policy(ctypes.Structure):
    _fields_ = [("size", _size), ("adjacent_intervals", _unsigned), ("drift_limit", _unsigned),
                ("resynchronization_steps", _unsigned), ("look_ahead", _unsigned),
                ("resynchronization_look_ahead", _unsigned), ("failures_until_lock", _unsigned),
                ("lock_seconds", _i64), ("first_delayed_failure", _unsigned), ("initial_delay_seconds", _i64)]


class _Answer(ctypes.Structure):
    _fields_ = [("size", _size), ("kind", _int), ("status", _int), ("reason", _int), ("changed", _int), ("step", _u64),
                ("drift", _i64), ("has_until", _int), ("until", _i64)]


class _Enrollment(ctypes.Structure):
    _fields_ = [("size", _size), ("type", _int), ("hash", _int), ("digits", _unsigned), ("period", _i64), ("t0", _i64),
                ("counter", _u64), ("secret", ctypes.c_char_p), ("secret_len", _size), ("is_confirmed", _int),
                ("has_after", _int), ("after", _u64)]


class _Diagnosis(ctypes.Structure):
    _fields_ = [("size", _size), ("found", _int), ("hash", _int), ("digits", _unsigned), ("period", _i64),
                ("clock_offset", _i64), ("counter_offset", _i64)]


class _Details(ctypes.Structure):
    _fields_ = [("size", _size), ("kind", _int), ("is_pending", _int), ("hash", _int), ("digits", _unsigned),
                ("period", _i64), ("t0", _i64), ("has_weak_secret", _int), ("has_last_accepted", _int),
                ("last_accepted", _u64), ("drift", _i64), ("failures", _u64), ("acceptances", _u64),
                ("enrollment_time", _i64), ("has_last_attempt", _int), ("last_attempt_time", _i64),
                ("unused_codes", ctypes.c_uint32), ("key_name", ctypes.c_char * 33)]


_RECORD_MAX = 1536
_RECOVERY_CODE_LENGTH = 29


def _declare(library: ctypes.CDLL) -> None:
    pointer, text, p = ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER
    of = [pointer, text, _size]  # keyring, subject
    held, into = [text, _size], [pointer, p(_size)]
    submitted = [text, _size, _i64, p(_Policy)]
    signatures = {
        "otp_keyring_create": [p(_NamedKey), _size, p(pointer)],
        "otp_keyring_open": [text, p(pointer)],
        "otp_keyring_create_unsealed": [p(pointer)],
        "otp_record_enroll": of + [p(_Enrollment)] + held + [_i64] + into,
        "otp_record_recovery_codes": of + [_size, _i64, pointer, _size] + into,
        "otp_record_uri": of + held + [text, _size, text, _size] + into,
        "otp_record_confirm": of + held + submitted + into + [p(_Answer)],
        "otp_record_verify": of + held + submitted + into + [p(_Answer)],
        "otp_record_resynchronize": of + held + [p(text), _size, _i64, p(_Policy)] + into + [p(_Answer)],
        "otp_record_diagnose": of + held + [text, _size, _i64, p(_Diagnosis)],
        "otp_record_unlock": of + held + into,
        "otp_record_spend": of + held + [_i64, p(_Policy)] + into,
        "otp_record_reseal": of + held + into,
        "otp_record_info": of + held + [p(_Details)],
    }
    for name, arguments in signatures.items():
        getattr(library, name).argtypes = arguments
        getattr(library, name).restype = _int
    library.otp_keyring_destroy.argtypes = [pointer]
    library.otp_keyring_destroy.restype = None


_library = otp._library
_declare(_library)


class _Handle:
    """An otp_keyring, destroyed when the last call that uses it returns."""

    __slots__ = ("_as_parameter_",)

    def __init__(self) -> None:
        self._as_parameter_ = ctypes.c_void_p()

    def __del__(self, _destroy=_library.otp_keyring_destroy) -> None:
        _destroy(self._as_parameter_)


def _bytes(data: BytesLike, what: str) -> bytes:
    return data if isinstance(data, bytes) else otp._view(data, what).tobytes()


def _subject(subject: Union[str, bytes]) -> bytes:
    if not isinstance(subject, str):
        return _bytes(subject, "a subject")
    try:
        return subject.encode()
    except UnicodeEncodeError:
        # With a replacement, different subjects would become one.
        raise otp._error(Status.INVALID_SUBJECT) from None


def _c_policy(policy: Optional[Policy]) -> Optional[_Policy]:
    if policy is None:
        return None
    if not isinstance(policy, Policy):
        raise otp._wrong_type("a policy", "a Policy", policy)
    numbers = [otp._int64(getattr(policy, field)) for field, _ in _Policy._fields_[1:]]
    for (_, kind), number in zip(_Policy._fields_[1:], numbers):
        if kind is _unsigned:
            otp._unsigned(number, Status.INVALID_ARGUMENT)
    return _Policy(ctypes.sizeof(_Policy), *numbers)


class Keyring:
    """Keys that seal records, and all that can be done with a record. Any number of threads may use one at once.

    Every method takes the record's subject: whose factor it is, 1 to 1,024 bytes, such as "user 42", which never
    changes. A record opens only for the subject that it was made for. A `time` is the server's Unix time in seconds;
    None means now. A `policy` of None is `Policy()`.
    """

    __slots__ = ("_handle", "__weakref__")

    def __init__(self, keys: Mapping[str, BytesLike]) -> None:
        """A keyring of keys from elsewhere: names of 1 to 32 characters, and 32 random bytes each. The first seals."""
        if not isinstance(keys, Mapping):
            raise otp._wrong_type("the keys", "a mapping", keys)
        names = [otp._encoded(name, "a key's name") for name in keys]
        bytes_of = [_bytes(key, "a key") for key in keys.values()]
        array = (_NamedKey * len(names))(*[
            _NamedKey(ctypes.sizeof(_NamedKey), name, len(name), key, len(key)) for name, key in zip(names, bytes_of)])
        self._create(_library.otp_keyring_create, array, len(names))

    @classmethod
    def open(cls, path: Union[str, os.PathLike]) -> Keyring:
        """Reads a keyring's file, as `otp keyring new` writes it."""
        encoded = os.fsencode(path)
        if b"\0" in encoded:
            raise otp.InvalidInput(Status.INVALID_ARGUMENT, text="a path contains a NUL")
        return cls.__new__(cls)._create(_library.otp_keyring_open, encoded)

    @classmethod
    def unsealed(cls) -> Keyring:
        """A keyring that seals NOTHING, for a caller that encrypts and authenticates each record by other means."""
        return cls.__new__(cls)._create(_library.otp_keyring_create_unsealed)

    def _create(self, create, *arguments) -> Keyring:
        self._handle: Optional[_Handle] = None
        handle = _Handle()
        status = create(*arguments, ctypes.byref(handle._as_parameter_))
        if status:
            otp._fail(status)
        self._handle = handle
        return self

    def close(self) -> None:
        """Wipes and releases the keys, once no other thread's call uses them. A second call does nothing."""
        self._handle = None

    def __enter__(self) -> Keyring:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def __repr__(self) -> str:
        return "<otp_record.Keyring>"

    def __reduce__(self):
        raise TypeError("a Keyring is not copied or pickled")

    # ---- A factor's life.

    def enroll(self, subject: Union[str, bytes], *, type: KeyType = KeyType.TOTP, hash: Hash = Hash.SHA1,
               digits: int = 6, period: int = 30, t0: int = 0, counter: int = 0, secret: Optional[BytesLike] = None,
               is_confirmed: bool = False, after: Optional[int] = None, previous: Optional[bytes] = None,
               time: Optional[int] = None) -> bytes:
        """A new record, pending until `confirm`.

        secret: None for a new random one.
        is_confirmed, after: for a factor from another system, and the step that was accepted there last.
        previous: the subject's record that this one replaces: its failures stay counted.
        """
        held = b"" if secret is None else _bytes(secret, "a secret")
        if secret is not None and not held:
            otp._fail(Status.EMPTY_SECRET)
        enrollment = _Enrollment(
            ctypes.sizeof(_Enrollment), otp._in_range(type, 1, 2, Status.INVALID_ARGUMENT),
            otp._in_range(hash, 1, 3, Status.INVALID_ARGUMENT), otp._unsigned(digits, Status.INVALID_DIGITS),
            otp._int64(period, Status.INVALID_PERIOD), otp._int64(t0), otp._counter(counter), held or None, len(held),
            1 if is_confirmed else 0, 0 if after is None else 1, 0 if after is None else otp._counter(after))
        before = b"" if previous is None else _bytes(previous, "a record")
        return self._written(_library.otp_record_enroll, subject, ctypes.byref(enrollment), before or None,
                             len(before), otp._time(time))

    def recovery_codes(self, subject: Union[str, bytes], count: int = 10,
                       time: Optional[int] = None) -> Tuple[bytes, Sequence[str]]:
        """A record of 1 to 20 new recovery codes, and the codes: show them once, with their numbers from 1."""
        room = _RECOVERY_CODE_LENGTH + 1
        codes = ctypes.create_string_buffer(room * otp._in_range(count, 1, 20, Status.INVALID_ARGUMENT))
        record = self._written(_library.otp_record_recovery_codes, subject, count, otp._time(time), codes, len(codes))
        texts = otp._taken(codes, len(codes))
        return record, [texts[at:at + room - 1].decode() for at in range(0, len(texts), room)]

    def uri(self, subject: Union[str, bytes], record: bytes, *, issuer: str, account: str) -> str:
        """The key URI of a pending record, for a QR code that only the user who enrolls sees: it has the secret."""
        issuer_bytes = otp._encoded(issuer, "an issuer", "surrogatepass")
        account_bytes = otp._encoded(account, "an account", "surrogatepass")
        text = self._written(_library.otp_record_uri, subject, *self._held(record), issuer_bytes, len(issuer_bytes),
                             account_bytes, len(account_bytes), room=otp._URI_MAX + 1)
        return text.decode()

    def confirm(self, subject: Union[str, bytes], record: bytes, typed: str, *, time: Optional[int] = None,
                policy: Optional[Policy] = None) -> Answer:
        """Confirms an enrollment by a code, which is spent: `ENROLLED`. A failure is not counted."""
        return self._submit(_library.otp_record_confirm, subject, record, typed, time, policy)

    def verify(self, subject: Union[str, bytes], record: bytes, typed: str, *, time: Optional[int] = None,
               policy: Optional[Policy] = None) -> Answer:
        """Verifies what a user typed to sign in: counts the attempt, checks the code, spends it."""
        return self._submit(_library.otp_record_verify, subject, record, typed, time, policy)

    def resynchronize(self, subject: Union[str, bytes], record: bytes, codes: Sequence[str], *,
                      time: Optional[int] = None, policy: Optional[Policy] = None) -> Answer:
        """Verifies two or three consecutive codes of a token that has run ahead, or whose clock has drifted."""
        if isinstance(codes, str):
            raise otp._wrong_type("the codes", "a sequence of str", codes)
        texts = [otp._code(code).replace(b"\0", b"?") for code in codes]
        return self._answered(_library.otp_record_resynchronize, subject, *self._held(record),
                              (ctypes.c_char_p * len(texts))(*texts), len(texts), otp._time(time), policy)

    def diagnose(self, subject: Union[str, bytes], record: bytes, typed: str,
                 time: Optional[int] = None) -> Optional[Diagnosis]:
        """What explains a code that does not confirm a pending record; None if nothing does. For the operator."""
        out, encoded = _Diagnosis(ctypes.sizeof(_Diagnosis)), otp._code(typed)
        self._call(_library.otp_record_diagnose, subject, *self._held(record), encoded, len(encoded), otp._time(time),
                   ctypes.byref(out))
        return Diagnosis(Hash(out.hash), out.digits, out.period, out.clock_offset, out.counter_offset) \
            if out.found else None

    # ---- What an operator does.

    def unlock(self, subject: Union[str, bytes], record: bytes) -> bytes:
        """Clears the failures, and so ends a delay or lock: for an administrator who has made sure of who is asking."""
        return self._written(_library.otp_record_unlock, subject, *self._held(record))

    def spend(self, subject: Union[str, bytes], record: bytes, until: int, policy: Optional[Policy] = None) -> bytes:
        """Spends each TOTP code that may have been accepted up to a moment: after a backup was restored."""
        return self._written(_library.otp_record_spend, subject, *self._held(record), otp._int64(until),
                             _c_policy(policy))

    def reseal(self, subject: Union[str, bytes], record: bytes) -> bytes:
        """Seals a record again if another key than the first has sealed it; otherwise it stays as it is."""
        return self._written(_library.otp_record_reseal, subject, *self._held(record))

    def info(self, subject: Union[str, bytes], record: bytes) -> Details:
        """Describes a record, without its secret."""
        out = _Details(ctypes.sizeof(_Details))
        self._call(_library.otp_record_info, subject, *self._held(record), ctypes.byref(out))
        is_key = out.kind != Kind.RECOVERY_CODES
        return Details(
            Kind(out.kind), bool(out.is_pending), Hash(out.hash) if is_key else None, out.digits if is_key else None,
            out.period if out.kind == Kind.TOTP else None, out.t0 if out.kind == Kind.TOTP else None,
            bool(out.has_weak_secret), out.last_accepted if out.has_last_accepted else None, out.drift, out.failures,
            out.acceptances, out.enrollment_time, out.last_attempt_time if out.has_last_attempt else None,
            tuple(number for number in range(1, 21) if out.unused_codes >> (number - 1) & 1), out.key_name.decode())

    # ---- Calls.

    @staticmethod
    def _held(record: bytes) -> Tuple[bytes, int]:
        held = _bytes(record, "a record")
        return held, len(held)

    def _call(self, function, subject: Union[str, bytes], *arguments) -> None:
        handle = self._handle
        if handle is None:
            raise otp.InvalidInput(Status.INVALID_ARGUMENT, text="the keyring is closed")
        whose = _subject(subject)
        status = function(handle, whose, len(whose), *arguments)
        if status:
            otp._fail(status)

    def _written(self, function, subject: Union[str, bytes], *arguments, room: int = _RECORD_MAX) -> bytes:
        out, length = ctypes.create_string_buffer(room), _size(room)
        self._call(function, subject, *arguments, out, ctypes.byref(length))
        return otp._taken(out, length.value)

    def _submit(self, function, subject, record: bytes, typed: str, time: Optional[int],
                policy: Optional[Policy]) -> Answer:
        encoded = otp._code(typed)
        return self._answered(function, subject, *self._held(record), encoded, len(encoded), otp._time(time), policy)

    def _answered(self, function, subject, *arguments) -> Answer:
        *arguments, policy = arguments
        out, length = ctypes.create_string_buffer(_RECORD_MAX), _size(_RECORD_MAX)
        answer = _Answer(ctypes.sizeof(_Answer))
        self._call(function, subject, *arguments, _c_policy(policy), out, ctypes.byref(length), ctypes.byref(answer))
        kind = AnswerKind(answer.kind) if answer.kind in AnswerKind._value2member_map_ else AnswerKind.REJECTED
        reason = Reason(answer.reason) if answer.reason in Reason._value2member_map_ else Reason.NONE
        return Answer(kind, otp._taken(out, length.value), bool(answer.changed), reason, answer.step, answer.drift,
                      answer.until if answer.has_until else None)


def replaced_under(read: Callable[[], bytes], answer: Callable[[bytes], Answer],
                   replace: Callable[[bytes, bytes], bool]) -> Answer:
    """The one rule: an answer whose record has replaced the one that it was computed from.

    read: reads the column.
    answer: such as `lambda record: keyring.verify("user 42", record, typed)`.
    replace: takes the new and the old record, and says whether the old one was still there and is replaced, durably:
      `UPDATE ... WHERE id = ... AND otp = old` has changed a row.
    """
    while True:
        record = read()
        found = answer(record)
        if not found.changed or replace(found.record, record):
            return found
