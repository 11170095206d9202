"""Users' second factors, each in the column otp of its user's row, which is empty without one."""

import sqlite3
from typing import Callable, Optional

import psycopg2

from otp import Answer, AnswerKind, Keyring, RecordError, Status, replace_under


class Factors:
    """The factors in a database, by one connection: for one thread at a time."""

    def __init__(self, database: str, keyring: Keyring) -> None:
        """database: a connection string of PostgreSQL, or the path of an SQLite file."""
        self._keyring = keyring
        if "host=" in database:
            self._connection, self._mark = psycopg2.connect(database), "%s"
            self._connection.autocommit = True
        else:
            self._connection, self._mark = sqlite3.connect(database, timeout=60, isolation_level=None), "?"
            self._run("PRAGMA synchronous = EXTRA")

    def _run(self, statement: str, *values):
        cursor = self._connection.cursor()
        cursor.execute(statement.replace("?", self._mark), values)
        return cursor

    def _under_the_rule(self, user: int, answer: Callable[[bytes], Answer]) -> Answer:
        """Replaces the record that was read with the new one, if it is still there;
        answers only if that succeeded; otherwise reads again."""
        select = "SELECT otp FROM users WHERE id = ?"
        update = "UPDATE users SET otp = ? WHERE id = ? AND otp = ?"
        return replace_under(
            lambda: bytes(self._run(select, user).fetchone()[0]), answer,
            lambda old, new: 1 == self._run(update, new, user, old).rowcount)

    def enroll(self, user: int, now: int) -> Optional[str]:
        """The key URI of a new factor, for a QR code; None if the user has a factor."""
        try:
            new = self._under_the_rule(user, lambda record: Answer(
                AnswerKind.REJECTED, self._keyring.enroll(f"user {user}", previous=record, time=now), True))
        except RecordError as error:
            if error.status != Status.ENROLLED:
                raise
            return None
        return self._keyring.uri(f"user {user}", new.record, issuer="Example", account=str(user))

    def confirm(self, user: int, typed: str, now: int) -> Answer:
        """Confirms the enrollment by a code, which is spent."""
        return self._under_the_rule(
            user, lambda record: self._keyring.confirm(f"user {user}", record, typed, time=now))

    def sign_in(self, user: int, typed: str, now: int) -> Answer:
        """Verifies a code, after the right password. Give the client the answer's kind
        and until; log its reason."""
        return self._under_the_rule(user, lambda record: self._keyring.verify(
            f"user {user}", record, typed, time=now))
