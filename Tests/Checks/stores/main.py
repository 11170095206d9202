"""What must hold of every store, and of PostgreSQL's servers: each code is accepted at most once, and no answered
failure is lost.

    main.py sqlite|postgresql|failover|lose|lose-warm|promotions|errors|names|patroni|patroni-soak

KILLS is how many kills there are of each kind, SEED determines their moments.
"""

import contextlib
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time

import cluster
from hosts import Host, Run, Wrong, await_until, new_place, require
from servers import Servers, answer, sql

KILLS = int(os.environ.get("KILLS", 20))
USERS, OTHERS = ([f"{name}{number}" for number in range(64)] for name in "uv")
# In the year 2065, so only the store prevents that a code is accepted twice, and no loss of today.
FIRST = 100_000_000


def kills(url, count, options=()):
    """Kills a host while another works on the same store, then that one as well, and starts both again."""
    with new_place() as folder:
        run = Run(folder, [url, url], 4, options)
        for _ in range(count // 2):
            run.start()
            require(run.await_sign_ins(120), "sign-ins do not start")
            run.kill()
            if url == "sqlite":
                with contextlib.closing(sqlite3.connect(f"{folder}/factors.sqlite")) as database:
                    found, = database.execute("PRAGMA integrity_check").fetchone()
                    require(found == "ok", found)
        run.start()
        return f"after {count} kills, {run.end()}"


def early_answers(url):
    """Hosts that answer before they commit must be noticed."""
    try:
        kills(url, 6, ["early"])
    except Wrong as fault:
        require("no order explains" in str(fault), str(fault))
        return
    raise Wrong("hosts that answer before the commit are not noticed")


def moment():
    """A second of the present step that is far from the step's end."""
    return int(time.time()) // 30 * 30 + 1


def set_ups(url, count):
    """Hosts that are killed while they create a store and its keyring: whatever they left behind is completed."""
    for number in range(count):
        with new_place() as folder:
            hosts = [Host(url, folder) for _ in range(2)]
            for host in hosts:
                host.send("create")
            time.sleep(random.uniform(0, 0.02))
            for host in hosts:
                host.kill()
            last = Host(url, folder)
            last.ask("create")
            last.ask("prepare", "user")
            require(last.offer(["user"], moment()) == ["accepted"], f"the set-up after kill {number}")
            require(last.end() == 0, "a host with a completed store failed")
    return f"after {count} kills the creation of a store was completed"


def names():
    """One SQLite file under two names, of which each would be a store of its own: a mount, and, in another process, a
    removed log. And one on a full disk, which says so."""
    def refused(kind, host, *words):
        host.send(*words)
        said = host.answer()
        require(said == f"error: {kind}", f"{words[0]} gave {said}, and not {kind}")

    with new_place() as folder, new_place() as mounted:
        store = Host("sqlite", folder)
        store.ask("create")
        store.ask("put", 1)
        for command in ("touch {0}", "mount --bind {1} {0}"):
            command = command.format(f"{mounted}/factors.sqlite", f"{folder}/factors.sqlite")
            subprocess.run(command.split(), check=True)
        refused("severalNames", Host("sqlite", mounted), "open")
        subprocess.run(["umount", f"{mounted}/factors.sqlite"], check=True)
        for suffix in ("-wal", "-shm"):
            os.remove(f"{folder}/factors.sqlite{suffix}")
        refused("replaced", Host("sqlite", folder), "open")
        refused("replaced", store, "put", 2)
    with new_place() as folder:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", folder], check=True)
        store = Host("sqlite", folder)
        store.ask("create")
        require(store.end() == 0, "a process with a new store failed")
        with contextlib.suppress(OSError), open(f"{folder}/rest", "wb", buffering=0) as rest:
            while rest.write(bytes(4096)):
                pass
        refused("full", Host("sqlite", folder), "open")
        subprocess.run(["umount", folder], check=True)
    return "a mount and a removed log were refused, in two processes"


def outages(what, count, url, disturb):
    """Sign-ins of two hosts while their server is disturbed."""
    with new_place() as folder:
        run = Run(folder, [url, url], 4)
        run.start()
        require(run.await_sign_ins(120), "sign-ins do not start")
        longest = 0
        for _ in range(count):
            longest = max(longest, *run.disturb(what, disturb)[0])
            time.sleep(random.uniform(0, 0.1))
        return f"after {count} times {what}, {run.end()}; pauses of {longest:.1f} s at most"


def cancelled_wait(url):
    """An update waits for a standby that is gone, until an administrator ends the wait: its change is on no standby, so
    it must not report success."""
    with new_place() as folder:
        host = Host(url, folder)
        host.ask("create")
        host.ask("put", 1)
        sql(url, "ALTER SYSTEM SET synchronous_standby_names = 'nobody'", "SELECT pg_reload_conf()")
        # The server's checkpointer finds out by itself, and only what changes is committed.
        waits, number = False, 1
        while not waits:
            number += 1
            host.send("put", number)
            for _ in range(20):
                time.sleep(0.01)
                waits = waits or "0" != sql(
                    url, "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
            require(host.answer().startswith("error") or not waits, "a commit without its standby reported success")
    return "a commit that lost its standby did not report success"


def lose(is_warm):
    """Sign-ins are lost in a failover to a standby that lagged, and their codes submitted again.

    is_warm: commits waited for the standby when the store connected, and an administrator ended that later, since the
    standby was down. A note of it in the store would not be on the standby.
    """
    servers = Servers()
    if not is_warm:
        servers.uncover()
    with new_place() as folder:
        host = Host(servers.url(0, 1), folder)
        host.ask("create")
        host.ask("prepare", *USERS)
        if is_warm:
            servers.uncover()
        servers.cut_standby()
        now = moment()
        require(set(host.offer(USERS, now)) == {"accepted"}, "a sign-in failed")
        host.ask("put", 1)
        servers.fail_over()
        require(host.ask("has", 1) == ["no"], "nothing was lost")
        require(host.ask("loss") == ["noticed"], "the loss was not noticed")
        require(set(host.offer(USERS, now)) == {"locked"}, "a spent code was looked at")
        # On a machine that starts later, some steps on.
        other = Host(servers.url(0, 1), folder)
        require(other.offer(USERS[:1], moment() + 30) == ["accepted"], "a later code was refused")
    return f"{len(USERS)} codes whose sign-ins were lost in a failover were not accepted again" \
        + (", though commits had waited for the standby before" if is_warm else "")


def through_pooler(servers, folder, user, old, new, exchange):
    """Signs a user in through PgBouncer, moves that to another server, where another host is first to notice the loss,
    and submits the code again."""
    link = os.environ["OTP_POSTGRESQL_POOLED"]

    def use(number):
        first = Host(servers.url(number), folder)
        first.ask("has", 1)
        os.remove(link)
        os.symlink(servers.folder(number), link)
    use(old)
    # So that the code is not spent with the first loss.
    schema = os.path.basename(folder)
    sql(servers.url(old), f"UPDATE {schema}.format SET lost = lost - interval '1 hour'")
    now, pooled = moment(), Host(os.environ["OTP_POSTGRESQL"], folder, "pooled")
    require(pooled.offer([user], now) == ["accepted"], f"{user}: a sign-in failed")
    exchange()
    use(new)
    require(pooled.offer([user], now) == ["locked"], f"{user}: a spent code was looked at")


def promotions():
    """Several servers that were promoted from one, and take writes at once: an old primary that was not stopped, and
    timelines of one number."""
    servers = Servers()
    servers.uncover()

    def used_again(step, host, fault):
        doubled = host.offer(USERS, (FIRST + step) * 30).count("accepted")
        require(doubled == 0, f"{fault}: {doubled} codes were accepted for the second time")

    def used(step, host, where):
        ends = host.offer(USERS, (FIRST + step) * 30)
        require(set(ends) == {"accepted"}, f"a sign-in {where} failed: {set(ends)}")

    def close(count, name, number):
        """Closes some connections of a host."""
        sql(servers.url(number), f"SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity "
            f"WHERE application_name = '{name}' LIMIT {count}")

    with new_place() as folder:
        driver = Host(servers.url(0), folder)
        driver.ask("create")
        driver.ask("prepare", *USERS, *OTHERS, "pooled", "restored")
        servers.back_up()
        # The new primary first, and the old one.
        one, other = (Host(f"{servers.url(*numbers)} application_name={name}", folder, "wide")
                      for name, numbers in (("one", (2, 1, 0)), ("other", (0, 1, 2))))
        for host in (one, other):
            host.ask("open")
        used(0, one, "at first")
        servers.catch_up(2)

        # The old primary is not stopped, and connections to it stay open.
        servers.promote(1)
        close(1, "one", 0)
        await_until("a loss", lambda: one.offer(OTHERS, FIRST * 30) and one.ask("loss") == ["noticed"])
        for step in (1, 2, 3):
            used(step, one, "after a promotion")
            used_again(step, one, "an open connection to an old primary was used")

        used(4, other, "on the old primary")
        servers.stop(0)
        used(5, other, "after a promotion")
        # It has never used the old primary.
        third = Host(f"{servers.url(0, 1, 2)} application_name=third", folder, "wide")
        used_again(5, third, "a spent code was accepted")
        servers.start(0)
        for name, host in (("other", other), ("third", third)):
            close(8, name, 1)
            used_again(5, host, f"an old primary was used again by {name}")

        def exchange():
            servers.stop(1)
            servers.promote(2)
        through_pooler(servers, folder, "pooled", 1, 2, exchange)
        used(6, other, "after the second promotion")
        servers.start(1)
        close(8, "other", 2)
        used_again(6, other, "an old primary with the same timeline was used again")

        # It still has connections of the pooler's.
        servers.stop(2)
        servers.restore()
        through_pooler(servers, folder, "restored", 0, 0, servers.restore)
    return "no code was accepted twice by a host whose old primaries came back, nor behind a pooler after two " \
        "promotions of one number, or two restorations of one backup"


def errors():
    """A store's errors for servers that it cannot use, on one that listens on 127.0.0.1 at PGPORT: each has one error,
    without the password."""
    url, top, count = os.environ["OTP_POSTGRESQL"], os.environ["OTP_POSTGRESQL_FOLDER"], 0
    as_root = [] if os.geteuid() == 0 else ["sudo"]

    def run(*command):
        subprocess.run(command, check=True, capture_output=True)

    def expect(kind, where, documents=1):
        host = Host(f"user=otp dbname=postgres password=hunter2 {where}", work)
        host.send("probe", documents)
        said = host.answer().removeprefix("store: ")
        require(said.startswith(kind) and "hunter2" not in said, f"'{where}' ends in {said}, and not in {kind}")
        return 1

    with tempfile.TemporaryDirectory() as work:
        for name, owner in (("server", "db.example"), ("other", "other.example")):
            run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{work}/{name}.key", "-out",
                f"{work}/{name}.pem", "-days", "2", "-subj", f"/CN={owner}", "-addext", "subjectAltName=DNS:db.example")
        run("install", "-m", "0644", f"{work}/server.pem", f"{top}/data/server.crt")
        run("install", "-m", "0600", f"{work}/server.key", f"{top}/data/server.key")
        run("chown", f"--reference={top}/data", f"{top}/data/server.crt", f"{top}/data/server.key")
        count += expect("untrusted", "host=127.0.0.1")
        sql(url, "ALTER SYSTEM SET ssl = on", "SELECT pg_reload_conf()")
        await_until("TLS", lambda: answer("host=127.0.0.1 user=otp dbname=postgres sslmode=require", "SELECT 1"))
        sql(url, "CREATE ROLE bound LOGIN PASSWORD 'hunter2' IN ROLE otp_password")
        local = "hostaddr=127.0.0.1"
        trusted = f"host=db.example {local} sslrootcert={work}/server.pem"
        for kind, where in (
                ("made", trusted),
                ("untrusted", trusted.replace("db.example", "other.example")),
                ("untrusted", f"host=db.example {local} sslrootcert={work}/other.pem"),
                ("untrusted", f"host=db.example {local} sslrootcert={work}/nothing.pem"),
                ("made", f"host=db.example,db.example hostaddr=127.0.0.2,127.0.0.1 sslrootcert={work}/server.pem"),
                ("forbidden", f"{trusted} channel_binding=require user=bound"),
                ("authenticationFailed", f"{trusted} channel_binding=require user=bound password=hunter3"),
                # A role without a password would prove nothing.
                ("authenticationFailed", f"{trusted} channel_binding=require"),
                ("unreachable", "host=nowhere.invalid"),
                ("notDurable", f"host={top} options='-c synchronous_commit=remote_write'"),
                ("made", f"host={top} options='-c synchronous_commit=remote_apply'")):
            count += expect(kind, where)

        # A disk of one mebibyte.
        run(*as_root, "mkdir", f"{top}/small")
        owner = os.stat(f"{top}/data").st_uid
        run(*as_root, "mount", "-t", "tmpfs", "-o", f"size=1m,mode=0700,uid={owner}", "none", f"{top}/small")
        try:
            sql(url, "DROP SCHEMA otp CASCADE", f"CREATE TABLESPACE small LOCATION '{top}/small'")
            count += expect("full (SQLSTATE 53100)", f"host={top} options='-c default_tablespace=small'", 1000)
            count += expect("made", f"host={top}", 10)
            sql(url, "DROP SCHEMA otp CASCADE", "DROP TABLESPACE small")
        finally:
            run(*as_root, "umount", "--lazy", f"{top}/small")
    return f"{count} usable and unusable servers were told apart"


def on_sqlite():
    early_answers("sqlite")
    return [kills("sqlite", KILLS), set_ups("sqlite", KILLS)]


def on_postgresql():
    servers = Servers()
    url = servers.url(0)
    return [kills(url, KILLS), set_ups(url, KILLS), outages("killing a backend", KILLS, url, servers.kill_backend),
            outages("killing the server", KILLS, url, servers.kill)]


def failover():
    servers = Servers()
    url = servers.url(0, 1)
    return [outages("failing over", 1, url, servers.fail_over), cancelled_wait(url)]


PARTS = {"sqlite": on_sqlite, "postgresql": on_postgresql, "failover": failover, "lose": lambda: [lose(False)],
         "lose-warm": lambda: [lose(True)], "promotions": lambda: [promotions()], "errors": lambda: [errors()],
         "names": lambda: [names()], "patroni": lambda: [cluster.check(is_long=False)],
         "patroni-soak": lambda: [cluster.check(is_long=True)]}

if __name__ == "__main__":
    seed = int(os.environ.get("SEED", random.randrange(10**6)))
    random.seed(seed)
    try:
        for result in PARTS[sys.argv[1]]():
            print(f"stores: {result}", flush=True)
    except Wrong as fault:
        sys.exit(f"stores: {sys.argv[1]}: {fault} (seed {seed})")
