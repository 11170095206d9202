"""What adapters of servers over HTTP share: processes, their clock, and a browser for each session."""

from __future__ import annotations

import os
import signal

from adapter import Adapter, Folder, await_port, end, free_port, start
from browser import Browser


def new_database():
    """The parts of a new database on the server that Scripts/postgresql.sh has started; None without one."""
    where = os.environ.get("OTP_POSTGRESQL")
    if not where:
        return None
    import psycopg  # only these need it
    name = f"logins_{os.getpid()}"
    with psycopg.connect(where, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return dict(part.split("=") for part in where.split()) | {"dbname": name}


class WebLogin(Adapter):
    """Server processes on one database. A subclass has `command(port)`, and the requests of its pages."""

    processes_wanted = 2

    def __init__(self):
        self.folder, self.processes, self.ports = None, [], []
        self.sessions, self.owners, self.passwords, self.codes = {}, {}, {}, {}

    def command(self, port):
        """The command of a server on that port of loopback."""
        raise NotImplementedError

    def prepare(self):
        """What is done once, before the first server."""

    def environment(self):
        """The servers' environment; libfaketime gives them their clock."""
        return self.folder.clock()

    def start(self):
        self.folder = Folder()
        self.prepare()
        self.restart()

    def restart(self):
        self.end_all(signal.SIGTERM)
        self.ports = []
        for _ in range(self.processes_wanted):
            self.start_one()

    def start_one(self, tries=3):
        """Starts a server, on another port if the one that was free is not any more."""
        port = free_port()
        process = start(self.command(port), self.folder.logs / "log", cwd=self.folder.path,
                        env={**os.environ, **self.environment()})
        self.processes.append(process)
        try:
            await_port(port, process)
            self.ports.append(port)
        except RuntimeError:
            self.processes.pop()
            end(process)
            if tries == 1:
                raise
            self.start_one(tries - 1)

    def end_all(self, how):
        for process in self.processes:
            end(process, how)
        self.processes = []

    def kill(self):
        self.end_all(signal.SIGKILL)

    def stop(self):
        self.end_all(signal.SIGTERM)
        if self.folder:
            self.folder.remove()

    def time(self, offset):
        self.folder.set_clock(offset)

    def kept(self):
        return {"data": [str(self.folder.data)], "logs": [str(self.folder.logs)]}

    def browser(self, server=0):
        """A new client."""
        return Browser(self.ports[server])
