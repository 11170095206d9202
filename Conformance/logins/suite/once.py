"""A code is accepted at most once."""

from __future__ import annotations

import time
from typing import Iterator

from .catalogue import Broken, Otherwise, test
from .login import Cannot, Crashed, Login, User
from .standards import ONCE, OPEN, USABLE_ONCE

MANY = 100
OTHER_DIGITS = {"full-width digits": 0xFF10, "Arabic digits": 0x0660}


def refuse(login: Login, user: User, code: str, what: str, **fields: object) -> None:
    """The code must not sign in."""
    if login.accepts(user, code, **fields):
        raise Broken(what)


@test("once", "high", ONCE)
def replay_in_its_step(login: Login) -> None:
    """The code that signed in is refused in another session, in the same step."""
    user = login.enrolled()
    code = login.code(user)
    login.must_accept(user, code)
    refuse(login, user, code, "the same code signed in twice in its step")


@test("once", "high", ONCE)
def replay_in_the_window(login: Login) -> None:
    """The code that signed in is refused one step later, and two."""
    user = login.enrolled()
    code = login.code(user)
    login.must_accept(user, code)
    for later in (1, 2):
        login.next_step(user)
        refuse(login, user, code, f"the same code signed in again {later} steps later")


@test("once", "high", ONCE)
def replay_of_the_next_steps_code(login: Login) -> None:
    """A code of the next step, where a window takes it, is refused when its step comes."""
    user = login.enrolled()
    code = login.code(user, 1)
    if not login.accepts(user, code):
        raise Cannot("the window does not reach the next step")
    login.next_step(user)
    refuse(login, user, code, "the same code signed in early, and again in its step")


@test("once", "high", ONCE)
def replay_in_another_spelling(login: Login) -> None:
    """The code that signed in is refused with spaces, and in other digits."""
    user = login.enrolled()
    code = login.code(user)
    login.must_accept(user, code)
    spelled = {"a space": f"{code[:3]} {code[3:]}", "spaces around": f" {code} "}
    spelled |= {name: "".join(chr(zero + int(digit)) for digit in code) for name, zero in OTHER_DIGITS.items()}
    for name, text in spelled.items():
        refuse(login, user, text, f"the same code signed in again, written with {name}")


@test("once", "high", ONCE)
def replay_after_a_later_code(login: Login) -> None:
    """A used code is refused after a later step's code has signed in."""
    user = login.enrolled()
    code = login.code(user)
    login.must_accept(user, code)
    login.next_step(user)
    login.must_accept(user, login.code(user))
    refuse(login, user, code, "a used code signed in again after the next step's")


@test("once", "high", ONCE)
def replay_after_a_restart(login: Login) -> None:
    """The code that signed in is refused after a restart."""
    user = login.enrolled()
    code = login.code(user)
    login.must_accept(user, code)
    login.ask("restart")
    refuse(login, user, code, "the same code signed in again after a restart")


@test("once", "high", ONCE)
def replay_after_a_kill(login: Login) -> None:
    """The code that signed in is refused after SIGKILL right after the answer."""
    user = login.enrolled()
    code, session = login.code(user), login.begin(user.name)
    if not login.submit(session, code)["accepted"]:
        raise Crashed("a right code is refused, so nothing can be said")
    login.ask("kill")
    login.ask("restart")
    refuse(login, user, code, "the same code signed in again after SIGKILL")


def rounds(login: Login) -> Iterator[int]:
    """Two rounds at least, and others for some seconds: a race is not won each time."""
    started, number = time.monotonic(), 0
    while number < 2 or time.monotonic() - started < login.race_seconds:
        number += 1
        yield number


def at_once(login: Login, user: User, recovery: str = "", servers: int = 1, **fields: object) -> None:
    """Many requests with one code, of the app or for recovery: one may sign in."""
    sessions = [login.begin(user.name, **({"server": number % servers} if servers > 1 else {}))
                for number in range(MANY)]
    login.next_step(user)  # the sessions took their time, and a window may be a single step
    code = recovery or login.code(user)
    answers = login.at_once([{"do": "submit", "session": session, "code": code, "route": "login"} | fields
                             for session in sessions])
    accepted = sum(bool(answer["accepted"]) for answer in answers)
    if accepted > 1:
        raise Broken(f"{accepted} of {MANY} requests at once signed in with one code")
    if accepted == 0:
        raise Otherwise(f"none of {MANY} requests at once signed in with one right code")


@test("once", "high", ONCE)
def replay_at_once(login: Login) -> None:
    """Of 100 requests at once with one code, one signs in."""
    for _ in rounds(login):
        user = login.enrolled()
        at_once(login, user)


@test("once", "high", ONCE)
def replay_at_two_servers(login: Login) -> None:
    """Two server processes on one database accept a code once, one after the other and at once."""
    if login.about.get("servers", 1) < 2:
        raise Cannot("the adapter starts one server process")
    user = login.enrolled()
    code = login.code(user)
    login.must_accept(user, code, server=0)
    refuse(login, user, code, "the same code signed in at the other server process", server=1)
    for _ in rounds(login):
        user = login.enrolled()
        at_once(login, user, servers=2)


@test("once", "medium", ONCE)
def replay_of_the_enrollments_code(login: Login) -> None:
    """The code that confirmed the enrollment does not sign in."""
    user = login.enrolled(rest=False)
    if not user.enrolled_with:
        raise Cannot("an enrollment is not confirmed by a code")
    refuse(login, user, user.enrolled_with, "the code that confirmed the enrollment signed in")


@test("once", "high", ONCE)
def replay_by_another_route(login: Login) -> None:
    """The code that signed in is refused by each other route, and the other way round."""
    if not login.routes():
        raise Cannot("codes are submitted by one route")
    for route in login.routes():
        user = login.enrolled()
        session = login.signed_in(user)
        code = login.code(user)
        login.must_accept(user, code)
        if login.submit(session, code, route)["accepted"]:
            raise Broken(f"the code that signed in was accepted again by the route {route}")
        login.next_step(user, 2)
        code = login.code(user)
        if not login.submit(session, code, route)["accepted"]:
            raise Crashed(f"a right code is refused by the route {route}, so nothing can be said")
        refuse(login, user, code, f"a code that was accepted by the route {route} signed in")


@test("once", "low", OPEN)
def earlier_step_after_a_later(login: Login) -> None:
    """An unused code of the step before is refused after the present step's has signed in."""
    user = login.enrolled()
    login.must_accept(user, login.code(user))
    refuse(login, user, login.code(user, -1), "an unused code of the step before signed in")


@test("once", "low", OPEN)
def colliding_steps(login: Login) -> None:
    """Digits that two successive steps share sign in once."""
    if not login.can_set_time:
        raise Cannot("its clock cannot be set")
    user = login.enrolled()
    step = user.key.next_collision(login.now())
    if step is None:
        raise Cannot("this secret has no such steps within four million")
    login.go_to_step(step, user.key.period)
    code = login.code(user)
    login.must_accept(user, code)
    login.next_step(user)
    refuse(login, user, code, "the same digits signed in twice, as codes of two steps")


@test("once", "high", USABLE_ONCE)
def recovery_code_again(login: Login) -> None:
    """A recovery code signs in once: not in another session, nor after a restart."""
    user = login.enrolled()
    code = login.ask("recovery-codes", user=user.name)["codes"][0]
    if not login.ask("recovery", session=login.begin(user.name), code=code)["accepted"]:
        raise Crashed("a recovery code is refused, so nothing can be said")
    if login.ask("recovery", session=login.begin(user.name), code=code)["accepted"]:
        raise Broken("a recovery code signed in twice")
    login.ask("restart")
    if login.ask("recovery", session=login.begin(user.name), code=code)["accepted"]:
        raise Broken("a recovery code signed in again after a restart")


@test("once", "high", USABLE_ONCE)
def recovery_code_at_once(login: Login) -> None:
    """Of 100 requests at once with one recovery code, one signs in."""
    for _ in rounds(login):
        user = login.enrolled()
        code = login.ask("recovery-codes", user=user.name)["codes"][0]
        at_once(login, user, code, do="recovery")
