"""The adapters' protocol (../README.md) for adapters in Python, and what most need: processes, ports, a clock."""

from __future__ import annotations

import contextlib
import ctypes
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
from pathlib import Path

CLOCK = Path(__file__).resolve().parent.parent / "hosts/clock.c"
FAKETIME = next(iter(sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))), None)


class Cannot(Exception):
    """The server has no way to do what is asked."""


class Adapter:
    """Answers requests: a method for each, named after it with _ for -; a missing one is answered `cannot`."""

    about: dict = {}

    def hello(self):
        """Name, version, and what the suite must know."""
        return self.about

    def together(self, requests):
        """Answers requests at once, each in a thread, which all begin together."""
        gate, answers = threading.Barrier(len(requests)), [None] * len(requests)

        def answer(index, request):
            gate.wait()
            answers[index] = answer_to(self, request)

        threads = [threading.Thread(target=answer, args=each) for each in enumerate(requests)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return {"answers": answers}


def answer_to(adapter, request):
    """One request's answer."""
    method = getattr(adapter, request["do"].replace("-", "_"), None)
    if method is None:
        return {"cannot": "no such way"}
    try:
        started = time.perf_counter()
        said = method(**{name: value for name, value in request.items() if name != "do"}) or {}
        return {"seconds": time.perf_counter() - started} | said
    except Cannot as error:
        return {"cannot": str(error)}
    except Exception as error:
        line = error.__traceback__
        while line.tb_next:
            line = line.tb_next
        return {"error": f"{type(error).__name__}: {error} ({Path(line.tb_frame.f_code.co_filename).name}, "
                         f"line {line.tb_lineno})"[:600]}


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
    """A temporary folder with the server's files, its log and its clock; it is removed with `remove`."""

    def __init__(self):
        self.path = Path(tempfile.mkdtemp(prefix="otp-logins-"))
        self.data, self.logs = self.path / "data", self.path / "logs"
        self.data.mkdir()
        self.logs.mkdir()
        self._clock = self.path / "clock"
        self.set_clock(0)

    def set_clock(self, offset):
        """How many seconds the server's clock is ahead: always as many bytes, since servers have the file open."""
        with open(self._clock, "r+b" if self._clock.exists() else "wb") as file:
            file.write(f"{offset:+021d}s".encode().ljust(32, b"\n"))

    def clock(self):
        """The environment in which a server's clock is ahead: by hosts/clock.c, or else by Debian's libfaketime."""
        library = self.path / "clock.so"
        if shutil.which("cc"):
            if not library.exists():
                subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", str(library), str(CLOCK)], check=True)
            return {"LD_PRELOAD": str(library), "OTP_LOGINS_CLOCK": str(self._clock)}
        if FAKETIME is None:
            raise Cannot("neither a C compiler nor libfaketime is installed")
        return {"LD_PRELOAD": str(FAKETIME), "FAKETIME_TIMESTAMP_FILE": str(self._clock), "FAKETIME_NO_CACHE": "1",
                "DONT_FAKE_MONOTONIC": "1", "NO_FAKE_STAT": "1"}

    def remove(self):
        """Removes it."""
        shutil.rmtree(self.path, ignore_errors=True)


def end_with_adapter():
    """Ends the server with the adapter (Linux's PR_SET_PDEATHSIG)."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def start(command, log, **options):
    """Starts a process that ends with the adapter, and writes to a log."""
    with open(log, "ab") as file:
        return subprocess.Popen(command, stdout=options.pop("stdout", file), stderr=file,
                                preexec_fn=end_with_adapter, **options)


def end(process, how=signal.SIGTERM):
    """Ends a process."""
    if process is not None and process.poll() is None:
        process.send_signal(how)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def free_port():
    """A port of loopback that is free."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def await_port(port, process):
    """Waits until a server answers."""
    for _ in range(1200):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        if process.poll() is not None:
            raise RuntimeError("the server does not start")
        time.sleep(0.05)
    raise RuntimeError("the server does not answer")
