"""The adapters' protocol (../README.md) for adapters in Python, and what most need: processes, ports, a clock."""

from __future__ import annotations

import contextlib
import ctypes
import importlib.metadata
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from pathlib import Path

from browser import Browser

HOSTS = Path(__file__).resolve().parent.parent / "hosts"


class Cannot(Exception):
    """The server has no way to do what is asked."""


def ours(name):
    """What `about` says of a login of this repository."""
    return {"name": name, "version": "0.1.0", "source": "this repository"}


def pypi(package):
    """What `about` says of a package of PyPI."""
    return {"name": package, "version": importlib.metadata.version(package), "source": "PyPI"}


def debian(package):
    """What `about` says of a package of Debian."""
    version = subprocess.run(["dpkg-query", "--show", "--showformat=${Version}", package], capture_output=True,
                             text=True, check=True).stdout
    return {"name": package, "version": version, "source": "Debian"}


class Adapter:
    """Answers requests: a method for each, named after it with _ for -; a missing one is answered `cannot`.

    The server's files are in `folder`, which is made when it is first used, and removed by `stop`.
    """

    about: dict = {}
    database = None
    _folder = None

    def __init__(self):
        self.processes = []
        self.sessions, self.owners, self.passwords, self.codes = {}, {}, {}, {}

    @property
    def folder(self):
        """The temporary folder with the server's files, its log and its clock."""
        if self._folder is None:
            self._folder = Folder()
        return self._folder

    def hello(self):
        """Name, version, and what the suite must know."""
        return {"time": "set", "routes": ["login"]} | self.about

    def stop(self):
        self.end_all(signal.SIGTERM)
        if self._folder:
            shutil.rmtree(self._folder.path, ignore_errors=True)
            self._folder = None

    def restart(self):
        self.end_all(signal.SIGTERM)

    def kill(self):
        self.end_all(signal.SIGKILL)

    def end_all(self, how):
        """Ends all server processes with a signal."""
        for process in self.processes:
            end(process, how)
        self.processes = []

    def time(self, offset, server=None):
        self.folder.set_clock(offset, server)

    def new_database(self):
        """A new database on the server that Scripts/postgresql.sh has started: its host, user and name."""
        where = os.environ["OTP_POSTGRESQL"]
        self.database = dict(part.split("=") for part in where.split()) | {"dbname": f"logins_{os.getpid()}"}
        create = f"CREATE DATABASE {self.database['dbname']}"
        subprocess.run(["psql", "--quiet", where, "--command", create], check=True)

    def url(self, scheme="postgresql"):
        """That database as a URL."""
        return "{}://{user}@/{dbname}?host={host}".format(scheme, **self.database)

    def kept(self):
        if self.database:
            dumped = subprocess.run(["pg_dump", self.url()], capture_output=True, check=True)
            (self.folder.data / "backup.sql").write_bytes(dumped.stdout)
        return {"data": [str(self.folder.data)], "logs": [str(self.folder.logs)]}

    def together(self, requests, kill=0):
        """Answers requests at once, each in a thread, which all begin together. After `kill` answers, if given, SIGKILL
        ends all processes, and they are started again."""
        gate, answers = threading.Barrier(len(requests)), [None] * len(requests)
        count = threading.Semaphore(0)

        def answer(index, request):
            gate.wait()
            answers[index] = answer_to(self, request)
            count.release()

        threads = [threading.Thread(target=answer, args=each) for each in enumerate(requests)]
        for thread in threads:
            thread.start()
        if kill:
            for _ in range(kill):
                count.acquire()
            self.kill()
        for thread in threads:
            thread.join()
        if kill:
            with contextlib.suppress(Cannot):
                self.restart()
        return {"answers": answers}


class WithoutSessions(Adapter):
    """A login that asks for no password before the code: a session is a user."""

    def hello(self):
        said = super().hello()
        return said | {"features": ["no sessions", *said.get("features", [])]}

    def user(self, user, password):
        self.passwords[user] = password

    def begin(self, user, session, password, server=0, client=None):
        if password.startswith("not "):
            raise Cannot("no password is asked for before the code")
        self.sessions[session] = user, server


def answer_to(adapter, request):
    """One request's answer."""
    method = getattr(adapter, request["do"].replace("-", "_"), None)
    if method is None:
        return {"cannot": "no such way"}
    began, started = time.time(), time.perf_counter()
    try:
        said = method(**{name: value for name, value in request.items() if name != "do"}) or {}
    except Cannot as error:
        return {"cannot": str(error)}
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        said = {"error": f"{type(error).__name__}: {error} ({Path(where.filename).name}, line {where.lineno})"[:600]}
    return {"began": began, "seconds": time.perf_counter() - started} | said


def serve(adapter):
    """Answers requests, one a line, until there are no more; then stops what was started."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        for line in sys.stdin:
            print(json.dumps(answer_to(adapter, json.loads(line))), flush=True)
    finally:
        with contextlib.suppress(Exception):
            adapter.stop()


class Folder:
    """A temporary folder with the servers' files, their logs and their clocks."""

    def __init__(self):
        self.path = Path(tempfile.mkdtemp(prefix="otp-logins-"))
        self.data, self.logs = self.path / "data", self.path / "logs"
        self._clocks = [self.path / f"clock{server}" for server in range(8)]
        self.data.mkdir(mode=0o700)
        self.logs.mkdir()
        self.set_clock(0)
        self.library = self.path / "clock.so"
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", str(self.library), str(HOSTS / "clock.c")], check=True)

    def set_clock(self, offset, server=None):
        """How many seconds a server's clock is ahead, or all servers' are: always as many bytes, since servers have the
        file open."""
        for clock in self._clocks if server is None else [self._clocks[server]]:
            with open(clock, "r+b" if clock.exists() else "wb") as file:
                file.write(f"{offset:+021d}s".encode().ljust(32, b"\n"))

    def environment(self, server=0):
        """The environment in which a server's clock is ahead, by hosts/clock.c."""
        return {**os.environ, "LD_PRELOAD": str(self.library), "OTP_LOGINS_CLOCK": str(self._clocks[server])}


def end_with_adapter():
    """Ends the server with the adapter (Linux's PR_SET_PDEATHSIG)."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def start(command, log, **options):
    """Starts a process that ends with the adapter, and writes to a log."""
    with open(log, "ab") as file:
        return subprocess.Popen(command, stdout=options.pop("stdout", file), stderr=file,
                                preexec_fn=end_with_adapter, **options)


def free_port():
    """A port of loopback that is free now."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def end(process, how=signal.SIGTERM):
    """Ends a process."""
    process.send_signal(how)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class WebLogin(Adapter):
    """Server processes on one database. A subclass has `command(port)`, and the requests of its pages.

    Those of users with a password are `sign_up`, `sign_in`, which returns the page after the password, and
    `is_account`: whether that page is one of a user who is signed in.
    """

    processes_wanted = 2
    account = []

    def __init__(self):
        super().__init__()
        self.ports, self.addresses = [], {}

    def hello(self):
        said = super().hello()
        clocks = ["clocks"] if self.processes_wanted > 1 else []
        return said | {"features": ["client", *clocks, *said.get("features", [])]}

    def user(self, user, password):
        self.passwords[user] = password
        self.sign_up(user, password)

    def owner(self, user):
        """The browser of a user without a factor, after the password."""
        browser = self.owners[user] = self.browser()
        browser.page = self.sign_in(browser, user, self.passwords[user])
        return browser

    def begin(self, user, session, password, server=0, client=None):
        browser = self.sessions[session] = self.browser(server, client)
        browser.page = self.sign_in(browser, user, password)
        return browser.page.seen(False) | {"signed_in": self.is_account(browser.page)}

    def recovery(self, session, code, route=None):
        return self.submit(session, code, "recovery")

    def recovery_codes(self, user):
        if not self.codes.get(user):
            raise Cannot("it shows none")
        return {"codes": self.codes[user]}

    def command(self, port):
        """The command of a server on that port of loopback."""
        raise NotImplementedError

    def prepare(self):
        """What is done once, before the first server."""

    def environment(self, server=0):
        """A server's environment, with its clock."""
        return self.folder.environment(server)

    def start(self):
        self.prepare()
        self.restart()

    def restart(self):
        self.end_all(signal.SIGTERM)
        self.ports = [self.start_one(server) for server in range(self.processes_wanted)]

    def start_one(self, server):
        """Starts a server, on another port if the one that was free is not any more; returns its port."""
        for _ in range(3):
            port = free_port()
            self.processes.append(start(self.command(port), self.folder.logs / "log", cwd=self.folder.path,
                                        env=self.environment(server)))
            for _ in range(1200):
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    if self.processes[-1].poll() is None:  # else another program has taken the port
                        return port
                if self.processes[-1].poll() is not None:
                    break
                time.sleep(0.05)
            end(self.processes.pop())
        log = (self.folder.logs / "log").read_text(encoding="utf-8", errors="replace")
        raise RuntimeError(f"the server does not start: {log[-300:]}")

    def browser(self, server=0, client=None):
        """A new browser: of a new client, or at the address of one that several sessions share."""
        browser = Browser(self.ports[server])
        if client:
            browser.address = self.addresses.setdefault(client, browser.address)
        return browser

    def pages(self, session):
        """The pages of a signed-in user's account."""
        if not self.account:
            raise Cannot("it has no such pages")
        return {"pages": [self.sessions[session].get(path).seen(True) for path in self.account]}
