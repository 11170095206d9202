"""An adapter's process: a line in, a line out. A process that dies or hangs is restarted."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess

TIMEOUT = 20
"""Seconds. A request takes microseconds; a timing, below a second."""


class Adapter:
    """A running adapter. A request without an answer is `crashed`."""

    def __init__(self, command: list[str], stderr: int | None = subprocess.DEVNULL, patience: int = 1) -> None:
        """`patience` is how many times the usual timeout it has, such as for a batch in an emulator."""
        self._command, self._stderr, self._patience = command, stderr, patience
        self._process: subprocess.Popen[bytes] | None = None
        self._unread = b""

    def ask(self, request: str) -> str:
        """The answer, without its newline."""
        process = self._running()
        assert process.stdin is not None
        try:
            process.stdin.write(request.encode("ascii") + b"\n")
            process.stdin.flush()
        except BrokenPipeError:
            return self._ended()
        return self._read(process)

    def finish(self) -> int:
        """Let the process end by itself; its exit status."""
        process = self._running()
        process.communicate(timeout=TIMEOUT * self._patience)
        self._process = None
        return process.returncode

    def close(self) -> None:
        """End the process and its children."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.communicate()
            self._process = None
        self._unread = b""

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self._process = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                             stderr=self._stderr, bufsize=0, start_new_session=True)
        return self._process

    def _read(self, process: subprocess.Popen[bytes]) -> str:
        assert process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while b"\n" not in self._unread:
                if not selector.select(TIMEOUT * self._patience):
                    self.close()
                    return "crashed hung"
                read = process.stdout.read(1 << 16)
                if not read:
                    return self._ended()
                self._unread += read
        line, self._unread = self._unread.split(b"\n", 1)
        return line.decode("utf-8", "replace").strip()

    def _ended(self) -> str:
        assert self._process is not None
        self._process.wait(TIMEOUT)
        status = self._process.returncode
        self.close()
        return f"crashed signal-{-status}" if status < 0 else f"crashed status-{status}"
