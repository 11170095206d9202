"""What must be refused, and what must give no answer before the commit, or without it."""

import concurrent.futures
import contextlib
import os
import secrets
import socket
import struct
import time

import psycopg2

from extension import (administrator, application, connected, enrolled, events, failures, folder, refused,
                       require, rows, sql, verify)
from hosts import await_until


class Raw:
    """A connection that speaks the protocol, since drivers hide what they send."""

    def __init__(self, options=""):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(f"{folder}/.s.PGSQL.{os.environ.get('PGPORT', 5432)}")
        start = struct.pack("!i", 196608) + f"user\0app\0database\0postgres\0options\0{options}\0\0".encode()
        self.socket.sendall(struct.pack("!i", len(start) + 4) + start)
        self.process = None
        self.kinds(b"Z")

    def send(self, *messages):
        self.socket.sendall(b"".join(kind + struct.pack("!i", len(body) + 4) + body for kind, body in messages))

    def kinds(self, *last):
        """The kinds of the next messages, up to one of these."""
        found = []
        while not found or found[-1] not in last:
            kind, size = struct.unpack("!ci", self.socket.recv(5, socket.MSG_WAITALL))
            body = self.socket.recv(size - 4, socket.MSG_WAITALL)
            if kind == b"K":
                self.process = struct.unpack("!i", body[:4])[0]
            found.append(kind)
        return found

    def arrived(self):
        """What has arrived by now."""
        with contextlib.suppress(BlockingIOError):
            return self.socket.recv(1 << 20, socket.MSG_DONTWAIT | socket.MSG_PEEK)
        return b""

    @staticmethod
    def execute(statement):
        return ((b"P", b"\0" + statement.encode() + b"\0\0\0"), (b"B", bytes(8)), (b"E", bytes(5)))


SYNC, FLUSH = (b"S", b""), (b"H", b"")


def uncommitted():
    """Where PostgreSQL cannot commit, nothing is looked at; nor if what the caller has left fails."""
    call = "CALL otp.verify('{0}', '000000')"
    declared = "$$ DECLARE a text; r text; w int; t timestamptz; n int; BEGIN"
    within = "CALL otp.verify('{0}', '000000', 'app', a, r, w, t);"
    left = "CREATE FUNCTION pg_temp.left(a text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN {}; RETURN a; END $$"
    deferred = left.format("CREATE TEMP TABLE u (a int UNIQUE DEFERRABLE INITIALLY DEFERRED); "
                           "INSERT INTO u VALUES (1), (1)")
    held = left.format("EXECUTE 'DECLARE c CURSOR WITH HOLD FOR SELECT 1 / count(*) FROM pg_am WHERE false'")
    statements = {
        "a transaction block": ["BEGIN", call], "a savepoint": ["BEGIN", "SAVEPOINT s", call],
        "several statements": [f"{call}; SELECT 1 / 0"], "SELECT": ["SELECT otp.verify('{0}', '000000')"],
        "a function": [f"CREATE FUNCTION pg_temp.f() RETURNS void LANGUAGE plpgsql AS {declared} {within} END $$",
                       "SELECT pg_temp.f()"],
        "a definer": [f"CREATE PROCEDURE public.f() LANGUAGE plpgsql SECURITY DEFINER AS {declared} {within} END $$",
                      "CALL public.f()"],
        "a block that catches": [f"DO {declared} {within} EXCEPTION WHEN raise_exception THEN NULL; END $$"],
        "a query that fails later": [f"DO {declared} FOR n IN SELECT 1 / (2 - g) FROM generate_series(1, 2) g LOOP "
                                     f"{within} END LOOP; END $$"],
        "an argument that fails": ["CALL otp.verify('{0}', (1 / 0)::text)"],
        "a deferred constraint": [deferred, "CALL otp.verify(pg_temp.left('{0}'), '000000')"],
        "a cursor WITH HOLD": [held, "CALL otp.verify(pg_temp.left('{0}'), '000000')"],
        "a text that takes long": ["CALL otp.verify('{0}', repeat('5', 70000))"],
        "a subject that is too long": ["CALL otp.verify('{0}' || repeat('a', 1024), '000000')"],
    }
    for what, lines in statements.items():
        subject, _ = enrolled()
        *before, last = (line.replace("{0}", subject) for line in lines)
        with connected() as connection:
            for line in before:
                rows(connection, line)
            require(refused(connection, last), f"{what} is allowed")
        require(failures(subject) == 0 and len(events(subject)) == 2, f"{what} counts")
        sql(administrator, "DROP PROCEDURE IF EXISTS public.f")
    subject, _ = enrolled()
    call, raw = call.replace("{0}", subject), Raw()
    raw.send(*raw.execute(call), *raw.execute("SELECT 1 / 0"), SYNC)
    require(raw.kinds(b"Z").count(b"D") == 1 and failures(subject) == 1, "what follows in a pipeline rolls back")
    with connected() as connection:
        rows(connection, f"DO {declared} {within} END $$".replace("{0}", subject))
        require(failures(subject) == 2, "DO does not count")


def notifying():
    """A type whose check notifies, while the server's table of locks is full."""
    subject, app = enrolled()
    with connected() as holder, connected() as connection:
        rows(connection, "CREATE DOMAIN pg_temp.d AS text CHECK (pg_notify('c', VALUE) IS NOT NULL)")
        require(refused(holder, "SELECT pg_advisory_lock(i) FROM generate_series(1, 100000) i",
                        psycopg2.errors.OutOfMemory), "the table of locks is not full")
        code = app.totp(int(time.time()))
        for typed in ("000000", code):
            require(refused(connection, f"CALL otp.verify('{subject}', '{typed}'::pg_temp.d)"), "an answer to a domain")
        rows(holder, "SELECT pg_advisory_unlock_all()")
        require(failures(subject) == 0 and verify(connection, subject, code) == "accepted", "what failed is counted")


def remote():
    """A query on another server in the same pipeline, whose end there makes the commit fail; a trigger that does."""
    sql(administrator, "CREATE EXTENSION postgres_fdw SCHEMA public", "CREATE TABLE public.far AS SELECT 1 AS a",
        "CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw OPTIONS "
        f"(host '{folder}', port '{os.environ.get('PGPORT', 5432)}', dbname 'postgres')",
        "CREATE USER MAPPING FOR app SERVER far OPTIONS (user 'app', password_required 'false')",
        "CREATE FOREIGN TABLE public.near (a int) SERVER far OPTIONS (table_name 'far')",
        "GRANT SELECT ON public.near, public.far TO app")
    subject, app = enrolled()
    raw, code = Raw(), app.totp(int(time.time()))
    for typed in ("000000", code):
        raw.send((b"P", b"\0SELECT a FROM near\0\0\0"), (b"B", bytes(8)), (b"C", b"P\0"), FLUSH)
        raw.kinds(b"3")
        await_until("a remote process", lambda: sql(
            administrator, "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
            "WHERE application_name = 'postgres_fdw'"))
        raw.send(*raw.execute(f"CALL otp.verify('{subject}', '{typed}')"), SYNC)
        found = raw.kinds(b"Z")
        require(b"E" in found and b"D" not in found, f"an answer though a remote transaction failed: {found}")
    sql(administrator, "CREATE FUNCTION public.fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''no''; END'",
        "CREATE CONSTRAINT TRIGGER fail AFTER UPDATE ON otp.factor DEFERRABLE INITIALLY DEFERRED FOR EACH ROW "
        "EXECUTE FUNCTION public.fail()")
    with connected() as connection:
        require(refused(connection, f"CALL otp.verify('{subject}', '{code}')"), "an answer though the commit failed")
        sql(administrator, "DROP FUNCTION public.fail CASCADE", "DROP SERVER far CASCADE")
        require(failures(subject) == 0 and verify(connection, subject, code) == "accepted", "what failed is counted")


def is_gone(process, seconds=5):
    """Ends a process, and whether it did end."""
    return sql(administrator, f"SELECT pg_terminate_backend({process}, {seconds * 1000})") == "t"


def set_standbys(names):
    sql(administrator, f"ALTER SYSTEM SET synchronous_standby_names = '{names}'", "SELECT pg_reload_conf()")
    await_until("the setting", lambda: sql(administrator, "SHOW synchronous_standby_names") == names)


def awaited():
    """While a commit waits for a standby, nothing cancels the wait, no message says anything, and a process that is
    ended then has not answered."""
    subject, app = enrolled()
    later, _ = enrolled()
    talkative = Raw("-c client_min_messages=debug5")
    with connected() as connection, concurrent.futures.ThreadPoolExecutor(1) as pool:
        (process,), = rows(connection, "SELECT pg_backend_pid()")
        set_standbys("absent")
        waiting = pool.submit(verify, connection, subject, app.totp(int(time.time())))
        talkative.send((b"Q", f"CALL otp.verify('{later}', '000000')\0".encode()))
        await_until("two waits", lambda: sql(
            administrator, "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'") == "2")
        sql(application, f"SELECT pg_cancel_backend({process})")
        time.sleep(0.5)
        was_answered, arrived = waiting.done(), talkative.arrived()
        require(is_gone(talkative.process), "a process that waits for a standby goes on")
        arrived += talkative.arrived()
        set_standbys("")
        require(not was_answered and waiting.result() == "accepted", "an answer without a standby")
        require(b"DEBUG" in arrived and b"rejected" not in arrived and b"wait" not in arrived, "an early row")
        require(not connection.notices, f"an answer without a standby: {connection.notices}")
    require(failures(later) == 1, "what was ended is not counted")


def unread():
    """A client that asks for all messages, and reads none, keeps no user's row; it, and what waits, can be ended."""
    subject, _ = enrolled()
    raw = Raw("-c client_min_messages=debug5 -c debug_print_plan=on")
    raw.socket.setblocking(False)
    body = f"CALL otp.verify('{subject}', '1')\0".encode()
    with contextlib.suppress(BlockingIOError):
        while True:
            raw.send((b"Q", body))
    query = f"SELECT wait_event FROM pg_stat_activity WHERE pid = {raw.process}"
    await_until("a full socket", lambda: sql(administrator, query) == "ClientWrite")
    with connected(f"{application} options='-c lock_timeout=5s'") as connection:
        require(verify(connection, subject, "000000") == "rejected", "a client that does not read holds up the user")
        require(is_gone(raw.process), "a client that does not read keeps its process")
        with connected(administrator) as holder, concurrent.futures.ThreadPoolExecutor(1) as pool:
            rows(connection, "SET lock_timeout = 0")
            (process,), = rows(connection, "SELECT pg_backend_pid()")
            rows(holder, "BEGIN")
            rows(holder, "SELECT FROM otp.factor WHERE subject = %s FOR UPDATE", subject)
            waiting = pool.submit(refused, connection, f"CALL otp.verify('{subject}', '000000')")
            await_until("a wait", lambda: rows(holder, "SELECT pid FROM pg_locks WHERE NOT granted"))
            require(is_gone(process) and waiting.result(), "a process that waits for a row goes on")
    require(failures(subject) == 1, "what was not looked at is counted")


def slowed():
    """From the check of a code to the commit, which here takes long, nothing cancels a call or ends its process."""
    subject, _ = enrolled()
    sql(administrator, "CREATE FUNCTION public.slow() RETURNS trigger LANGUAGE plpgsql AS "
        "'BEGIN PERFORM pg_sleep(2); RETURN NULL; END'",
        "CREATE TRIGGER slow AFTER UPDATE ON otp.factor FOR EACH ROW EXECUTE FUNCTION public.slow()")
    with connected(f"{application} options='-c statement_timeout=1s'") as connection:
        require(verify(connection, subject, "000000") == "rejected", "a call was cancelled after its check")
        require(rows(connection, "SELECT 1") and failures(subject) == 1, "a late cancellation ends the next statement")
        require(refused(connection, "SELECT pg_sleep(5)", psycopg2.errors.QueryCanceled), "no timeout afterward")
        (process,), = rows(connection, "SELECT pg_backend_pid()")
        rows(connection, "SET statement_timeout = 0")
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            call = pool.submit(refused, connection, f"CALL otp.verify('{subject}', '000000')")
            query = f"SELECT wait_event FROM pg_stat_activity WHERE pid = {process}"
            await_until("the commit", lambda: sql(administrator, query) == "PgSleep" or call.done())
            is_gone(process)
    require(failures(subject) == 2 and len(events(subject)) == 4, "a process was ended after its check")
    sql(administrator, "DROP FUNCTION public.slow CASCADE")


def restored():
    """After an error anywhere, the session is the caller's: its user, its settings, its interrupts."""
    state = ("SELECT current_user, current_setting('search_path'), current_setting('client_min_messages'), "
             "current_setting('transaction_isolation'), has_table_privilege('otp.factor', 'SELECT')")
    with connected(f"{application} options='-c search_path=public -c client_min_messages=log "
                   "-c default_transaction_isolation=serializable'") as connection:
        before = rows(connection, state)
        subject, _ = enrolled()
        trigger = ("CREATE {} TRIGGER t {} UPDATE ON otp.factor {} FOR EACH ROW EXECUTE FUNCTION public.t()")
        sql(administrator, "CREATE FUNCTION public.t() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''no''; END'")
        for what, fault, mend in (
                ("the place", "ALTER TABLE otp.event SET UNLOGGED", "ALTER TABLE otp.event SET LOGGED"),
                ("the library", "UPDATE otp.factor SET record = 'x'::bytea || record",
                 "UPDATE otp.factor SET record = substr(record, 2)"),
                ("the update", trigger.format("", "BEFORE", ""), "DROP TRIGGER t ON otp.factor"),
                ("the commit", trigger.format("CONSTRAINT", "AFTER", "DEFERRABLE INITIALLY DEFERRED"),
                 "DROP TRIGGER t ON otp.factor"), ("nothing", "SELECT 1", "SELECT 1")):
            sql(administrator, fault)
            error = refused(connection, f"CALL otp.verify('{subject}', '000000')")
            sql(administrator, mend)
            require((error is None) == (what == "nothing"), f"after an error in {what}: {error}")
            require(rows(connection, state) == before, f"after an error in {what}: {rows(connection, state)}")
            rows(connection, "SET statement_timeout = 50")
            require(refused(connection, "SELECT pg_sleep(5)", psycopg2.errors.QueryCanceled), f"{what}: no timeout")
            rows(connection, "SET statement_timeout = 0")
        require(failures(subject) == 1, "an error is counted")
        rows(connection, "DO $$ DECLARE a text; r text; w int; t timestamptz; BEGIN "
             "SET LOCAL client_min_messages = error; CALL otp.verify('a', 'b', 'app', a, r, w, t); END $$")
        require(rows(connection, state) == before, "a local setting outlives its transaction")
        # What is found first by the caller's search_path is not called.
        rows(connection, "CREATE FUNCTION public.no(text, text) RETURNS bool LANGUAGE plpgsql "
             "AS 'BEGIN RAISE ''no''; END'")
        rows(connection, "CREATE OPERATOR public.= (LEFTARG = text, RIGHTARG = text, FUNCTION = public.no)")
        rows(connection, "SET search_path = public, pg_catalog")
        require(verify(connection, subject, "000000") == "rejected", "the caller's operator is called")
        rows(connection, "DROP OPERATOR public.= (text, text)")
    sql(administrator, "DROP FUNCTION public.t, public.no")


def lost():
    """A loss that is noticed is committed by itself, and counts for a call that waits for the row."""
    subject, app = enrolled()
    with connected(administrator) as holder, connected() as other, concurrent.futures.ThreadPoolExecutor(1) as pool:
        rows(other, "SET default_transaction_isolation = 'repeatable read'")
        rows(holder, "BEGIN")
        rows(holder, "SELECT FROM otp.factor WHERE subject = %s FOR UPDATE", subject)
        waiting = pool.submit(verify, other, subject, app.totp(int(time.time())))
        await_until("a wait", lambda: rows(holder, "SELECT pid FROM pg_locks WHERE NOT granted"))
        sql(administrator, "SELECT otp.spend()")
        rows(holder, "COMMIT")
        require(waiting.result() in ("rejected", "wait"), f"a spent code is {waiting.result()}")
    # A record that is replaced, with its secret, does not forget a loss that it has not seen.
    for loss in ("SELECT otp.spend()", "UPDATE otp.store SET place = ''"):
        secret = secrets.token_bytes(20)
        subject, app = enrolled(secret)
        sql(administrator, loss)
        with connected() as connection:
            if "spend" in loss:
                code = app.totp(int(time.time()))
                cause = sql(administrator, f"SELECT cause FROM otp.explain('{subject}', '{code}')")
                require(cause and cause != "right", f"a spent code is explained as {cause}")
            rows(connection, "SELECT otp.enroll(%s, 'a', 'b', secret => %s, replace => true)", subject, secret)
            found = rows(connection, "CALL otp.confirm(%s, %s)", subject, app.totp(int(time.time())))[0][0]
            require(found in ("rejected", "wait"), f"a spent code of a replaced record is {found}")
    # Nor that the latest one was dated by a faster clock.
    enroll = "SELECT otp.enroll(%s, 'a', 'b', 'second', secret => %s, period => 1, replace => true)"
    with connected() as connection:
        rows(connection, enroll, subject, secret)
        sql(administrator, "SELECT otp.spend(clock_timestamp() + interval '30 minutes')")
        sql(administrator, "UPDATE otp.store SET place = ''")
        rows(connection, enroll, subject, secret)
        time.sleep(8)  # A loss that is dated by now spends seven steps.
        code = app.totp(30 * int(time.time()))
        found = rows(connection, "CALL otp.confirm(%s, %s, 'second')", subject, code)[0][0]
        why = sql(administrator, f"SELECT reason FROM otp.events('-infinity') WHERE subject = '{subject}'").split()[-1]
        require((found, why) == ("rejected", "replayed"), f"a code of the next half an hour is {found}: {why}")
    sql(administrator, "UPDATE otp.store SET lost = clock_timestamp()")
    # As after a promotion, with a transaction that enrolls and is left open.
    with connected() as idle, connected(f"{application} options='-c lock_timeout=5s'") as other:
        sql(administrator, "UPDATE otp.store SET place = ''")
        rows(idle, "BEGIN")
        rows(idle, "SELECT otp.enroll('idle', 'a', 'b')")
        require(verify(other, subject, "000000") != "accepted", "an open transaction holds up a sign-in")
        rows(idle, "SELECT otp.remove(%s)", subject)
        rows(idle, "COMMIT")
    count = sql(administrator, "SELECT count(*) FROM otp.event WHERE kind = 'loss noticed'")
    require(count == "7", f"{count} losses")
