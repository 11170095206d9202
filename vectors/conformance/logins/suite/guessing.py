"""Guesses are limited, however they are spread. That one was looked at shows only in a right code that is accepted."""

from __future__ import annotations

from typing import Callable

from .catalog import ACROSS, ANY_FAILURE, DELAY, HUNDRED, LIFETIME, OPEN, STOP, TEN, TESTS, Test, test
from .codes import WIDEST
from .login import Broken, Cannot, Login, User
from .once import answered_until_a_kill, crowd

GUESSES = 110
"""More than the hundred that the most generous standard allows."""
SLOW, GAP = 12, 120
GAPS = (600, 120, 60, 30)
ROUNDS = (GUESSES, *range(11, 21))
"""The wrong codes before each right one. That one was looked at says nothing of the others if a limit refuses without
counting, such as five in five minutes, or is cleared by a success: so one more each time, to meet it at each phase."""
YEAR = 365 * 86_400
Send = Callable[[str, int], object]


def send_slowly(login: Login, user: User, send: Send, count: int = SLOW, gap: int = GAP) -> None:
    """Wrong codes far enough apart that each is looked at, so that a delay that grows with them outlasts a test."""
    for number in range(count if login.can_set_time else 0):
        send(user.key.wrong(login.now(), 5000 + number), number)
        login.advance(gap)


def storm(login: Login, user: User, send: Send | None = None, count: int = GUESSES) -> None:
    """Wrong codes, the first slowly: each by `send`, or else in a new session, after the password."""
    send = send or (lambda code, _: login.accepts(user, code))
    send_slowly(login, user, send)
    for number in range(count):
        send(user.key.wrong(login.now(), number), number)


def stopped_in_session(login: Login) -> bool:
    """Whether many wrong codes in one session stop a right one in it."""
    if login.has_session_limit is None:
        user = login.enrolled()
        # In other sessions: one would end meanwhile.
        send_slowly(login, user, lambda code, _: login.accepts(user, code))
        session = login.begin(user.name)
        for number in range(GUESSES):
            login.submit(session, user.key.wrong(login.now(), number))
        login.has_session_limit = not login.submit(session, login.code(user))["accepted"]
    return login.has_session_limit


def need_limit(login: Login) -> None:
    """A login without any limit has none that could be evaded, and guesses-in-one-session says so."""
    if login.has_limit is None:
        user = login.enrolled()
        storm(login, user)
        login.has_limit = not login.accepts(user, login.code(user))
        login.rest()
    if not login.has_limit:
        raise Cannot("there is no limit that could be evaded")


def refuse_right(login: Login, user: User, what: str, **fields: object) -> None:
    """A right code in a new session must be refused: otherwise the guesses before it were not limited."""
    login.must_refuse(user, login.code(user), f"a right code signed in right after {what}", **fields)


@test("guessing", "high", STOP)
def guesses_in_one_session(login: Login) -> None:
    """After 110 wrong codes in one session, a right one in that session does not sign in."""
    if not stopped_in_session(login):
        raise Broken(f"a right code signed in right after {GUESSES} wrong ones in the same session")


@test("guessing", "high", ACROSS)
def guesses_over_sessions(login: Login) -> None:
    """After 110 wrong codes, each in a session of its own after a new password login, a right one is refused."""
    if "no sessions" in login.about.get("features", []):
        raise Cannot("a session is a user, so guesses-in-one-session says it")
    if not stopped_in_session(login):
        raise Cannot("there is no limit in a session that more sessions could evade")
    login.rest()
    user = login.enrolled()
    storm(login, user)
    refuse_right(login, user, f"{GUESSES} wrong ones in as many sessions")


@test("guessing", "high", ACROSS)
def guesses_at_once(login: Login) -> None:
    """After 110 wrong codes at once, in as many sessions, a right one is refused."""
    need_limit(login)
    # First without a failure before, so that answers-in-an-order sees how many are looked at.
    for slow in (0, SLOW):
        user = login.enrolled()
        send_slowly(login, user, lambda code, _: login.accepts(user, code), slow)
        sessions = [login.begin(user.name) for _ in range(GUESSES)]
        login.at_once([{"do": "submit", "session": session, "route": "login",
                        "code": user.key.wrong(login.now(), number)} for number, session in enumerate(sessions)])
    refuse_right(login, user, f"{GUESSES} wrong ones at once")


@test("guessing", "high", ACROSS)
def guesses_at_two_servers(login: Login) -> None:
    """After 110 wrong codes at two server processes in turn, a right one is refused by both."""
    servers = login.need_servers()
    need_limit(login)
    user = login.enrolled()
    storm(login, user, lambda code, number: login.accepts(user, code, server=number % servers))
    for server in range(servers):
        refuse_right(login, user, f"{GUESSES} wrong ones at two server processes", server=server)


@test("guessing", "high", STOP)
def guesses_by_other_routes(login: Login) -> None:
    """By each other route, a right code is refused after 110 wrong ones by that route."""
    for route in login.routes():
        user = login.enrolled()
        session = login.signed_in(user)
        storm(login, user, lambda code, _: login.submit(session, code, route))
        if login.submit(session, login.code(user), route)["accepted"]:
            raise Broken(f"a right code was accepted by the route {route} right after {GUESSES} wrong ones")


@test("guessing", "medium", OPEN)
def guesses_by_routes_together(login: Login) -> None:
    """Wrong codes by one route count for the others."""
    routes = login.routes()
    need_limit(login)
    user = login.enrolled()
    for route, session in {route: login.signed_in(user) for route in routes}.items():
        storm(login, user, lambda code, _: login.submit(session, code, route))
    refuse_right(login, user, f"{GUESSES} wrong ones by each other route")


def guesses_from_a_client(login: Login, other: User | None) -> bool:
    """Whether a right code signs in after wrong ones from one client, with another user's right ones between."""
    user, client = login.enrolled(), login.need_client()
    for number in range(GUESSES):
        login.accepts(user, user.key.wrong(login.now(), number), client=client)
        if number % 4 == 3 or number == GUESSES - 1:
            login.next_step(user)
            if other and not login.accepts(other, login.code(other), client=client):
                raise Cannot("another user is refused from the same client, too")
    return login.accepts(user, login.code(user), client=client)


@test("guessing", "high", ACROSS)
def guesses_with_another_users_successes(login: Login) -> None:
    """A right code for another user, from the same client, does not clear the guesser's count."""
    login.need_clock()
    if guesses_from_a_client(login, None):
        raise Cannot("there is no limit that could be evaded")
    login.rest()
    if guesses_from_a_client(login, login.enrolled()):
        raise Broken(f"a right code signed in after {GUESSES} wrong ones with another user's right ones between")


def after(*requests: str) -> Callable[[Login], None]:
    """After many wrong codes and these requests, a right one is refused."""
    def run(login: Login) -> None:
        need_limit(login)
        user = login.enrolled()
        storm(login, user)
        for request in requests:
            login.ask(request)
        refuse_right(login, user, f"{GUESSES} wrong ones and a {requests[0]}")
    return run


TESTS.extend(Test(name, "guessing", "medium", ANY_FAILURE, f"{what} does not clear the count of wrong codes.", run)
             for name, what, run in [("guesses-after-a-restart", "A restart", after("restart")),
                                     ("guesses-after-a-kill", "SIGKILL", after("kill", "restart"))])


def guesses_to_a_lock(login: Login) -> int:
    """After how many wrong codes, two minutes apart, a right one is refused two minutes later."""
    login.need_clock()
    if login.lock is None:
        login.lock = 0
        for count in range(3, 21):
            user = login.enrolled()
            send_slowly(login, user, lambda code, _, user=user: login.accepts(user, code), count)
            if not login.accepts(user, login.code(user)):
                login.lock = count
                break
        login.rest()
    if not login.lock:
        raise Cannot("20 wrong codes, two minutes apart, lock nobody out")
    return login.lock


@test("guessing", "medium", ANY_FAILURE)
def guesses_until_a_kill_amid_others(login: Login) -> None:
    """Each wrong code that was answered counts after SIGKILL while others waited for their answers."""
    guesses, users = guesses_to_a_lock(login), crowd(login)
    for number in range(guesses - 1):
        for user in users:
            login.accepts(user, user.key.wrong(login.now(), number))
        login.advance(GAP)
    answered = answered_until_a_kill(login, users, lambda user: user.key.wrong(login.now(), guesses), "refused")
    login.advance(GAP)
    for user, _ in answered:
        refuse_right(login, user, f"{guesses} wrong ones, the last with SIGKILL soon after its answer")


@test("guessing", "medium", ACROSS)
def guesses_by_a_slower_clock(login: Login) -> None:
    """After wrong codes by a clock an hour ahead that lock a user out, a right one is refused by the others."""
    login.need_clocks()
    guesses, user = guesses_to_a_lock(login), login.enrolled()
    login.set_apart(0, 3600)
    send_slowly(login, user, lambda code, _: login.accepts(user, code, server=0), guesses)
    refuse_right(login, user, f"{guesses} wrong ones by another server's clock", server=1)


@test("guessing", "medium", OPEN)
def guesses_of_recovery_codes(login: Login) -> None:
    """After 110 wrong recovery codes, a right one is refused."""
    user = login.enrolled()
    right = login.recovery_code(user)
    wrong = "".join("2" if char.isdigit() else "a" if char.isalpha() else char for char in right)
    for _ in range(GUESSES):
        login.accepts(user, wrong, do="recovery")
    login.must_refuse(user, right, f"a recovery code of {len(right)} characters signed in right after {GUESSES} "
                      "wrong ones", do="recovery")


@test("guessing", "low", TEN)
def ten_guesses_lock(login: Login) -> None:
    """After ten wrong codes, a minute apart, a right one is refused."""
    login.need_clock()
    user = login.enrolled()
    send_slowly(login, user, lambda code, _: login.accepts(user, code), 10, 60)
    refuse_right(login, user, "ten wrong ones, a minute apart")


@test("guessing", "low", OPEN)
def administrator_unlocks(login: Login) -> None:
    """After too many wrong codes, an administrator lets the user in again."""
    need_limit(login)
    user = login.enrolled()
    storm(login, user)
    login.ask("unlock", user=user.name)
    login.next_step(user, 2)
    if not login.accepts(user, login.code(user)):
        raise Broken("a right code is refused after the administrator's unlocking")


def odds(guesses: float, live: int, digits: int) -> str:
    """The odds that one of so many guesses is right, if so many codes are right at each time."""
    chance = 1 - (1 - live / 10**digits) ** guesses
    return "over 99 %" if chance > 0.99 else f"{100 * chance:.2g} %"


def window(login: Login, direction: int) -> int:
    """How many steps from now a code is still accepted, in one direction."""
    for steps in range(1, WIDEST):
        user = login.enrolled()
        login.next_step(user, WIDEST)  # the code of the enrollment must not be in the way
        if not login.accepts(user, login.code(user, direction * steps)):
            return steps - 1
    return WIDEST


@test("guessing", "low", DELAY)
def window_of_accepted_steps(login: Login) -> str:
    """Codes of at most one step before now, and one after, are accepted."""
    before, behind = window(login, -1), window(login, 1)
    found = f"{before} steps before and {behind} after now"
    if before > 1 or behind > 1:
        raise Broken(f"codes of {found} are accepted")
    return found


@test("guessing", "low", LIFETIME)
def code_lives_30_seconds(login: Login) -> None:
    """A code is accepted for 30 seconds in all: only while the app shows it."""
    lifetime = (1 + window(login, -1) + window(login, 1)) * login.enrolled().key.period
    if lifetime > 30:
        raise Broken(f"a code is accepted for {lifetime} seconds")


def accepted_in_a_row(login: Login, user: User, gap: int) -> int:
    """How many of ROUNDS' right codes are accepted, if each code comes this many seconds after the one before."""
    for accepted, count in enumerate(ROUNDS):
        send_slowly(login, user, lambda code, _: login.accepts(user, code), count, gap)
        if user.key.period - login.now() % user.key.period < 3:  # the step must not end on the way
            login.next_step(user)
        if not login.accepts(user, login.code(user)):
            return accepted
        login.advance(gap)
    return len(ROUNDS)


@test("guessing", "medium", HUNDRED)
def patient_guesser(login: Login) -> str:
    """A guesser who waits ten minutes after each wrong code is stopped before 110 guesses."""
    login.need_clock()
    live, rate = 1 + window(login, -1) + window(login, 1), ", ten minutes apart"
    for gap in GAPS:
        user = login.enrolled()
        accepted = accepted_in_a_row(login, user, gap)
        if gap == GAPS[0] and not accepted:
            chance = odds(GUESSES, live, user.key.digits)
            return f"one each ten minutes: stopped within {GUESSES}, with odds of {chance}"
        if accepted < len(ROUNDS):
            break
        rate = (f" and again after {ROUNDS[1]} to {ROUNDS[-1]}, one each {gap} seconds; at that rate a year of "
                f"guessing has odds of {odds(YEAR / gap, live, user.key.digits)}")
    raise Broken(f"a right code signed in after {GUESSES} wrong ones{rate}")
