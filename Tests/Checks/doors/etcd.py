#!/usr/bin/env python3
"""own-table's program for etcd, on three members. SIGKILL ends none of its processes: instead the leader is killed,
frozen or cut off from the others, and comes back with the next start. Of two programs one knows all members, and the
other only the one that is lost.

    etcd.py killed|frozen|cut-off COMMAND...

Each member has a network namespace with two links, one to the members and one to clients: cut off from the members, it
still takes requests. All are in namespaces of this adapter's own, so they see no other network, and end with it.
"""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request

import otp
from adapter import end, serve, start
from own_table import OwnTable

MEMBERS = (1, 2, 3)
HOW = sys.argv[1]


def ip(commands, *options):
    subprocess.run(["ip", *options, "-batch", "-"], input=commands, text=True, check=True)


def url(member):
    return f"http://10.1.{member}.2:2379"


class EtcdTable(OwnTable):
    """The programs, and the members."""

    def __init__(self, command):
        super().__init__([command])
        self.members, self.leading, self.lost = {}, None, None

    def place(self, number=0):
        return url(self.leading) if number else ",".join(map(url, MEMBERS))

    def start(self):
        otp.Keyring.create_file(str(self.folder.path / "keyring"))
        ip("link add name peers type bridge\nlink set dev peers up\n")
        for member in MEMBERS:
            ip(f"netns add m{member}\n"
               f"link add p{member} type veth peer name peers netns m{member}\nlink set dev p{member} up master peers\n"
               f"link add c{member} type veth peer name clients netns m{member}\nlink set dev c{member} up\n"
               f"address add 10.1.{member}.1/24 dev c{member}\n")
            ip(f"address add 10.0.0.{member}/24 dev peers\naddress add 10.1.{member}.2/24 dev clients\n"
               "link set dev peers up\nlink set dev clients up\nlink set dev lo up\n", "-n", f"m{member}")
            self.start_member(member)
        self.leading = self.leader(MEMBERS)

    def start_member(self, member):
        peers, clients = f"http://10.0.0.{member}:2380", url(member)
        self.members[member] = start(
            ["ip", "netns", "exec", f"m{member}", "etcd", "--name", f"m{member}", "--data-dir",
             self.folder.data / f"m{member}", "--logger", "zap", "--log-level", "fatal",
             "--initial-cluster", ",".join(f"m{other}=http://10.0.0.{other}:2380" for other in MEMBERS),
             "--initial-advertise-peer-urls", peers, "--listen-peer-urls", peers,
             "--advertise-client-urls", clients, "--listen-client-urls", clients], self.folder.logs / "etcd")

    def leader(self, members):
        """The one of these members that leads, once a majority follows it."""
        def ask(member, operation, **request):
            body = json.dumps(request).encode()
            with urllib.request.urlopen(f"{url(member)}/v3/{operation}", body, timeout=2) as response:
                return json.load(response)
        for member in list(members) * 200:
            try:
                status = ask(member, "maintenance/status")
                if status.get("leader") == status["header"]["member_id"] and ask(member, "kv/range", key="AA=="):
                    return member
            except OSError:
                pass
            time.sleep(0.05)
        raise RuntimeError("etcd has no leader")

    def together(self, requests, kill=0):
        if kill:
            self.end_all(signal.SIGTERM)
            self.leading = self.leader(MEMBERS)
            # Early, while codes are on their way that would be accepted.
            kill = 1 + kill % 4
        return super().together(requests, kill)

    def kill(self):
        self.lost = self.leading
        if HOW == "cut-off":
            ip(f"link set dev p{self.lost} down\n")
        else:
            self.members[self.lost].send_signal(signal.SIGKILL if HOW == "killed" else signal.SIGSTOP)
        if HOW == "killed":
            self.members[self.lost].wait()
        self.leader([member for member in MEMBERS if member != self.lost])

    def restart(self):
        if self.lost and HOW == "cut-off":
            ip(f"link set dev p{self.lost} up\n")
        elif self.lost and HOW == "frozen":
            self.members[self.lost].send_signal(signal.SIGCONT)
        elif self.lost:
            self.start_member(self.lost)
        self.lost, self.leading = None, self.leader(MEMBERS)

    def stop(self):
        for process in self.members.values():
            end(process, signal.SIGKILL)
        super().stop()


if __name__ == "__main__":
    if "OTP_LOGINS_INSIDE" not in os.environ:
        os.environ["OTP_LOGINS_INSIDE"] = "1"
        as_root = [] if os.getuid() == 0 else ["--map-root-user"]
        enter = ["setpriv", "--pdeathsig", "KILL", "unshare", *as_root, "--net", "--pid", "--fork", "--kill-child",
                 "--mount-proc", "bash", "-c", 'mount -t tmpfs none /run && "$@"; exit $?', "etcd"]
        os.execvp(enter[0], [*enter, sys.executable, *sys.argv])
    serve(EtcdTable(sys.argv[2:]))
