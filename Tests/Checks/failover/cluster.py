"""Three PostgreSQL servers under Patroni, with etcd and HAProxy, and the ways to disturb them.

    cluster.py FOLDER PROGRAM quick|soak

It sets up the servers in the folder, and runs `processes-check fail-overs`, which signs users in and asks for each
disturbance by a line that begins with "? ". One host of that program connects through HAProxy, which asks each Patroni
whether its server is the primary; the other has all servers in its URL. Each Patroni reaches etcd through a forwarder
of its own, so that one of them can be cut off. There is one etcd, with the older of its two interfaces: by the newer
one (PATRONI_DCS=etcd3), Patroni 3.0.2 can take the lock from the new primary when a frozen one goes on.
PATRONI_TTL, PATRONI_LOOP_WAIT, PATRONI_RETRY_TIMEOUT and WAL_RETRY set other times.
"""

import contextlib
import json
import os
import pwd
import random
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

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


def await_until(what, condition, patience=PATIENCE):
    """Waits until a condition holds, and returns its value."""
    end = time.monotonic() + patience
    while not (value := condition()):
        if time.monotonic() > end:
            raise TimeoutError(f"waited for {what} in vain")
        time.sleep(0.05)
    return value


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
        arguments = [word for statement in statements for word in ("--command", statement)]
        done = subprocess.run(
            ["psql", "--no-psqlrc", "--tuples-only", "--no-align", "--quiet", f"--host={self.folder}/node{node}",
             f"--port={POSTGRESQL + node}", "--username=otp", "--dbname=postgres", *arguments],
            check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def await_new_leader(self, old, patience=PATIENCE):
        """The end of most disturbances, which follow."""
        await_until("a new leader", lambda: self.leader(other_than=old), patience)

    def kill(self):
        """Kills the primary and its manager."""
        self.gone = self.leader()
        send(signal.SIGKILL, [self.patroni[self.gone].pid, self.postmaster(self.gone)])
        self.patroni[self.gone].wait()
        self.await_new_leader(self.gone)

    def freeze(self):
        """Stops the primary and its manager, which do not know of the failover when they go on."""
        self.gone = self.leader()
        send(signal.SIGSTOP, [self.patroni[self.gone].pid, self.postmaster(self.gone)])
        send(signal.SIGSTOP, self.server(self.gone))
        self.await_new_leader(self.gone)

    def thaw(self):
        """Lets only the old primary go on, which then takes itself for the primary, as its manager does not act."""
        send(signal.SIGCONT, reversed(self.server(self.gone)))
        if self.sql(self.gone, "SELECT pg_is_in_recovery()") != "f":
            raise RuntimeError("the old primary is a standby")
        return POSTGRESQL + self.gone

    def uncover(self):
        """A planted fault: the old primary no longer waits for a standby."""
        self.sql(self.gone, "ALTER SYSTEM SET synchronous_standby_names = ''", "SELECT pg_reload_conf()")
        await_until("the setting", lambda: self.sql(self.gone, "SHOW synchronous_standby_names") == "")

    def cut(self):
        """Cuts the primary's manager off from etcd. Its server and the other managers go on."""
        self.cut_off = self.leader()
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
        old = self.leader()
        new = next(name for name, state in self.standbys(old).items() if state == "sync")
        done = subprocess.run(
            [*self.prefix, "patronictl", "-c", self.folder / f"node{old}.yml", "switchover", "otp", "--master",
             f"node{old}", "--candidate", new, "--force"], capture_output=True, text=True, check=True)
        if "Successfully switched over" not in done.stdout:
            raise RuntimeError(done.stdout + done.stderr)
        self.await_new_leader(old)

    def heal(self):
        """Lets everything run again, and waits until there are two standbys, one of them synchronous."""
        if self.cut_off:
            send(signal.SIGCONT, [self.forwarders[self.cut_off].pid])
        if self.gone and self.patroni[self.gone].poll() is not None:
            self.manage(self.gone)
        elif self.gone:
            # Undoes what the planted fault has set.
            (self.folder / f"node{self.gone}/data/postgresql.auto.conf").write_text("")
            send(signal.SIGCONT, [self.patroni[self.gone].pid])
        self.gone = self.cut_off = None
        await_until("two standbys", self.is_well)


def main(folder, program, mode):
    cluster = Cluster(folder := Path(folder))
    os.environ["TMPDIR"] = str(folder)
    seed = int(os.environ.get("SEED", random.randrange(10**6)))
    try:
        cluster.start()
        host = "user=otp dbname=postgres sslmode=disable host=127.0.0.1"
        ports = ",".join(str(POSTGRESQL + node) for node in NODES)
        urls = f"{host} port={PROXY}", f"{host},127.0.0.1,127.0.0.1 port={ports}"
        driver = subprocess.Popen([program, "fail-overs", *urls, mode, str(seed)], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True)
        for line in driver.stdout:
            if line.startswith("? "):
                answer = getattr(cluster, line[2:].strip().replace("-", "_"))()
                driver.stdin.write(f"done {answer}\n")
                driver.stdin.flush()
            else:
                print(line, end="", flush=True)
        status = driver.wait()
    except (OSError, RuntimeError, StopIteration, subprocess.SubprocessError) as error:
        print(f"failover: {error!r} {getattr(error, 'stderr', None) or ''}", file=sys.stderr)
        status = 1
    if status:
        for log in sorted(folder.glob("*.log")):
            lines = [line for line in log.read_text(errors="replace").split("\n") if "no action" not in line]
            print(f"--- {log.name}\n" + "\n".join(lines[-150:]), file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
