"""A login under test: asks its adapter, keeps its clock, and knows its users' secrets."""

from __future__ import annotations

import base64
import json
import sys
import time
import urllib.parse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from runner import process  # noqa: E402

from .codes import Key  # noqa: E402

Fields = dict[str, Any]
PASSWORD = "correct horse battery staple"
process.TIMEOUT = 180  # a request may stand for a hundred, each with a slow password hash


class Cannot(Exception):
    """The adapter cannot express a request, so the test is neither passed nor failed."""


class Crashed(Exception):
    """The adapter or the server does not do what a login must do before it can be tested."""


class NoFactor(Crashed):
    """The password alone signs in."""


class Broken(Exception):
    """What must hold does not."""


@dataclass(eq=False)
class User:
    """A user, and the app's key."""

    name: str
    key: Key
    enrollment: Fields
    """Its line of the history."""
    enrolled_with: str = ""


class Login:
    """A running login."""

    def __init__(self, command: list[str], patience: int, race_seconds: int) -> None:
        """patience: the seconds that one test may wait, if the server's clock cannot be set."""
        self._adapter = process.Adapter(command, None)
        self._patience, self._waited = patience, 0.0
        self._users = self._sessions = self._clients = 0
        self.offset = 0.0
        self._apart: dict[int, int] = {}
        self._owners: dict[str, tuple[str, int]] = {}
        self.has_limit: bool | None = None
        self.lock: int | None = None
        self.has_session_limit: bool | None = None
        self.race_seconds = race_seconds
        self.about: Fields = {}
        self.about = self.ask("hello")
        self.history: list[Fields] = [{"login": self.about.get("name", ""), "rules": self.about.get("rules")}]
        self.can_set_time = self.about.get("time") == "set"

    def ask(self, do: str, **fields: Any) -> Fields:
        """One request's answer."""
        began = time.time()
        said = self._adapter.ask(json.dumps({"do": do, **fields}))
        try:
            answer = json.loads(said)
        except ValueError:
            raise Crashed(f"the adapter answers {said[:200]!r} to {do}") from None
        for request, each in zip(fields["requests"], answer["answers"]) if "answers" in answer else [
                ({"do": do, **fields}, answer)]:
            if request["do"] in ("submit", "recovery", "confirm", "unlock") and "cannot" not in each:
                self._remember(request, each, began)
        if "cannot" in answer:
            raise Cannot(f"{do}: {answer['cannot']}")
        if "error" in answer:
            raise Crashed(f"{do}: {answer['error']}")
        return answer

    def _remember(self, request: Fields, answer: Fields, began: float) -> None:
        """Writes a call into the history: when it began and ended, and the outcome as suite/history.py has it."""
        user, server = self._owners.get(request.get("session", ""), (request.get("user", ""), 0))
        outcome = answer.get("kind") or ("accepted" if answer.get("accepted") else "refused")
        began, ended = answer.get("began", began), time.time()
        self.history.append({
            "do": request["do"], "user": user, "code": str(request.get("code", ""))[:100], "server": server,
            "began": began, "ended": began + answer["seconds"] if "seconds" in answer else ended,
            "clock": int(self.offset) + self._apart.get(server, 0),
            "outcome": "unknown" if "error" in answer or answer.get("no_answer") else outcome})

    def close(self) -> None:
        """Stops the server, and the adapter."""
        try:
            self.ask("stop")
        except (Cannot, Crashed):
            pass
        self._adapter.close()

    # Time.

    def now(self) -> float:
        """The server's time."""
        return time.time() + self.offset

    def advance(self, seconds: float) -> None:
        """Lets time go by for the server."""
        if self.can_set_time:
            self.offset += seconds
            self.ask("time", offset=int(self.offset))
            for server, ahead in self._apart.items():
                self.set_apart(server, ahead)
            return
        self._waited += seconds
        if self._waited > self._patience:
            raise Cannot(f"its clock cannot be set, and this takes over {self._patience} seconds of waiting")
        time.sleep(seconds)

    def set_apart(self, server: int, seconds: int) -> None:
        """Until the test's end, a server's clock is ahead of the others'."""
        self._apart[server] = seconds
        self.ask("time", offset=int(self.offset) + seconds, server=server)

    def go_to_step(self, step: int, period: int = 30) -> None:
        """Lets time go by until a second after a step's beginning."""
        self.advance(max(0.0, step * period + 1 - self.now()))

    def next_step(self, user: User, count: int = 1) -> None:
        """Goes to the beginning of a later step."""
        self.go_to_step(user.key.step(self.now()) + count, user.key.period)

    def rest(self) -> None:
        """Lets limits of the test before end, if that costs nothing."""
        self._waited, self._apart = 0, {}
        if self.can_set_time:
            self.advance(86_400)

    # Users.

    def new_user(self) -> str:
        """A user with a password and nothing else."""
        self._users += 1
        name = f"user{self._users}"
        self.ask("user", user=name, password=PASSWORD)
        return name

    def pending(self, user: str) -> User:
        """Begins an enrollment."""
        said = self.ask("enroll", user=user)
        if "uri" in said:
            fields = {name: value[0] for name, value in
                      urllib.parse.parse_qs(urllib.parse.urlparse(said["uri"]).query).items()}
        else:
            fields = {"secret": said["secret"]}
        text = fields["secret"].replace(" ", "").replace("-", "").upper()
        secret = base64.b32decode(text + "=" * (-len(text) % 8))
        key = Key(secret, int(fields.get("period", 30)), int(fields.get("digits", 6)),
                  fields.get("algorithm", "SHA1").lower().replace("-", ""))
        self.history.append({"do": "enroll", "user": user, "secret": secret.hex(), "period": key.period,
                             "digits": key.digits, "algorithm": key.algorithm, "pending": True})
        return User(user, key, self.history[-1])

    def enrolled(self, rest: bool = True) -> User:
        """A new user with a confirmed factor, in whose present step no code has been used."""
        user = self.pending(self.new_user())
        self.next_step(user)
        try:
            user.enrolled_with = self.code(user)
            if not self.ask("confirm", user=user.name, code=user.enrolled_with)["accepted"]:
                raise Crashed("the right code does not confirm the enrollment")
        except Cannot:
            user.enrolled_with, user.enrollment["pending"] = "", False
        if rest:
            self.next_step(user, 3)
        return user

    def code(self, user: User, steps: int = 0) -> str:
        """What the user's app shows, this many steps from now."""
        return user.key.at_step(user.key.step(self.now()) + steps)

    # Sessions.

    def start(self) -> None:
        """Starts it, and shows that a right code signs in: what refuses everything would pass much."""
        self.ask("start")
        self.rest()
        try:
            user = self.enrolled()
            self.must_accept(user, self.code(user))
        except Crashed:
            if self.can_set_time and self._takes_real_time():
                raise Crashed("the server's clock is not set: hosts/clock.c cannot be loaded into Go, static and "
                              "setuid programs; set it in `time`, or say \"time\": \"no\"") from None
            raise

    def _takes_real_time(self) -> bool:
        """Whether the machine's time makes a code right, and not the time that was set."""
        user = self.pending(self.new_user())
        code = user.key.at_step(user.key.step(time.time()))
        try:
            return bool(self.ask("confirm", user=user.name, code=code)["accepted"])
        except Cannot:
            return self.accepts(user, code)

    def begin(self, user: str, **fields: Any) -> str:
        """A new session of the user, after the first factor."""
        self._sessions += 1
        session = f"s{self._sessions}"
        self._owners[session] = user, fields.get("server", 0)
        if self.ask("begin", user=user, session=session, password=PASSWORD, **fields).get("signed_in"):
            raise NoFactor("the login asks for no second factor")
        return session

    def begin_without(self, user: str) -> str:
        """A session of a user without a factor."""
        try:
            return self.begin(user)
        except NoFactor:
            return f"s{self._sessions}"

    def submit(self, session: str, code: Any, route: str = "login", do: str = "submit",
               strange: bool = False) -> Fields:
        """What the client sees after a code. Only to a strange one may the server close the connection instead."""
        answer = self.ask(do, session=session, code=code, route=route)
        if answer.get("no_answer") and not strange:
            raise Crashed(f"{do}: no answer")
        return answer

    def recovery_code(self, user: User) -> str:
        """The first of the user's recovery codes."""
        return str(self.ask("recovery-codes", user=user.name)["codes"][0])

    def accepts(self, user: User, code: Any, do: str = "submit", **fields: Any) -> bool:
        """Whether a code signs in, in a new session."""
        return bool(self.submit(self.begin(user.name, **fields), code, do=do)["accepted"])

    def must_refuse(self, user: User, code: str, what: str, **fields: Any) -> None:
        """The code must not sign in."""
        if self.accepts(user, code, **fields):
            raise Broken(what)

    def must_accept(self, user: User, code: str, do: str = "submit", **fields: Any) -> None:
        """The control of a test: a right code signs in."""
        self.must_take(self.begin(user.name, **fields), code, do=do)

    def must_take(self, session: str, code: str, route: str = "login", do: str = "submit") -> None:
        """The control, in a session."""
        if not self.submit(session, code, route, do)["accepted"]:
            raise Crashed(f"a right code is refused ({do}, route {route}), so nothing can be said")

    def signed_in(self, user: User) -> str:
        """A session that has verified both factors, two steps ago."""
        session = self.begin(user.name)
        self.must_take(session, self.code(user))
        self.next_step(user, 2)
        return session

    def asks(self, user: str) -> bool:
        """Whether a login of the user asks for a second factor."""
        try:
            self.begin(user)
        except NoFactor:
            return False
        return True

    def at_once(self, requests: list[Fields], **fields: int) -> list[Fields]:
        """The answers to requests that are sent together, in which there may be errors if `kill` is given."""
        answers: list[Fields] = self.ask("together", requests=requests, **fields)["answers"]
        for answer in answers:
            if "error" in answer and not fields:
                raise Crashed(f"together: {answer['error']}")
            if "cannot" in answer:
                raise Cannot(f"together: {answer['cannot']}")
        return answers

    # What a test needs.

    def routes(self) -> list[str]:
        """The routes besides the login's own by which a code can be submitted."""
        found = [route for route in self.about.get("routes", []) if route != "login"]
        if not found:
            raise Cannot("codes are submitted by one route")
        return found

    def need_servers(self) -> int:
        """Several server processes on the same database; how many."""
        servers = int(self.about.get("servers", 1))
        if servers < 2:
            raise Cannot("the adapter starts one server process")
        return servers

    def need_client(self) -> str:
        """A client that several sessions share."""
        if "client" not in self.about.get("features", []):
            raise Cannot("a session has no client")
        self._clients += 1
        return f"c{self._clients}"

    def need_clock(self) -> None:
        """A clock that can be set."""
        if not self.can_set_time:
            raise Cannot("its clock cannot be set")

    def need_clocks(self) -> None:
        """Servers whose clocks can differ."""
        self.need_servers()
        if "clocks" not in self.about.get("features", []):
            raise Cannot("the adapter's servers have one clock")
