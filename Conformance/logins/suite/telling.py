"""What answers, pages, logs and files tell."""

from __future__ import annotations

import base64
import re
import statistics
from pathlib import Path

from .catalogue import Broken, test
from .login import Cannot, Login, User
from .standards import DEDUCED, KEYS, LOGGED, OPEN


def shape(answer: dict[str, object], code: str) -> tuple[object, str]:
    """Status and text of an answer, without what is random in it: tokens, and the code itself."""
    text = str(answer.get("body", "")).replace(code, "CODE")
    return answer.get("status"), re.sub(r"[A-Za-z0-9_.+/=-]{16,}|user\d+|127(\.\d+){3}", "*", text)


def refusals(login: Login, user: User) -> dict[str, str]:
    """A wrong code, one that is too old, and one that was used."""
    used = login.code(user)
    login.must_accept(user, used)
    return {"wrong": user.key.wrong(login.now(), 1), "old": login.code(user, -40), "used": used}


@test("telling", "low", OPEN)
def same_answer_for_each_refusal(login: Login) -> None:
    """Wrong, late and used codes get one answer and status."""
    shapes = {}
    for name in ("wrong", "old", "used"):
        user = login.enrolled()
        code = refusals(login, user)[name]
        shapes[name] = shape(login.submit(login.begin(user.name), code), code)
    if len(set(shapes.values())) > 1:
        other = [name for name in ("old", "used") if shapes[name] != shapes["wrong"]]
        raise Broken(f"the answer to {' and '.join(other)} codes is not that to wrong ones")


@test("telling", "low", DEDUCED)
def factor_shown_before_the_password(login: Login) -> None:
    """After a wrong password, users with a second factor get the same answer as those without."""
    users = (login.enrolled().name, login.new_user())
    shapes = {shape(login.ask("begin", user=user, session=f"wrong-{user}", password="not this one at all"), "-")
              for user in users}
    if len(shapes) > 1:
        raise Broken("the answers differ")


@test("telling", "report", OPEN)
def time_of_each_refusal(login: Login) -> str:
    """Reports how long wrong, late and used codes take; never a verdict."""
    seen: dict[str, list[float]] = {"wrong": [], "old": [], "used": []}
    for _ in range(7):
        for name, times in seen.items():
            user = login.enrolled()
            times.append(login.submit(login.begin(user.name), refusals(login, user)[name]).get("seconds", 0.0))
    return ", ".join(f"{name} {1000 * statistics.median(times):.1f} ms" for name, times in seen.items())


def forms(user: User) -> list[bytes]:
    """The ways in which a secret is usually written."""
    secret = user.key.secret
    return [base64.b32encode(secret).rstrip(b"="), secret.hex().encode(), base64.b64encode(secret).rstrip(b"="), secret]


def holds(paths: list[str], user: User) -> list[str]:
    """The files that have a user's secret, at any level of the folders."""
    files = [file for path in paths for file in ([Path(path)] if Path(path).is_file() else Path(path).rglob("*"))
             if file.is_file()]
    return [file.name for file in files if any(form in file.read_bytes() for form in forms(user))]


@test("telling", "high", LOGGED)
def secret_in_logs(login: Login) -> None:
    """The server's logs do not have the secret."""
    user = login.enrolled()
    login.must_accept(user, login.code(user))
    logs = login.ask("kept")["logs"]
    if not logs:
        raise Cannot("its log is not shown")
    found = holds(logs, user)
    if found:
        raise Broken("the secret is in " + ", ".join(found))


@test("telling", "medium", OPEN)
def secret_in_later_pages(login: Login) -> None:
    """After the enrollment, no answer has the secret."""
    user = login.enrolled()
    login.answers = []
    login.must_accept(user, login.code(user))
    login.accepts(user, user.key.wrong(login.now(), 1))
    shown = [text for answer in login.answers for text in (str(answer.get("body", "")), str(answer.get("url", "")))]
    if any(form in text.encode() for text in shown for form in forms(user)[:3]):
        raise Broken("an answer shows the secret")


@test("telling", "report", KEYS)
def secret_at_rest(login: Login) -> None:
    """What the server keeps, and so a backup, does not have the secret in the clear."""
    user = login.enrolled()
    if holds(login.ask("kept")["data"], user):
        raise Broken("the secret is stored in the clear")
