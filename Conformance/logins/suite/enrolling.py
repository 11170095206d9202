"""A factor is added, replaced and removed only by its owner."""

from __future__ import annotations

from .catalogue import Broken, Otherwise, test
from .login import PASSWORD, Cannot, Login, NoFactor, User
from .standards import AGAIN, OPEN, RESET


@test("enrolling", "medium", OPEN)
def wrong_code_confirms_nothing(login: Login) -> None:
    """An enrollment is not confirmed by a wrong code."""
    user = login.pending(login.new_user())
    login.next_step(user)
    if login.ask("confirm", user=user.name, code=user.key.wrong(login.now(), 1))["accepted"]:
        raise Broken("a wrong code confirmed an enrollment")


@test("enrolling", "medium", OPEN)
def pending_secret_signs_nobody_in(login: Login) -> str:
    """A secret that is not confirmed is not asked for, and its codes sign nobody in."""
    user = login.pending(login.new_user())
    login.ask("confirm", user=user.name, code=user.key.wrong(login.now(), 1))
    login.next_step(user)
    try:
        session = login.begin(user.name)
    except NoFactor:
        return "the password signs in, as before the enrollment"
    if login.submit(session, login.code(user))["accepted"]:
        raise Broken("a code of a pending secret signed in")
    return "refused"


@test("enrolling", "high", AGAIN)
def enrollment_needs_the_factor(login: Login) -> None:
    """Who has verified only the password cannot enrol another secret."""
    user = login.enrolled()
    said = login.ask("replace", session=login.begin(user.name))
    if not said["refused"]:
        raise Broken("a session that has verified only the password enrolled another secret")


@test("enrolling", "high", AGAIN)
def removal_needs_the_factor(login: Login) -> None:
    """Who has verified only the password cannot remove the factor."""
    user = login.enrolled()
    session = login.begin(user.name)
    login.ask("remove", session=session)
    if not asks(login, user.name):
        raise Broken("a session that has verified only the password removed the factor")
    can_remove(login, user)


@test("enrolling", "medium", AGAIN)
def old_session_cannot_remove(login: Login) -> None:
    """A session that verified both factors two hours ago cannot remove the factor without a code or the password."""
    user = login.enrolled()
    session = login.signed_in(user)
    login.advance(7200)
    login.ask("remove", session=session)
    if not asks(login, user.name):
        raise Otherwise("a session of two hours removed the factor without proving anything again")
    can_remove(login, user)


@test("enrolling", "high", RESET)
def new_password_keeps_the_factor(login: Login) -> None:
    """A user who resets a forgotten password is still asked for the second factor."""
    user = login.enrolled()
    login.ask("reset", user=user.name, password=PASSWORD)
    if not asks(login, user.name):
        raise Broken("after a new password, no second factor is asked for")


def can_remove(login: Login, user: User) -> None:
    """The control: a new session with a right code does remove the factor. Otherwise that one did not shows nothing."""
    session = login.signed_in(user)
    login.ask("remove", session=session, code=login.code(user))
    if asks(login, user.name):
        raise Cannot("the adapter cannot remove a factor at all")


def asks(login: Login, user: str) -> bool:
    """Whether a login of the user asks for a second factor."""
    try:
        login.begin(user)
    except NoFactor:
        return False
    return True
