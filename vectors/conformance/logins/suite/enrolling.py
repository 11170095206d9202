"""A factor is added, replaced and removed only by its owner."""

from __future__ import annotations

from .catalog import AGAIN, OPEN, RESET, test
from .login import PASSWORD, Broken, Cannot, Login, User


def pending(login: Login) -> User:
    """A user whose enrollment was confirmed with a wrong code, which must not do."""
    user = login.pending(login.new_user())
    login.next_step(user)
    if login.ask("confirm", user=user.name, code=user.key.wrong(login.now(), 1))["accepted"]:
        raise Broken("a wrong code confirmed an enrollment")
    return user


@test("enrolling", "medium", OPEN)
def wrong_code_confirms_nothing(login: Login) -> None:
    """An enrollment is not confirmed by a wrong code."""
    pending(login)


@test("enrolling", "medium", OPEN)
def pending_secret_signs_nobody_in(login: Login) -> str:
    """A secret that is not confirmed is not asked for, and its codes sign nobody in."""
    user = pending(login)
    login.next_step(user)
    if not login.asks(user.name):
        return "the password signs in, as before the enrollment"
    login.must_refuse(user, login.code(user), "a code of a pending secret signed in")
    return "refused"


@test("enrolling", "high", AGAIN)
def enrollment_needs_the_factor(login: Login) -> None:
    """A session that has verified only the password cannot enroll another secret."""
    if login.ask("replace", session=login.begin_without(login.new_user()))["refused"]:
        raise Cannot("the adapter cannot enroll in this way at all")
    user = login.enrolled()
    if not login.ask("replace", session=login.begin(user.name))["refused"]:
        raise Broken("a session that has verified only the password enrolled another secret")


def removed(login: Login, user: User, session: str) -> bool:
    """Whether this session removes the factor without a code. If not, a new one with a code must: the control."""
    login.ask("remove", session=session)
    if not login.asks(user.name):
        return True
    login.ask("remove", session=login.signed_in(user), code=login.code(user))
    if login.asks(user.name):
        raise Cannot("the adapter cannot remove a factor at all")
    return False


@test("enrolling", "high", AGAIN)
def removal_needs_the_factor(login: Login) -> None:
    """A session that has verified only the password cannot remove the factor."""
    user = login.enrolled()
    if removed(login, user, login.begin(user.name)):
        raise Broken("a session that has verified only the password removed the factor")


@test("enrolling", "medium", AGAIN)
def old_session_cannot_remove(login: Login) -> None:
    """A session that verified both factors two hours ago cannot remove the factor without a code or the password."""
    user = login.enrolled()
    session = login.signed_in(user)
    login.advance(7200)
    if removed(login, user, session):
        raise Broken("a session of two hours removed the factor without verifying anything again")


@test("enrolling", "high", RESET)
def new_password_keeps_the_factor(login: Login) -> None:
    """A user who resets a forgotten password is still asked for the second factor."""
    user = login.enrolled()
    login.ask("reset", user=user.name, password=PASSWORD)
    if not login.asks(user.name):
        raise Broken("after a new password, no second factor is asked for")
