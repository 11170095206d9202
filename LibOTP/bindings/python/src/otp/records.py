"""What a keyring takes and gives: policies, answers, and what an operator may see of a record."""

from __future__ import annotations

from otp._header import AnswerKind, Cause, Hash, Reason, RecordKind, Status
from otp._values import dataclass
from otp.errors import InvalidInputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from typing import TypeVar

    _New = TypeVar("_New", "Answer", bytes)


@dataclass(frozen=True)
class Answer:
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
    #: When an attempt will be looked at again; None for a lock that only `unlock` ends or, after 100 failures, a new
    #: enrollment.
    until: datetime | None = None

    def __bool__(self) -> bool:
        return self.kind == AnswerKind.ACCEPTED


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
class Explanation:
    """What a code is to a record, for an administrator; otp.h describes each."""

    cause: Cause
    #: The code's step, its counter (HOTP), or the number of the recovery code; None if it was not found.
    step: int | None
    #: How many steps it is after the server's, or counters after the next expected one.
    offset: int
    #: One in this many wrong codes would be explained like this, by accident; 0 for recovery codes.
    odds: int
    #: How the user's app computes the code, if it was found; None for recovery codes.
    app: Diagnosis | None
    #: WAIT or LOCKED if failures keep any code from being accepted, else None; until when, as in Answer.
    refusal: AnswerKind | None
    until: datetime | None
    #: Whether the factor stays locked until a new enrollment.
    needs_enrollment: bool
    #: When the app shows the first code that was not spent after a loss; None if it shows one already.
    loss_end: datetime | None


@dataclass(frozen=True)
class RecordDetails:
    """What an operator may see of a record; otp.h describes each. `None` for what the kind lacks."""

    kind: RecordKind
    is_pending: bool
    hash: Hash | None
    digits: int | None
    period: int | None
    t0: int | None
    has_weak_secret: bool
    last_accepted: int | None
    drift: int
    failures: int
    acceptances: int
    enrollment_time: datetime
    last_attempt_time: datetime | None
    #: The numbers of the recovery codes that are left.
    unused_codes: tuple[int, ...]
    #: The name of the key that sealed it; empty if it is not sealed.
    key_name: str


def replace_under(read: Callable[[], bytes], answer: Callable[[bytes], _New],
                  replace: Callable[[bytes, bytes], bool]) -> _New:
    """The one rule: an answer whose record has replaced the one that it was computed from.

    read: reads the column.
    answer: such as `lambda record: keyring.verify("user 42", record, typed)`; or the new record as bytes, such as
      `lambda record: keyring.unlock("user 42", record)`.
    replace: takes the old and the new record, and says whether the old one was still there and is replaced, durably:
      `UPDATE ... SET otp = new WHERE id = ... AND otp = old` has changed a row.

    Raises InvalidInputError if `replace` refuses sixteen times what `read` returns: it can never succeed, as with a
    column that is NULL or, in SQLite, text.
    """
    last: bytes | None = None
    refused = 0
    while refused < 16:
        record = read()
        last, refused = record, refused + 1 if record == last else 1
        found = answer(record)
        new = (found.record if found.changed else record) if isinstance(found, Answer) else found
        if new == record or replace(record, new):
            return found
    raise InvalidInputError(Status.INVALID_ARGUMENT, "the column never equals what was read of it")
