"""The servers that Scripts/postgresql.sh has started, and ways to disturb them. Number 0 is the primary when they
start, and the others are its standbys."""

import os
import signal
import subprocess

from hosts import await_until


def sql(url, *statements):
    words = [word for statement in statements for word in ("--command", statement)]
    return subprocess.run(["psql", "--no-psqlrc", "--tuples-only", "--no-align", "--quiet", f"--dbname={url}", *words],
                          check=True, capture_output=True, text=True).stdout.strip()


def answer(url, statement):
    """The answer of a server, which may not have one now."""
    try:
        return sql(url, statement)
    except subprocess.CalledProcessError:
        return None


class Servers:
    def __init__(self):
        self.top, self.parent = os.environ["OTP_POSTGRESQL_FOLDER"], int(os.environ["OTP_POSTGRESQL_PARENT"])

    def folder(self, number):
        return f"{self.top}/standby{number}" if number else self.top

    def url(self, *numbers):
        return f"host={','.join(map(self.folder, numbers))} user=otp dbname=postgres"

    def send(self, number, server):
        with open(f"{self.folder(server)}/data/postmaster.pid", encoding="ascii") as file:
            os.kill(int(file.readline()), number)

    def kill_backend(self):
        """Kills a process that serves a connection; the server then ends all others and recovers."""
        pid = sql(self.url(0), "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' "
                  "AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1")
        if pid:
            os.kill(int(pid), signal.SIGKILL)
            # The server goes on until it notices, and accepts no connections until it has recovered.
            query = f"SELECT count(*) FROM pg_stat_activity WHERE pid = {pid}"
            await_until("a recovery", lambda: answer(self.url(0), query) == "0")

    def kill(self):
        """Kills the first server, and starts it again."""
        self.send(signal.SIGKILL, 0)
        self.start(0)

    def start(self, number):
        """Starts a server that has ended, and all others that have: again and again until its remaining processes have
        ended, since they hold the shared memory until then."""
        def is_primary():
            os.kill(self.parent, signal.SIGUSR1)
            return answer(self.url(number), "SELECT pg_is_in_recovery()") == "f"
        await_until("a server", is_primary, pause=0.3)

    def stop(self, number):
        """Stops a server at once, as by a crash, and waits until its processes have ended."""
        self.send(signal.SIGQUIT, number)
        await_until("a server's end", lambda: not os.path.exists(f"{self.folder(number)}/data/postmaster.pid"))

    def promote(self, number):
        sql(self.url(number), "SELECT pg_promote()")

    def fail_over(self):
        self.send(signal.SIGKILL, 0)
        self.promote(1)

    def uncover(self):
        """Has commits wait for no standby."""
        sql(self.url(0), "ALTER SYSTEM SET synchronous_standby_names = ''", "SELECT pg_reload_conf()")
        await_until("the setting", lambda: sql(self.url(0), "SHOW synchronous_standby_names") == "")

    def catch_up(self, count):
        query = "SELECT count(*) FROM pg_stat_replication WHERE replay_lsn >= pg_current_wal_lsn()"
        await_until("standbys", lambda: sql(self.url(0), query) == str(count))

    def cut_standby(self):
        """Waits until the standby has caught up, then stops replication."""
        self.catch_up(1)
        sql(self.url(1), "ALTER SYSTEM SET primary_conninfo = ''", "SELECT pg_reload_conf()")
        await_until("the cut", lambda: sql(self.url(0), "SELECT count(*) FROM pg_stat_replication") == "0")

    def back_up(self):
        subprocess.run(["pg_basebackup", f"--dbname={self.url(0)}", f"--pgdata={self.top}/backup", "--checkpoint=fast",
                        "--no-sync"], check=True, capture_output=True)

    def restore(self, signal=True):
        """Restores the backup, in place of the first server's data: a recovery, which ends in a promotion
        if there is a signal for it."""
        self.stop(0)
        subprocess.run(f"rm -r data && cp -a backup data && {'touch data/recovery.signal' if signal else 'true'} && "
                       "echo \"restore_command = 'false'\" >> data/postgresql.auto.conf && chown -R --reference=. data",
                       shell=True, cwd=self.top, check=True)
        self.start(0)
