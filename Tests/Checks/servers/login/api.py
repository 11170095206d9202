"""api-example on two processes that answer in turn: the page's lines, and what they and `doors` do not show."""
import base64
import contextlib
import itertools
import json
import os
import pathlib
import re
import socket
import subprocess
import time

import api_example
import browser
from example import PASSWORD, PRINTED, SECRETS
from suite.codes import Key

ARGUMENTS = None


class Server(api_example.ApiExample):
    """The processes on a new store, and their clock."""

    ahead = 0

    def command(self, port):
        return ["env", "HOST=::", *super().command(port)]

    def wait(self, seconds):
        """Lets time pass, and returns the current step."""
        self.ahead += seconds
        self.time(self.ahead)
        return int(time.time() + self.ahead) // 30


@contextlib.contextmanager
def running():
    """Runs a server, and makes clients of it."""
    server = Server(os.environ["API_EXAMPLE"])
    try:
        server.start()
        ports = itertools.cycle(server.ports)
        yield lambda: Client(server, ports)
        PRINTED.append((server.folder.logs / "log").read_text(encoding="utf-8"))
    finally:
        server.stop()


class Client(browser.Browser):
    """Keeps its handle, and what continues a sign-in with the first factor."""

    def __init__(self, server, ports):
        super().__init__(0)
        self.server, self.ports, self.step = server, ports, {}

    def call(self, path, method="POST", **fields):
        """The status and the content of a response; of an error, its message."""
        self.port = next(self.ports)
        page = self.page = self.post_json(path, fields, method)
        content = page.json() if page.text else {}
        if "token" in content:
            SECRETS.append(content["token"])
            self.headers["Authorization"] = f"Bearer {content['token']}"
        if page.status < 400:
            return page.status, content
        assert page.status != 401 or page.headers["WWW-Authenticate"] == "Bearer"
        error = content["error"]
        if error["message"] == "secondFactorRequired":
            self.step = {"resolver": error["resolver"], "factor": error["factors"][0]["uid"]}
        return page.status, error["message"]

    def sign_in(self, email, password=PASSWORD):
        return self.call("/sign-in", email=email, password=password)

    def verify(self, code, **fields):
        return self.call("/second-factor", code=code, **self.step | fields)

    def enroll(self):
        """Enrolls an app, and returns its key."""
        begun = self.call("/enrollment")[1]
        key = Key(base64.b32decode(begun["key"]))
        SECRETS.extend([begun["key"], begun["secret"]])
        code = key.at_step(self.server.wait(30))
        answer = self.call("/enrollment/confirmation", secret=begun["secret"], code=code, name="Phone")
        assert begun["uri"].startswith("otpauth://totp/Example:") and answer[0] == 200, answer
        return key


def life(_):
    """From the password alone to a second factor, and back."""
    with running() as client:
        one, other, third, email = client(), client(), client(), "alice@example.com"
        assert one.call("/transfer") == (401, "invalidUserToken")
        socket.create_connection(("::1", one.port)).close()
        assert one.sign_in(email, "a wrong one") == (401, "wrongPassword") and one.sign_in(email)[0] == 200
        assert one.call("/transfer") == (404, "multiFactorInfoNotFound")
        key = one.enroll()
        codes = one.call("/recovery-codes")[1]["codes"]
        SECRETS.extend(codes)
        # That another browser is remembered is enough to sign in, and for nothing else.
        assert other.sign_in(email) == (401, "secondFactorRequired") and not other.cookies
        assert other.verify(key.at_step(one.server.wait(30)), remember=True)[1]["secondFactor"] == "totp"
        kept = other.cookies["__Host-browser"]
        SECRETS.append(kept.value)
        assert (kept["secure"], kept["httponly"], kept["samesite"], kept["path"]) == (True, True, "Strict", "/")
        assert other.sign_in(email)[1]["secondFactor"] == "remembered"
        for path in ("/transfer", "/enrollment", "/recovery-codes"):
            assert other.call(path) == (401, "secondFactorRequired")
        assert other.verify(key.at_step(one.server.wait(30)))[0] == 200 and other.call("/transfer")[0] == 204
        # A recovery code remembers no browser, and gets no other ones.
        third.sign_in(email)
        assert third.verify(codes[6], factor=None, remember=True)[1]["secondFactor"] == "recovery" and not third.cookies
        assert third.call("/recovery-codes") == (401, "requiresRecentLogin")
        # Removed, and signed out everywhere.
        assert other.call(f"/factors/{other.step['factor']}", "DELETE")[1]["secondFactor"] == ""
        assert client().sign_in(email)[0] == 200 and other.call("/sign-out")[0] == 204
        for ended in (one, other, third):
            assert ended.call("/transfer") == (401, "userTokenExpired")
        counts = ""
        for one.port in one.server.ports:
            counts += one.get("/metrics").text
        assert counts.count('_total{event="enrolled",reason="none",factor="totp"} 1\n') == 1, counts
        # Otherwise no alert would see the first.
        assert counts.count('_total{event="changes_lost",reason="none",factor="none"} 0\n') == 2, counts


def refusals(_):
    """A guesser must wait for as long as the response says; another user's secret and bad requests are refused."""
    with running() as client:
        alice, bob, guesser = client(), client(), client()
        assert alice.sign_in("alice@example.com")[0] == bob.sign_in("bob@example.com")[0] == 200
        secret = alice.call("/enrollment")[1]["secret"]
        assert bob.call("/enrollment/confirmation", secret=secret, code="123456") == (403, "userMismatch")
        key = bob.enroll()
        guesser.sign_in("bob@example.com")
        answers = []
        while (429, "tooManyRequests") not in answers and len(answers) < 20:
            answers.append(guesser.verify(key.wrong(time.time(), 1)))
        assert set(answers) == {(400, "invalidVerificationCode"), (429, "tooManyRequests")}
        seconds = int(guesser.page.headers["Retry-After"])
        assert guesser.verify(key.at_step(guesser.server.wait(max(seconds, 30))))[0] == 200
        assert guesser.call("/second-factor", code="1", resolver="x") == (400, "invalidMultiFactorSession")
        assert guesser.call("/second-factor", code="1")[0] == 400
        assert guesser.post_json("/sign-in", {"email": "x" * 17_000}).status == 413


def lines(_):
    """The page's lines, one after another, of which each route of the source has one."""
    page = pathlib.Path("Servers/README.md").read_text(encoding="utf-8")
    source = pathlib.Path("Servers/Sources/APIExample/Server.swift").read_text(encoding="utf-8")
    shown = re.findall(r"^curl http://127.0.0.1:8080/.*$", page.split("## api-example")[1], re.M)
    routes = {re.sub(r":\w+", "FACTOR", path) for path in re.findall(r'router\.\w+\("([^"]+)"\)', source)}
    assert routes == {re.match(r"curl \S+8080/(\S+)", line)[1] for line in shown}, routes
    with running() as client:
        server, words = client().server, {}
        for line in shown:
            if "CODE" in line:
                words["CODE"] = Key(base64.b32decode(words["KEY"])).at_step(server.wait(30))
            sent = re.sub(r"\b[A-Z]{3,}\b(?=[\" /])", lambda word: words.get(word[0], word[0]), line.split("    #")[0])
            sent = sent.replace("127.0.0.1:8080", f"[::1]:{server.ports[0]}").replace('"secret"}', f'"{PASSWORD}"}}')
            answered = subprocess.run(["bash", "-c", f"{sent} -sS -w '\n%{{http_code}}'"], check=True, text=True,
                                      stdout=subprocess.PIPE).stdout
            text, _, status = answered.rpartition("\n")
            assert int(status) < 400 or (status, "# 401" in line) == ("401", True), (line, answered)
            content = json.loads(text) if text.startswith(("{", "[")) else {}
            content = content if isinstance(content, dict) else {}
            found = content.get("error", content)
            words |= {name.upper(): value for name, value in found.items() if isinstance(value, str)}
            SECRETS.extend(value for name, value in words.items() if name in ("TOKEN", "SECRET", "KEY"))
            words |= {"FACTOR": factor["uid"] for factor in found.get("factors") or []}


ALL = (life, refusals, lines)
