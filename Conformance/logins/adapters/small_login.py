#!/usr/bin/env python3
"""A template over HTTP: hosts/small_login.py, right or broken in one of four ways. Copy it for a server of your own.

    small_login.py right|no-mark|memory|race|session-limit
"""

import signal
import sys
from pathlib import Path

from adapter import Adapter, Folder, await_port, end, free_port, serve, start
from browser import Browser

HOST = Path(__file__).resolve().parent.parent / "hosts/small_login.py"


class SmallLogin(Adapter):
    """Each session is a browser; each answer says whether the server let it in."""

    about = {"name": "small login", "version": "1", "time": "set", "routes": ["login", "step-up"], "servers": 2}

    def __init__(self, mode):
        self.mode, self.folder, self.processes = mode, None, []
        self.sessions, self.owners, self.passwords, self.codes = {}, {}, {}, {}

    def start(self):
        self.folder = Folder()
        self.restart()

    def restart(self):
        self.stop_servers(signal.SIGTERM)
        self.ports = [free_port() for _ in range(2)]
        self.processes = [start([sys.executable, str(HOST), self.mode, str(port), str(self.folder.data / "users"),
                                 str(self.folder.path / "clock")], self.folder.logs / "log") for port in self.ports]
        for port, process in zip(self.ports, self.processes):
            await_port(port, process)

    def stop_servers(self, how):
        for process in self.processes:
            end(process, how)
        self.processes = []

    def kill(self):
        self.stop_servers(signal.SIGKILL)

    def stop(self):
        self.stop_servers(signal.SIGTERM)
        if self.folder:
            self.folder.remove()

    def time(self, offset):
        self.folder.set_clock(offset)

    def user(self, user, password):
        self.passwords[user] = password
        Browser(self.ports[0]).post("/sign-up", {"name": user, "password": password})

    def enroll(self, user):
        browser = self.owners[user] = Browser(self.ports[0])
        browser.post("/sign-in", {"name": user, "password": self.passwords[user]})
        return {"secret": browser.post("/enroll", {}).json()["secret"]}

    def confirm(self, user, code):
        page = self.owners[user].post("/confirm", {"code": code})
        self.codes[user] = page.json().get("recovery", [])
        return page.seen(page.status == 200)

    def begin(self, user, session, password, server=0):
        browser = self.sessions[session] = Browser(self.ports[server])
        page = browser.post("/sign-in", {"name": user, "password": password})
        return page.seen(False) | {"signed_in": page.status == 200 and page.json()["next"] == "account"}

    def submit(self, session, code, route, server=None):
        page = self.sessions[session].post({"login": "/code", "step-up": "/step-up"}[route], {"code": code})
        return page.seen(page.status == 200)

    def recovery_codes(self, user):
        return {"codes": self.codes[user]}

    def recovery(self, session, code, route=None):
        page = self.sessions[session].post("/recovery", {"code": code})
        return page.seen(page.status == 200)

    def replace(self, session):
        return {"refused": self.sessions[session].post("/enroll", {}).status != 200}

    def remove(self, session):
        self.sessions[session].post("/remove", {"code": ""})

    def reset(self, user, password):
        self.user(user, password)

    def unlock(self, user):
        Browser(self.ports[0]).post("/unlock", {"name": user})

    def kept(self):
        return {"data": [str(self.folder.data)], "logs": [str(self.folder.logs)]}


if __name__ == "__main__":
    serve(SmallLogin(sys.argv[1]))
