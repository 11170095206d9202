"""What answers, pages, logs and files tell."""

from __future__ import annotations

import base64
import re
from pathlib import Path

from .catalog import DEDUCED, KEYS, LOGGED, OPEN, USABLE_ONCE, test
from .history import judge
from .login import Broken, Cannot, Crashed, Login, User

REFUSED = ("wrong", "old", "used")


def refused(login: Login, name: str) -> tuple[str, dict[str, object]] | None:
    """A new user's code that is wrong, 40 steps old or used, and the answer to it, if it refuses the code."""
    user = login.enrolled()
    used = login.code(user)
    login.must_accept(user, used)
    code = {"wrong": user.key.wrong(login.now(), 1), "old": login.code(user, -40), "used": used}[name]
    said = login.submit(login.begin(user.name), code)
    return None if said["accepted"] else (code, said)


def shape(answer: dict[str, object], code: str = "-") -> tuple[object, str]:
    """Status and text of an answer, without what is random in it: tokens, and the code itself."""
    text = str(answer.get("body", "")).replace(code, "CODE")
    return answer.get("status"), re.sub(r"[A-Za-z0-9_.+/=-]{16,}|user\d+|127(\.\d+){3}", "*", text)


@test("telling", "low", OPEN)
def same_answer_for_each_refusal(login: Login) -> None:
    """Wrong, late and used codes get one answer and status."""
    shapes = {name: shape(said[1], said[0]) for name in REFUSED if (said := refused(login, name))}
    if shapes["wrong"] == shape({}):
        raise Cannot("the adapter shows no answers")
    differing = [name for name, other in shapes.items() if other != shapes["wrong"]]
    if differing:
        raise Broken(f"the answer to {' and '.join(differing)} codes is not that to wrong ones")


@test("telling", "low", DEDUCED)
def factor_shown_before_the_password(login: Login) -> None:
    """After a wrong password, users with a second factor get the same answer as those without."""
    one, other = (shape(login.ask("begin", user=user, session=f"wrong-{user}", password="not this one at all"))
                  for user in (login.enrolled().name, login.new_user()))
    if one != other:
        raise Broken("the answers differ")


def forms(user: User) -> list[bytes]:
    """The ways in which a secret is usually written."""
    secret = user.key.secret
    return [base64.b32encode(secret).rstrip(b"="), secret.hex().encode(), base64.b64encode(secret).rstrip(b"="), secret]


def must_not_hold(login: Login, kind: str, what: str) -> None:
    """No file of that kind, at any level of the folders, has the secret of a user who has signed in."""
    user = login.enrolled()
    login.must_accept(user, login.code(user))
    paths = [Path(path) for path in login.ask("kept")[kind]]
    files = [file for path in paths for file in ([path] if path.is_file() else path.rglob("*"))
             if file.is_file() and file.stat().st_size]
    if not files:
        raise Cannot("it has written none")
    for file in files:
        if any(form in file.read_bytes() for form in forms(user)):
            raise Broken(f"the secret is {what} {file.name}")


@test("telling", "high", LOGGED)
def secret_in_logs(login: Login) -> None:
    """The server's logs do not have the secret."""
    must_not_hold(login, "logs", "in the log")


@test("telling", "medium", OPEN)
def secret_in_later_pages(login: Login) -> None:
    """After the enrollment, no page of the account and no URL has the secret."""
    user = login.enrolled()
    for page in login.ask("pages", session=login.signed_in(user))["pages"]:
        if page.get("status", 200) >= 400:
            raise Crashed(f"{page.get('url', 'a page')}: status {page['status']}")
        shown = "".join(str(page.get(part, "")) for part in ("body", "url")).replace(" ", "").encode()
        if any(form in shown for form in forms(user)[:3]):
            raise Broken(f"{page.get('url', 'a page')} shows the secret")


@test("telling", "report", KEYS)
def secret_at_rest(login: Login) -> None:
    """What the server keeps, and so a backup, does not have the secret in the clear."""
    must_not_hold(login, "data", "stored in the clear, in")


@test("once", "high", USABLE_ONCE)
def answers_in_an_order(login: Login) -> None:
    """An order of all calls of the tests above, each between its beginning and its end, explains all answers."""
    wrong = judge(login.history)
    if wrong:
        raise Broken("; ".join(wrong[:3]))
