"""Trials of own-table's program for etcd, on three members, whose leader is killed, frozen and cut off.

    etcd.py FOLDER COMMAND FAULTY...     in namespaces of its own, with OTP_POSTGRESQL set

Each member has a network namespace with two links, one to the members and one to clients: cut off from the members, it
still takes requests. The first FAULTY compares nothing; to the second, an unknown outcome is success.
"""

import base64
import collections
import json
import os
import random
import signal
import subprocess
import sys
import time
import urllib.request

import trials
from trials import Server, Table, require

MEMBERS = (1, 2, 3)


def ip(commands, *options):
    subprocess.run(["ip", *options, "-batch", "-"], input=commands, text=True, check=True)


class Cluster(Table):
    """The members, and the users' keys as an administrator sees them."""

    def __init__(self):
        self.last, self.processes, self.place = 0, {}, ",".join(map(self.url, MEMBERS))
        ip("link add name peers type bridge\nlink set dev peers up\n")
        for member in MEMBERS:
            ip(f"netns add m{member}\n"
               f"link add p{member} type veth peer name peers netns m{member}\nlink set dev p{member} up master peers\n"
               f"link add c{member} type veth peer name clients netns m{member}\nlink set dev c{member} up\n"
               f"address add 10.1.{member}.1/24 dev c{member}\n")
            ip(f"address add 10.0.0.{member}/24 dev peers\naddress add 10.1.{member}.2/24 dev clients\n"
               "link set dev peers up\nlink set dev clients up\nlink set dev lo up\n", "-n", f"m{member}")
            self.start(member)
        self.leader()

    def url(self, member):
        return f"http://10.1.{member}.2:2379"

    def start(self, member):
        peers, clients = f"http://10.0.0.{member}:2380", self.url(member)
        self.processes[member] = subprocess.Popen(
            ["ip", "netns", "exec", f"m{member}", "etcd", "--name", f"m{member}", "--data-dir",
             trials.folder / f"m{member}", "--logger", "zap", "--log-level", "fatal",
             "--initial-cluster", ",".join(f"m{other}=http://10.0.0.{other}:2380" for other in MEMBERS),
             "--initial-advertise-peer-urls", peers, "--listen-peer-urls", peers,
             "--advertise-client-urls", clients, "--listen-client-urls", clients])

    def ask(self, operation, **request):
        url, body = f"{self.url(self.member)}/v3/{operation}", json.dumps(request).encode()
        with urllib.request.urlopen(url, body, timeout=2) as response:
            return json.load(response)

    def leader(self, members=MEMBERS):
        """The one of these members that leads, once a majority follows it; the next `ask` goes to it."""
        for member in list(members) * 200:
            self.member = member
            try:
                status = self.ask("maintenance/status")
                if status.get("leader") == status["header"]["member_id"] and self.ask("kv/range", key="AA=="):
                    return member
            except OSError:
                pass
            time.sleep(0.05)
        sys.exit("own-table: etcd has no leader")

    def key(self, user):
        return base64.b64encode(f"users/{user}/otp".encode()).decode()

    def add(self, record=b""):
        self.last += 1
        if record:
            self.ask("kv/put", key=self.key(self.last), value=base64.b64encode(record).decode())
        return self.last

    def read(self, user):
        return base64.b64decode(self.ask("kv/range", key=self.key(user))["kvs"][0]["value"])

    def lose(self, member, how):
        """Returns what brings the member back."""
        process, link = self.processes[member], f"link set dev p{member}"
        if how == "cut off":
            ip(f"{link} down\n")
            return lambda: ip(f"{link} up\n")
        process.send_signal(signal.SIGKILL if how == "killed" else signal.SIGSTOP)
        return lambda: self.start(member) if how == "killed" else process.send_signal(signal.SIGCONT)


def lost(name, command, cluster, how):
    """Codes and guesses, by one server that knows all members, and one that knows only the leader, which is lost."""
    leader, now = cluster.leader(), int(time.time())
    right, wrong = ([cluster.enrolled(now) for _ in range(40)] for _ in range(2))
    asked = [(user, app.totp(now)) for user, app in right] + [(user, "000000") for user, _ in wrong] * 2
    random.shuffle(asked)
    requests = [f"sign-in {user} {code}" for user, code in asked]
    servers = [Server(command, cluster), Server(command, cluster, place=cluster.url(leader))]
    for server in servers:
        server.send(requests)
    # By then, both write.
    answers = [server.next() for server in servers for _ in range(random.randrange(5, 25))]
    mend = cluster.lose(leader, how)
    cluster.leader([member for member in MEMBERS if member != leader])
    for server in servers:
        server.send(requests)
    user, app = cluster.enrolled(now)
    late = Server(command, cluster)
    require(late.ask(f"sign-in {user} {app.totp(now)}") == "accepted", f"{name}: two members do not go on")
    mend()
    answers += [answer for server in servers for answer in server.end()]
    given = collections.Counter((asked[number][0], answer) for number, answer in answers)
    found = {user: cluster.details(user) for user, _ in right + wrong}
    for user, _ in right:
        require(given[user, "accepted"] <= found[user].acceptances, f"{name}: {given[user, 'accepted']} with one code")
    for user, _ in wrong:
        require(given[user, "rejected"] <= found[user].failures, f"{name}: an answered failure is forgotten")
    require(sum(details.acceptances for details in found.values()) >= 20, f"{name}: too few sign-ins")
    late.send([f"sign-in {user} {app.totp(now)}" for user, app in right])
    for number, answer in late.end():
        require(answer != "accepted" or not found[right[number][0]].acceptances, f"{name}: a spent code is accepted")


def seconds(table, workers):
    now = int(time.time())
    requests = [f"sign-in {user} {app.totp(now)}" for user, app in (table.enrolled(now) for _ in range(201))]
    server = Server(command, table, workers=workers)
    server.ask(requests.pop())
    started = time.monotonic()
    server.send(requests)
    require(all(server.next()[1] == "accepted" for _ in requests), "a right code is refused")
    taken = time.monotonic() - started
    server.end()
    return taken


def ratio(workers):
    """How long sign-ins on etcd take, in terms of the same number on PostgreSQL: the quickest of three, by turns."""
    pairs = [(seconds(cluster, workers), seconds(postgresql, workers)) for _ in range(3)]
    return min(pair[0] for pair in pairs) / min(pair[1] for pair in pairs)


def noticed(trial, *arguments):
    # It may be that no write's outcome was unknown.
    for _ in range(5):
        try:
            trial("faulty", *arguments)
        except SystemExit as end:
            return require("with one code" in end.code or "forgotten" in end.code, f"a fault: {end.code}")
    sys.exit("own-table: a fault of the program for etcd is not noticed")


command, compares_nothing, unknown_is_success = sys.argv[2:]
cluster, postgresql = Cluster(), Table(os.environ["OTP_POSTGRESQL"])
one, many = ratio(1), ratio(trials.WORKERS)
for trial in (trials.life, trials.guesses, trials.killed, trials.clocks):
    trial("etcd", command, cluster)
trials.one_code("etcd", [command], cluster)
for how in ("killed", "frozen", "cut off"):
    lost(f"etcd, leader {how}", command, cluster, how)
noticed(trials.one_code, [compares_nothing], cluster)
noticed(lost, unknown_is_success, cluster, "frozen")
print(f"{trials.checks} expectations on three members of etcd, two faults noticed; a sign-in takes {one:.1f} times as "
      f"long as on PostgreSQL, {trials.WORKERS} at once {many:.1f} times")
