"""Hosts of a store, each a process of stores-check, and runs of sign-ins on several of them, whose histories the judge
of the suite for running logins must explain."""

import os
import queue
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3] / "vectors/conformance/logins"))
from suite import history  # noqa: E402

# The hosts' users, each with a new factor.
RULES = {"window": 0, "drift": 0, "lock": 10, "locked": 0}
ENROLLED = {"do": "enroll", "secret": bytes(range(1, 21)).hex(), "period": 30, "digits": 6, "algorithm": "sha1",
            "pending": False}


class Wrong(Exception):
    """A fault that the check found."""


def require(condition, what):
    if not condition:
        raise Wrong(what)


def await_until(what, condition, seconds=120, pause=0.02):
    """Waits until a condition holds, and returns its value."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        require(time.monotonic() < end, f"waited for {what} in vain")
        time.sleep(pause)
    return value


class Host:
    """A process: it answers requests, or works."""

    def __init__(self, url, folder, *options):
        self.process = subprocess.Popen(
            [os.environ["STORES_CHECK"], url, folder, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True, bufsize=1, env=os.environ | {"SWIFT_BACKTRACE": "enable=no"})
        # Calls, as lines of a history; those that have not ended may take effect until the host is killed.
        self.calls, self.lines, self.accepted, self.pause = {}, queue.Queue(), Counter(), [time.monotonic(), 0]
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        self.answer()

    def read(self):
        for line in self.process.stdout:
            # The last line of a killed process may be cut off.
            if not line.endswith("\n"):
                break
            kind, *words = line.split()
            if kind not in ("began", "ended"):
                self.lines.put(line.strip())
                continue
            user, do, code, clock, began, *end = words
            self.calls[user, code, began] = call = {"user": user, "do": do, "code": code, "clock": int(clock),
                                                    "began": float(began), "ended": None, "outcome": "unknown"}
            if end:
                call["ended"], call["outcome"] = float(end[0]), end[1]
            if call["outcome"] == "accepted":
                now = time.monotonic()
                self.accepted[user] += 1
                self.pause = [now, max(self.pause[1], now - self.pause[0])]
        self.lines.put(None)

    def ended(self):
        """The calls, once there are no more; those that had expired before they took effect are none."""
        for call in self.calls.values():
            call["ended"] = call["ended"] or time.time()
        return [call for call in self.calls.values() if call["outcome"] != "expired"]

    def forget_pauses(self):
        self.pause = [time.monotonic(), 0]

    def send(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")

    def answer(self):
        """The next line; an error of the store is one, too."""
        return self.lines.get(timeout=300)

    def ask(self, *words):
        """The words of the answer to a request."""
        self.send(*words)
        line = self.answer()
        require(line is not None and not line.startswith("error"), f"{words[0]}: {line}")
        return line.split()

    def offer(self, users, seconds):
        """Submits the code of a time for each user, and returns the outcomes."""
        return self.ask("offer", *(f"{seconds}:{user}" for user in users))

    def end(self):
        """The status after the last request."""
        self.process.stdin.close()
        return self.process.wait(120)

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.reader.join()
        self.process.stdin.close()


def new_place():
    """A new folder for a keyring, after which the store is named, or in which it is."""
    return tempfile.TemporaryDirectory(prefix="stores", ignore_cleanup_errors=True)


class Run:
    """Hosts that sign users in, each by a URL of its own, and their history."""

    def __init__(self, folder, urls, count=8, options=()):
        self.folder, self.urls, self.count, self.options = folder, urls, count, options
        self.hosts, self.calls, self.start_time = [], [], int(time.time() * 1000)
        self.names = ["a", "b"][:len(urls)]
        self.own = [f"{name}-{index}" for name in self.names for index in range(count)]
        self.users = [*self.own, *(f"{name}-failing-{index}" for name in self.names for index in range(4)),
                      *(f"shared-{index}" for index in range(4))]
        driver = Host(urls[0], folder)
        driver.ask("create")
        driver.ask("prepare", *self.users)
        require(driver.end() == 0, "a driver failed")

    def latest(self, users, count):
        """Each user's last codes that were accepted, or may have been, as a host submits them."""
        steps = {user: {} for user in users}
        for call in [*self.calls, *(call for host in self.hosts for call in list(host.calls.values()))]:
            if call["user"] in steps and call["outcome"] in ("accepted", "unknown"):
                steps[call["user"]][int(call["began"] + call["clock"]) // 30] = True
        return [f"{step * 30}:{user}" for user in users for step in sorted(steps[user])[-count:]]

    def accepted(self):
        return sum(call["outcome"] == "accepted" for host in self.hosts for call in list(host.calls.values()))

    def start(self):
        """Starts the hosts, which first submit the last codes again."""
        self.hosts = [Host(url, self.folder, *self.options) for url in self.urls]
        codes = self.latest(self.users, 2)
        for host, name in zip(self.hosts, self.names):
            if codes:
                host.ask("offer", *codes)
            host.send("work", name, self.count, self.start_time)

    def await_sign_ins(self, seconds):
        """Whether all hosts sign all of their users in within a time."""
        for host in self.hosts:
            host.accepted.clear()
        end = time.monotonic() + seconds
        while any(sum(host.accepted[user] for host in self.hosts) < 3 for user in self.own):
            for host in self.hosts:
                require(host.lines.empty(), "a host has ended")
            if time.monotonic() > end:
                return False
            time.sleep(0.005)
        return True

    def disturb(self, what, disturb, heal=None):
        """Disturbs the servers, and waits until sign-ins go on; if they do not, after healing. Returns the longest
        pause of each host, in seconds, and whether they went on by themselves."""
        for host in self.hosts:
            host.forget_pauses()
        disturb()
        goes_on = self.await_sign_ins(40 if heal else 300)
        if not goes_on:
            require(heal, f"{what}: sign-ins do not go on")
            heal()
            require(self.await_sign_ins(120), f"{what}: sign-ins do not go on")
        return [host.pause[1] for host in self.hosts], goes_on

    def kill(self):
        """Kills the hosts, one after the other."""
        for host in random.sample(self.hosts, len(self.hosts)):
            time.sleep(random.uniform(0, 0.15))
            host.kill()
        self.forget()

    def forget(self):
        self.calls += [call for host in self.hosts for call in host.ended()]
        self.hosts = []

    def end(self):
        """Ends the hosts, and judges the history. Returns what is in it."""
        for host in self.hosts:
            require(host.end() == 0, "a host failed")
            host.reader.join()
            require(host.lines.get() is None, "a host has ended")
        self.forget()
        outcomes = Counter(call["outcome"] for call in self.calls)
        require(set(outcomes) <= {"accepted", "rejected", "locked", "unlocked", "unknown"}, f"outcomes: {outcomes}")
        require(outcomes["rejected"], "no code was refused")
        enrolled = [{"user": user, **ENROLLED} for user in self.users]
        wrong = history.judge([{"rules": RULES}, *enrolled, *self.calls])
        require(not wrong, "the judge says: " + "; ".join(wrong))
        return f"an order explains {outcomes['accepted']} sign-ins, {outcomes['rejected']} refusals, " \
            f"{outcomes['locked']} of locked factors, and {outcomes['unknown']} calls without an answer"
