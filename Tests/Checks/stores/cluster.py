"""Three PostgreSQL servers under Patroni, with etcd and HAProxy, the ways to disturb them, and sign-ins meanwhile.

One host connects through HAProxy, which asks each Patroni whether its server is the primary; the other has all servers
in its URL. Each Patroni reaches etcd through a forwarder of its own, so that one of them can be cut off. There is one
etcd, with the older of its two interfaces: by the newer one (PATRONI_DCS=etcd3), Patroni 3.0.2 can take the lock from
the new primary when a frozen one goes on. PATRONI_TTL, PATRONI_LOOP_WAIT, PATRONI_RETRY_TIMEOUT and WAL_RETRY set other
times.
"""

import contextlib
import json
import os
import pwd
import random
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from hosts import Host, Run, Wrong, await_until, new_place, require
from servers import sql

# Seconds. Patroni 3.0 asks for loop_wait + 2 * retry_timeout <= ttl.
TTL, LOOP_WAIT, RETRY_TIMEOUT = (int(os.environ.get(name, default)) for name, default in (
    ("PATRONI_TTL", 5), ("PATRONI_LOOP_WAIT", 1), ("PATRONI_RETRY_TIMEOUT", 2)))
NODES = (1, 2, 3)
POSTGRESQL, REST, FORWARDER, PROXY, ETCD, PEERS = 5000, 8000, 2390, 5100, 2379, 2380
PATIENCE = 90 + 2 * TTL

PATRONI = """
scope: otp
name: node{node}
restapi: {{listen: "127.0.0.1:{rest}", connect_address: "127.0.0.1:{rest}"}}
{etcd}: {{host: "127.0.0.1:{forwarder}", use_proxies: true}}
watchdog: {{mode: "off"}}
bootstrap:
  dcs:
    ttl: {ttl}
    loop_wait: {loop_wait}
    retry_timeout: {retry_timeout}
    maximum_lag_on_failover: 1048576
    synchronous_mode: true
    synchronous_mode_strict: true
    postgresql:
      use_pg_rewind: true
      parameters: {{max_connections: 60, wal_keep_size: 512MB, wal_retrieve_retry_interval: {retry}}}
  initdb: [{{encoding: UTF8}}, {{locale: C}}, data-checksums, no-sync]
  pg_hba: ["local all all trust", "host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"]
postgresql:
  listen: "127.0.0.1:{postgresql}"
  connect_address: "127.0.0.1:{postgresql}"
  data_dir: {folder}/node{node}/data
  bin_dir: {programs}
  pgpass: {folder}/node{node}/pgpass
  authentication:
    superuser: {{username: otp, password: unused}}
    replication: {{username: copier, password: unused}}
    rewind: {{username: otp, password: unused}}
  parameters: {{unix_socket_directories: "{folder}/node{node}"}}
"""

DEFAULTS = """
defaults
  mode tcp
  timeout connect 1s
  timeout client 1h
  timeout server 1h
  timeout check 1s
"""


def children(parent):
    """The processes whose parent is this one."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
            except OSError:
                continue
            if int(stat.rpartition(")")[2].split()[1]) == parent:
                yield int(entry.name)


def send(number, processes):
    for process in processes:
        try:
            os.kill(process, number)
        except ProcessLookupError:
            pass


class Cluster:
    def __init__(self, folder):
        self.folder = folder
        self.programs = max(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
        # PostgreSQL refuses to run as root.
        user = pwd.getpwnam("nobody")
        if Path("/proc/self/uid_map").read_text().split()[2] == "1":
            # Root only in a namespace that maps one user.
            self.prefix = ["unshare", "--user", "--map-user=1000", "--map-group=1000"]
        else:
            self.prefix = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
            os.chown(folder, user.pw_uid, user.pw_gid)
        self.patroni, self.forwarders = {}, {}
        self.etcd = self.gone = self.cut_off = None

    def run(self, name, *command):
        """Starts a server."""
        with open(self.folder / f"{name}.log", "ab") as log:
            return subprocess.Popen(
                self.prefix + [str(word) for word in command], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, env=os.environ | {"PATH": os.environ["PATH"] + ":/usr/sbin", "HOME": str(self.folder)})

    def start(self):
        self.etcd = self.run(
            "etcd", "etcd", "--name", "otp", "--data-dir", self.folder / "etcd", "--log-level", "warn", "--enable-v2",
            "--listen-client-urls", f"http://127.0.0.1:{ETCD}", "--advertise-client-urls", f"http://127.0.0.1:{ETCD}",
            "--listen-peer-urls", f"http://127.0.0.1:{PEERS}", "--initial-advertise-peer-urls",
            f"http://127.0.0.1:{PEERS}", "--initial-cluster", f"otp=http://127.0.0.1:{PEERS}")
        for node in NODES:
            settings = DEFAULTS + f"listen etcd\n  bind 127.0.0.1:{FORWARDER + node}\n  server etcd 127.0.0.1:{ETCD}\n"
            self.forwarders[node] = self.haproxy(f"forwarder{node}", settings)
        servers = "".join(
            f"  server node{node} 127.0.0.1:{POSTGRESQL + node} check port {REST + node}\n" for node in NODES)
        self.haproxy("haproxy", DEFAULTS + f"listen primary\n  bind 127.0.0.1:{PROXY}\n"
                     "  option httpchk OPTIONS /primary\n  http-check expect status 200\n"
                     "  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions\n" + servers)
        for node in NODES:
            subprocess.run(self.prefix + ["mkdir", self.folder / f"node{node}"], check=True)
            (self.folder / f"node{node}.yml").write_text(PATRONI.format(
                node=node, rest=REST + node, forwarder=FORWARDER + node, postgresql=POSTGRESQL + node,
                folder=self.folder, programs=self.programs, ttl=TTL, loop_wait=LOOP_WAIT, retry_timeout=RETRY_TIMEOUT,
                retry=os.environ.get("WAL_RETRY", "1s"), etcd=os.environ.get("PATRONI_DCS", "etcd")))
            self.manage(node)
        await_until("three servers", self.is_well)

    def haproxy(self, name, settings):
        path = self.folder / f"{name}.cfg"
        path.write_text(settings)
        return self.run(name, "haproxy", "-db", "-f", path)

    def manage(self, node):
        """Starts a node's Patroni, which starts its server."""
        self.patroni[node] = self.run(f"patroni{node}", "patroni", self.folder / f"node{node}.yml")

    def ask(self, node, path="patroni"):
        """A node's answer to a request, with its HTTP status; (0, {}) if it does not answer."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{REST + node}/{path}", timeout=1) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, {}
        except (OSError, ValueError):
            return 0, {}

    def leader(self, other_than=None):
        """The node that is the primary and holds the leader's lock."""
        return next((node for node in NODES if node != other_than and self.ask(node, "primary")[0] == 200), None)

    def standbys(self, leader):
        """The states of the standbys, by the names of their nodes."""
        return {row["application_name"]: row["sync_state"] for row in self.ask(leader)[1].get("replication", [])
                if row["state"] == "streaming"}

    def is_well(self):
        """Whether two standbys follow, and etcd names the synchronous one: until then, none may become the primary."""
        leader = self.leader()
        if not leader or sorted(self.standbys(leader).values()) != ["async", "sync"]:
            return False
        members = self.ask(leader, "cluster")[1].get("members", [])
        return sorted(member["role"] for member in members) == ["leader", "replica", "sync_standby"]

    def postmaster(self, node):
        return int((self.folder / f"node{node}/data/postmaster.pid").read_text().split("\n")[0])

    def server(self, node):
        """All processes of a node's server, its postmaster first."""
        postmaster = self.postmaster(node)
        return [postmaster, *children(postmaster)]

    def sql(self, node, *statements):
        return sql(f"host={self.folder}/node{node} port={POSTGRESQL + node} user=otp dbname=postgres", *statements)

    def await_new_leader(self, old, patience=PATIENCE):
        """The end of most disturbances, which follow."""
        await_until("a new leader", lambda: self.leader(other_than=old), patience)

    def kill(self):
        """Kills the primary and its manager."""
        self.gone = await_until("a leader", self.leader)
        send(signal.SIGKILL, [self.patroni[self.gone].pid, self.postmaster(self.gone)])
        self.patroni[self.gone].wait()
        self.await_new_leader(self.gone)

    def freeze(self):
        """Stops the primary and its manager, which do not know of the failover when they go on."""
        self.gone = await_until("a leader", self.leader)
        send(signal.SIGSTOP, [self.patroni[self.gone].pid, self.postmaster(self.gone)])
        send(signal.SIGSTOP, self.server(self.gone))
        self.await_new_leader(self.gone)

    def thaw(self):
        """Lets only the old primary go on, which then takes itself for the primary, as its manager does not act.
        Returns its port."""
        send(signal.SIGCONT, reversed(self.server(self.gone)))
        require(self.sql(self.gone, "SELECT pg_is_in_recovery()") == "f", "the old primary is a standby")
        return POSTGRESQL + self.gone

    def uncover(self):
        """A planted fault: the old primary no longer waits for a standby."""
        self.sql(self.gone, "ALTER SYSTEM SET synchronous_standby_names = ''", "SELECT pg_reload_conf()")
        await_until("the setting", lambda: self.sql(self.gone, "SHOW synchronous_standby_names") == "")

    def cut(self):
        """Cuts the primary's manager off from etcd. Its server and the other managers go on."""
        self.cut_off = await_until("a leader", self.leader)
        send(signal.SIGSTOP, [self.forwarders[self.cut_off].pid])
        # A standby that cannot follow does not become the primary until this is healed, which the hosts then ask for.
        with contextlib.suppress(TimeoutError):
            self.await_new_leader(self.cut_off, patience=30)

    def lose_etcd(self):
        """Stops etcd until there is no primary, and for a moment more."""
        send(signal.SIGSTOP, [self.etcd.pid])
        await_until("the primary's end", lambda: not self.leader())
        time.sleep(1)
        send(signal.SIGCONT, [self.etcd.pid])
        await_until("a leader", self.leader)

    def switchover(self):
        """Makes the synchronous standby the primary, by hand."""
        await_until("a synchronous standby", self.is_well)
        old = self.leader()
        new = next(name for name, state in self.standbys(old).items() if state == "sync")
        done = subprocess.run(
            [*self.prefix, "patronictl", "-c", self.folder / f"node{old}.yml", "switchover", "otp", "--master",
             f"node{old}", "--candidate", new, "--force"], capture_output=True, text=True, check=True)
        require("Successfully switched over" in done.stdout, done.stdout + done.stderr)
        self.await_new_leader(old)

    def heal(self):
        """Lets everything run again, and waits until there are two standbys, one of them synchronous."""
        if self.cut_off:
            send(signal.SIGCONT, [self.forwarders[self.cut_off].pid])
        if self.gone and self.patroni[self.gone].poll() is not None:
            self.manage(self.gone)
        elif self.gone:
            send(signal.SIGCONT, [self.patroni[self.gone].pid])
        self.gone = self.cut_off = None
        await_until("two standbys", self.is_well)

    def logs(self):
        """The end of each server's log, without what is of no interest."""
        for log in sorted(self.folder.glob("*.log")):
            lines = [line for line in log.read_text(errors="replace").split("\n") if "no action" not in line]
            yield f"--- {log.name}\n" + "\n".join(lines[-150:])


def check(is_long):
    """Signs users in while the primary moves, in each way once, or until 10^5 sign-ins."""
    # A socket's path has at most 107 bytes, and some TMPDIRs are too long for that. PostgreSQL's user must reach it.
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="otp-stores.", ignore_cleanup_errors=True) as folder:
        cluster = Cluster(Path(folder))
        try:
            cluster.start()
            return sign_in(cluster, is_long)
        except (Wrong, OSError, StopIteration, subprocess.SubprocessError):
            print(*cluster.logs(), sep="\n", file=sys.stderr)
            raise


def sign_in(cluster, is_long):
    where = "user=otp dbname=postgres sslmode=disable host=127.0.0.1"
    ports = ",".join(str(POSTGRESQL + node) for node in NODES)
    pauses, left = {}, ["kill", "cut", "switchover", "lose_etcd", "freeze"]
    with new_place() as folder:
        run = Run(folder, [f"{where} port={PROXY}", f"{where},127.0.0.1,127.0.0.1 port={ports}"])
        run.start()
        require(run.await_sign_ins(60), "sign-ins do not start")
        while left:
            event = left.pop(0)
            # With the primary gone, the last standby may have to be rewound, and wait for the log of commits that
            # wait for it; then the disturbance is ended first.
            longest, goes_on = run.disturb(event, getattr(cluster, event), cluster.heal)
            pauses[event] = max(pauses.get(event, 0), *longest)
            print(f"{event}: {longest}", flush=True)
            if event == "freeze" and goes_on:
                # The old primary does not know of the failover: since its standbys are gone, it can answer nothing.
                old = Host(f"{where} port={cluster.thaw()}", folder)
                ends = old.ask("offer", *run.latest(run.own[::2], 1))
                require(set(ends) == {"unknown"}, f"an old primary answered: {ends}")
                if not left and is_long and run.accepted() < 100_000:
                    left = [*random.sample(list(pauses), len(pauses)), "freeze"]
            elif event == "freeze":  # then there was no old primary to ask
                left.append(event)
            if goes_on and left:
                cluster.heal()
            time.sleep(10 if is_long else 0.5)
        end = run.end()
        # Without synchronous standbys it would accept them again, also from the hosts.
        cluster.uncover()
        doubled = old.ask("offer", *run.latest(run.own[1::2], 1))
        require("accepted" in doubled, f"two primaries that do not wait for standbys accepted no code twice: {doubled}")
        times = ", ".join(f"{event} {seconds:.1f} s" for event, seconds in sorted(pauses.items()))
        return f"while Patroni moved the primary, {end}; longest pauses: {times}"
