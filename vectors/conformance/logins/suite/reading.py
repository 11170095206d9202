"""What is typed is read as a code, or refused, in bounded time."""

from __future__ import annotations

from typing import Any, Callable

from .catalog import OPEN, SIX_DIGITS, Otherwise, test
from .login import Broken, Cannot, Login
from .once import SPELLINGS

NO_CODES: dict[str, Callable[[str], Any]] = {
    "five digits": lambda code: code[:-1], "seven digits": lambda code: code + "0", "empty": lambda code: "",
    "letters": lambda code: "abcdef", "a plus": lambda code: "+" + code, "a minus": lambda code: "-" + code,
    "NUL and more": lambda code: code + "\0" + "1", "a point": lambda code: code + ".0",
    "an underscore": lambda code: code[:3] + "_" + code[3:]}
NEVER = ("five digits", "letters")
NO_TEXTS: dict[str, Callable[[str], Any]] = {
    "a list": lambda code: [code], "an object": lambda code: {"$ne": ""}, "true": lambda code: True,
    "null": lambda code: None, "a number": int}


@test("reading", "high", SIX_DIGITS)
def leading_zeros(login: Login) -> None:
    """A code that begins with a zero signs in as it is shown."""
    login.need_clock()
    user = login.enrolled()
    login.go_to_step(user.key.next_with_zero(login.now()), user.key.period)
    if not login.accepts(user, login.code(user)):
        raise Broken(f"the right code {login.code(user)} is refused")


def read_as_code(login: Login, spelled: dict[str, Callable[[str], Any]]) -> list[str]:
    """Which texts sign in, each for a user of its own; no text may break the server."""
    accepted, broken = [], []
    for name, spell in spelled.items():
        user = login.enrolled()
        while login.code(user).startswith("0"):  # a number would be another code
            login.next_step(user)
        try:
            said = login.submit(login.begin(user.name), spell(login.code(user)), strange=True)
        except Cannot:
            continue
        if said["accepted"]:
            accepted.append(name)
        elif said.get("status", 0) >= 500 or said.get("no_answer"):
            broken.append(f"{name}: {said.get('status') or 'no answer'}")
        login.next_step(user, 4)  # a delay after a failure is not what is tested
        if not login.accepts(user, login.code(user)):
            broken.append(f"{name}: the right code is refused after it")
    if broken:
        raise Otherwise("not refused as wrong: " + ", ".join(broken))
    return accepted


@test("reading", "high", SIX_DIGITS)
def texts_that_are_no_code(login: Login) -> None:
    """A code with a digit less or more, a sign, an empty text or a NUL does not sign in."""
    accepted = read_as_code(login, NO_CODES)
    if accepted:
        raise (Broken if set(NEVER) & set(accepted) else Otherwise)("read as the code: " + ", ".join(accepted))


@test("reading", "low", OPEN)
def spaces_and_other_digits(login: Login) -> str:
    """A code with spaces or in other digits is read or refused, and nothing breaks."""
    return "read as the code: " + (", ".join(read_as_code(login, SPELLINGS)) or "none")


@test("reading", "medium", OPEN)
def ten_megabytes(login: Login) -> str:
    """10 MB are refused within five seconds, and the right code signs in afterward."""
    user = login.enrolled()
    said = login.submit(login.begin(user.name), "1" * (10 << 20), strange=True)
    if said["accepted"] or said.get("seconds", 0) > 5:
        raise Broken(f"accepted: {said['accepted']}, after {said.get('seconds', 0):.1f} s")
    login.next_step(user, 4)
    if not login.accepts(user, login.code(user)):
        raise Broken("the right code is refused afterward")
    return f"{said.get('seconds', 0):.1f} s"


@test("reading", "medium", OPEN)
def types_in_json(login: Login) -> None:
    """A code that is not a string in JSON is refused, and nothing breaks."""
    if "json" not in login.about.get("features", []):
        raise Cannot("codes are not submitted as JSON")
    accepted = read_as_code(login, NO_TEXTS)
    if accepted:
        raise Broken("signed in with " + ", ".join(accepted))
