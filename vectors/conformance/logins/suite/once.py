"""A code is accepted at most once."""

from __future__ import annotations

import contextlib
import random
import time
from typing import Callable

from .catalog import ONCE, OPEN, TESTS, USABLE_ONCE, Otherwise, Test, test
from .login import Broken, Cannot, Login, User

MANY, CROWD, OFTEN = 100, 16, 4
SPELLINGS: dict[str, Callable[[str], str]] = {
    "a space between": lambda code: f"{code[:3]} {code[3:]}", "spaces around": lambda code: f" {code} ",
    "full-width digits": lambda code: "".join(chr(0xFF10 + int(digit)) for digit in code),
    "Arabic digits": lambda code: "".join(chr(0x0660 + int(digit)) for digit in code)}


def killed(login: Login, _: User) -> None:
    """SIGKILL and a new start."""
    login.ask("kill")
    login.ask("restart")


def later_code(login: Login, user: User) -> None:
    """The next step's code signs in."""
    login.next_step(user)
    login.must_accept(user, login.code(user))


def crowd(login: Login) -> list[User]:
    """Several users, of whom all or none may get an answer before SIGKILL."""
    return [login.enrolled() for _ in range(CROWD)]


def answered_until_a_kill(login: Login, users: list[User], code: Callable[[User], str],
                          field: str) -> list[tuple[User, str]]:
    """One code of each user, often, all at once, with SIGKILL after some answers, and a new start: those with this
    answer."""
    servers = login.about.get("servers", 1)
    sessions = [login.begin(user.name, **({"server": number % servers} if servers > 1 else {}))
                for number, user in enumerate(users * OFTEN)]
    login.next_step(users[0])
    codes = [(user, code(user)) for user in users] * OFTEN
    answers = login.at_once([{"do": "submit", "session": session, "code": typed, "route": "login"}
                             for session, (_, typed) in zip(sessions, codes)], kill=random.randrange(1, len(sessions)))
    return list(dict.fromkeys(each for each, answer in zip(codes, answers) if "error" not in answer
                              and not answer.get("no_answer") and answer["accepted"] == (field == "accepted")))


def replay(between: Callable[[Login, User], object], times: int) -> Callable[[Login], None]:
    """A code signs in; what is between happens, once or more often; each time, the code must be refused."""
    def run(login: Login) -> None:
        user = login.enrolled()
        code = login.code(user)
        login.must_accept(user, code)
        for _ in range(times):
            between(login, user)
            login.must_refuse(user, code, "the same code signed in again")
    return run


TESTS.extend(Test(name, "once", "high", ONCE, about, replay(between, times)) for name, about, between, times in [
    ("replay-in-its-step", "The code that signed in is refused in another session, in the same step.",
     lambda login, user: None, 1),
    ("replay-in-the-window", "The code that signed in is refused one step later, and two.", Login.next_step, 2),
    ("replay-after-a-later-code", "A used code is refused after a later step's code has signed in.", later_code, 1),
    ("replay-after-a-restart", "The code that signed in is refused after a restart.",
     lambda login, user: login.ask("restart"), 1),
    ("replay-after-a-kill", "The code that signed in is refused after SIGKILL right after the answer.", killed, 1)])


@test("once", "high", ONCE)
def replay_of_the_next_steps_code(login: Login) -> None:
    """A code of the next step, if a window takes it, is refused when its step comes, and in the step after it."""
    user = login.enrolled()
    code = login.code(user, 1)
    if not login.accepts(user, code):
        raise Cannot("the window does not reach the next step")
    for later in ("in its step", "in the step after it"):
        login.next_step(user)
        login.must_refuse(user, code, f"the same code signed in early, and again {later}")


@test("once", "high", ONCE)
def replay_in_another_spelling(login: Login) -> None:
    """The code that signed in is refused with spaces, and in other digits."""
    cannot = []
    for name, spell in SPELLINGS.items():
        user = login.enrolled()  # a new one each time: a limit must not hide the next spelling
        code = login.code(user)
        login.must_accept(user, code)
        try:
            login.must_refuse(user, spell(code), f"the same code signed in again, written with {name}")
        except Cannot as error:
            cannot.append(error)
    if len(cannot) == len(SPELLINGS):
        raise cannot[0]


def at_once(login: Login, recovery: bool = False, servers: int = 1) -> None:
    """Many requests with one code: one may sign in. Again for some seconds, since a race is not won each time."""
    started = time.monotonic()
    while True:
        user = login.enrolled()
        code = login.recovery_code(user) if recovery else ""
        sessions = [login.begin(user.name, **({"server": number % servers} if servers > 1 else {}))
                    for number in range(MANY)]
        login.next_step(user)  # the sessions took their time, and a window may be a single step
        fields = {"do": "recovery", "code": code} if recovery else {"do": "submit", "code": login.code(user)}
        answers = login.at_once([{"session": session, "route": "login"} | fields for session in sessions])
        accepted = sum(bool(answer["accepted"]) for answer in answers)
        if accepted > 1:
            raise Broken(f"{accepted} of {MANY} requests at once signed in with one code")
        if accepted == 0:
            raise Otherwise(f"none of {MANY} requests at once signed in with one right code")
        if time.monotonic() - started > login.race_seconds:
            break


@test("once", "high", USABLE_ONCE)
def replay_at_once(login: Login) -> None:
    """Of 100 requests at once with one code, one signs in."""
    at_once(login)


@test("once", "high", USABLE_ONCE)
def replay_at_two_servers(login: Login) -> None:
    """Server processes on one database accept a code, and a recovery code, once, one after the other and at once."""
    servers = login.need_servers()
    user = login.enrolled()
    code = login.code(user)
    login.must_accept(user, code, server=0)
    login.must_refuse(user, code, "the same code signed in at the other server process", server=1)
    at_once(login, servers=servers)
    with contextlib.suppress(Cannot):
        at_once(login, True, servers)


@test("once", "high", USABLE_ONCE)
def replay_after_a_kill_amid_others(login: Login) -> None:
    """A code whose sign-in was answered is refused after SIGKILL while others waited for their answers."""
    started = time.monotonic()
    while True:
        for user, code in answered_until_a_kill(login, crowd(login), login.code, "accepted"):
            login.must_refuse(user, code, "the same code signed in again")
        if time.monotonic() - started > login.race_seconds:
            break


@test("once", "medium", OPEN)
def replay_by_a_slower_clock(login: Login) -> None:
    """What was accepted by a clock an hour ahead, and a code before it, are refused by either clock."""
    login.need_clocks()
    user = login.enrolled()
    login.set_apart(0, 3600)
    early, code = login.code(user), login.code(user, 3600 // user.key.period)
    login.must_accept(user, code, server=0)
    login.must_refuse(user, early, "a code of an hour before the last accepted one signed in", server=1)
    login.must_refuse(user, code, "the same code signed in again", server=0)


@test("once", "medium", USABLE_ONCE)
def replay_of_the_enrollments_code(login: Login) -> None:
    """The code that confirmed the enrollment does not sign in."""
    user = login.enrolled(rest=False)
    if not user.enrolled_with:
        raise Cannot("an enrollment is not confirmed by a code")
    login.must_refuse(user, user.enrolled_with, "the code that confirmed the enrollment signed in")


@test("once", "high", USABLE_ONCE)
def replay_by_another_route(login: Login) -> None:
    """The code that signed in is refused by each other route, and the other way round."""
    for route in login.routes():
        user = login.enrolled()
        session = login.signed_in(user)
        code = login.code(user)
        login.must_accept(user, code)
        if login.submit(session, code, route)["accepted"]:
            raise Broken(f"the code that signed in was accepted again by the route {route}")
        login.next_step(user, 2)
        code = login.code(user)
        login.must_take(session, code, route)
        login.must_refuse(user, code, f"a code that was accepted by the route {route} signed in")


@test("once", "low", OPEN)
def earlier_step_after_a_later(login: Login) -> None:
    """An unused code of the step before is refused after the present step's has signed in."""
    user = login.enrolled()
    login.must_accept(user, login.code(user))
    login.must_refuse(user, login.code(user, -1), "an unused code of the step before signed in")


@test("once", "low", OPEN)
def colliding_steps(login: Login) -> None:
    """Digits that two successive steps share sign in once."""
    login.need_clock()
    for _ in range(5):  # one secret of 50 has no such steps soon
        user = login.enrolled()
        step = user.key.next_collision(login.now())
        if step is not None:
            break
    else:
        raise Cannot("five secrets have no such steps within four million")
    login.go_to_step(step, user.key.period)
    code = login.code(user)
    login.must_accept(user, code)
    login.next_step(user)
    login.must_refuse(user, code, "the same digits signed in twice, as codes of two steps")


@test("once", "high", USABLE_ONCE)
def recovery_code_again(login: Login) -> None:
    """A recovery code signs in once: not in another session, nor after a restart."""
    user = login.enrolled()
    code = login.recovery_code(user)
    login.must_accept(user, code, do="recovery")
    login.must_refuse(user, code, "a recovery code signed in again", do="recovery")
    login.rest()  # the delay after a failure must not hide the next
    try:
        login.ask("restart")
    except Cannot:
        return
    login.must_refuse(user, code, "a recovery code signed in again after a restart", do="recovery")


@test("once", "high", USABLE_ONCE)
def recovery_code_at_once(login: Login) -> None:
    """Of 100 requests at once with one recovery code, one signs in."""
    at_once(login, recovery=True)
