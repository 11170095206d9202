"""Hosts of a store, each a process of stores-check, and runs of sign-ins on several of them."""

import os
import queue
import shutil
import subprocess
import tempfile
import threading
import time

# In the year 2065: no code of these steps could be accepted before a loss of today, so only the store prevents that one
# is accepted twice.
FIRST = 100_000_000


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
        self.lines, self.accepted, self.longest = queue.Queue(), time.monotonic(), 0
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        self.answer()

    def read(self):
        for line in self.process.stdout:
            if line.startswith("accepted"):
                now = time.monotonic()
                self.accepted, self.longest = now, max(self.longest, now - self.accepted)
            # The last line of a killed process may be cut off.
            if line.endswith("\n"):
                self.lines.put(line.strip())
        self.lines.put(None)

    def forget_pauses(self):
        self.accepted, self.longest = time.monotonic(), 0

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

    def offer(self, users, seconds, kind="right"):
        """Submits a code for each user, and returns the ends."""
        return self.ask("offer", *(f"{seconds}:{kind}:{user}" for user in users))

    def end(self):
        """The status after the last request."""
        self.process.stdin.close()
        return self.process.wait(120)

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.reader.join()
        self.process.stdin.close()


class Place:
    """A new folder for a keyring, after which the store is named, or in which it is."""

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="stores")
        return self.folder

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)


class Answers:
    """What a user's attempts were answered with."""

    def __init__(self):
        self.accepted, self.unknown = set(), set()
        # Acceptances that were stored, but not answered; attempts of which nothing is known; failures since the last
        # acceptance that may be stored; acceptances since the last disturbance.
        self.silent = self.lost = self.least = self.most = self.latest = 0

    def record(self, line):
        kind, _, step, code = line.split()
        if kind == "accepted":
            require(code == "right" and step not in self.accepted, f"{line}, for the second time")
            self.accepted.add(step)
            self.least = self.most = 0
            self.latest += 1
        elif kind == "refused":
            self.least, self.most = self.least + 1, self.most + 1
        else:
            require(kind == "unknown", line)
            self.most += 1
            if code == "right":
                self.unknown.add(step)
                self.least = 0

    def lose(self, is_failing):
        """An attempt of a host that was killed may be stored, and its answer lost."""
        self.most += 1
        if not is_failing:
            self.lost, self.least = self.lost + 1, 0

    def compare(self, what, stored, counts_failures):
        acceptances, failures = map(int, stored.split(":"))
        least = len(self.accepted) + self.silent
        most = len(self.accepted | self.unknown) + self.silent + self.lost
        require(least <= acceptances <= most and (not counts_failures or self.least <= failures <= self.most),
                f"{what}: {stored} is stored after {least} to {most} acceptances, {self.least} to {self.most} failures")
        self.silent, self.lost, self.unknown = acceptances - len(self.accepted), 0, set()
        self.least = self.most = failures


class Run:
    """Hosts that sign users in, each by a URL of its own, and what they have answered."""

    def __init__(self, folder, urls, count=16, options=()):
        self.folder, self.urls, self.count, self.options = folder, urls, count, options
        self.hosts, self.drivers, self.round, self.start_time = [], [], 0, int(time.time() * 1000)
        self.names = ["a", "b"][:len(urls)]
        self.own = [f"{name}-{index}" for name in self.names for index in range(count)]
        self.failing = [f"{name}-failing-{index}" for name in self.names for index in range(4)]
        self.shared = [f"shared-{index}" for index in range(4)]
        self.answers = {user: Answers() for user in self.own + self.failing + self.shared}
        self.connect()
        self.drivers[0].ask("create")
        self.drivers[0].ask("prepare", *self.answers)

    def connect(self):
        self.drivers = [Host(url, self.folder) for url in self.urls]

    def disconnect(self):
        """So that the store is opened again: it has something to recover then."""
        for driver in self.drivers:
            require(driver.end() == 0, "a driver failed")
        self.drivers = []

    def start(self):
        """Starts the hosts, at steps that none of them has used."""
        first = FIRST + 1_000_000 * self.round
        self.hosts = [Host(url, self.folder, *self.options) for url in self.urls]
        for host, name in zip(self.hosts, self.names):
            host.send("work", name, self.count, first, self.start_time)
        self.round, self.stopped = self.round + 1, 0

    def absorb(self, may_be_gone=False):
        for host in self.hosts:
            while not host.lines.empty():
                line = host.lines.get()
                require(line is not None or may_be_gone, "a host has ended")
                if line == "stopped":
                    self.stopped += 1
                elif line is not None:
                    require(line.split()[0] in ("accepted", "refused", "unknown"), line)
                    self.answers[line.split()[1]].record(line)

    def await_sign_ins(self, seconds):
        """Whether all hosts sign all of their users in within a time."""
        self.absorb()
        for answers in self.answers.values():
            answers.latest = 0
        end = time.monotonic() + seconds
        while any(self.answers[user].latest < 3 for user in self.own):
            if time.monotonic() > end:
                return False
            time.sleep(0.005)
            self.absorb()
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
        return [host.longest for host in self.hosts], goes_on

    def stop(self):
        """Has the hosts complete what they have begun, and wait."""
        self.stopped = 0
        for host in self.hosts:
            host.send("stop")
        end = time.monotonic() + 60
        while self.stopped < len(self.hosts):
            require(time.monotonic() < end, "the hosts do not stop")
            time.sleep(0.005)
            self.absorb()

    def go(self):
        for host in self.hosts:
            host.send("go")

    def kill(self, host):
        host.kill()
        self.absorb(may_be_gone=True)
        name = self.names[self.hosts.index(host)]
        for user, answers in self.answers.items():
            if user.startswith((f"{name}-", "shared-")):
                answers.lose(user in self.failing)

    def compare(self, what, last=10):
        """Compares the hosts' answers with what is stored, submits each user's last accepted codes again by each URL,
        and signs in those who only submit wrong codes."""
        for (user, answers), stored in zip(self.answers.items(), self.drivers[0].ask("tallies", *self.answers)):
            answers.compare(f"{what}: {user}", stored, user not in self.shared)
        again = [(user, step) for user, answers in self.answers.items() for step in sorted(answers.accepted)[-last:]]
        for driver in self.drivers:
            ends = driver.ask("offer", *(f"{int(step) * 30}:right:{user}" for user, step in again)) if again else []
            for (user, step), end in zip(again, ends):
                require(end == "invalidVerificationCode", f"{what}: {user}: step {step} ended in {end}")
                self.answers[user].record(f"refused {user} {step} right")
        steps = {user: max(map(int, self.answers[user].accepted), default=FIRST) + 1 for user in self.failing}
        ends = self.drivers[0].ask("offer", *(f"{step * 30}:right:{user}" for user, step in steps.items()))
        for (user, step), end in zip(steps.items(), ends):
            require(end == "accepted", f"{what}: {user}: step {step} ended in {end}")
            self.answers[user].record(f"accepted {user} {step} right")

    def end(self):
        """Ends the hosts. Returns what they have answered."""
        for host in self.hosts:
            require(host.end() == 0, "a host failed")
        self.disconnect()
        return self.summary()

    def summary(self):
        accepted = sum(len(answers.accepted) for answers in self.answers.values())
        silent = sum(answers.silent for answers in self.answers.values())
        return f"none of {accepted} sign-ins was lost or doubled ({silent} more had no answer)"
