"""What must be refused: what could roll back an answer, what would not last, other roles' calls."""

import concurrent.futures
import os
import socket
import struct
import time

import psycopg2

from extension import (Denied, administrator, application, connected, enrolled, failures, folder, refused, require,
                       rows, sql, verify)


class Raw:
    """A connection that speaks the protocol, since drivers hide what they send."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(f"{folder}/.s.PGSQL.{os.environ.get('PGPORT', 5432)}")
        start = struct.pack("!i", 196608) + b"user\0app\0database\0postgres\0\0"
        self.socket.sendall(struct.pack("!i", len(start) + 4) + start)
        self.kinds(b"Z")

    def send(self, *messages):
        self.socket.sendall(b"".join(kind + struct.pack("!i", len(body) + 4) + body for kind, body in messages))

    def kinds(self, *last):
        """The kinds of the next messages, up to one of these."""
        found = []
        while not found or found[-1] not in last:
            kind, size = struct.unpack("!ci", self.socket.recv(5, socket.MSG_WAITALL))
            self.socket.recv(size - 4, socket.MSG_WAITALL)
            found.append(kind)
        return found

    @staticmethod
    def execute(statement, limit=0):
        return ((b"P", b"\0" + statement.encode() + b"\0\0\0"), (b"B", bytes(8)),
                (b"E", b"\0" + struct.pack("!i", limit)))


SYNC, FLUSH = (b"S", b""), (b"H", b"")


def rollbacks():
    """What was counted cannot be rolled back once the answer is known."""
    call = "otp.verify('{0}', '000000')"
    select = f"SELECT answer FROM {call}"
    body = f"DECLARE a text; BEGIN a := (v).answer FROM (SELECT {call} AS v) x; RAISE 'it is %', a; END"
    function = f"CREATE FUNCTION pg_temp.f() RETURNS text LANGUAGE plpgsql AS $$ {body} $$"
    # Functions that leave something which fails at the commit, and the calls with them in an argument.
    left = "CREATE FUNCTION pg_temp.left(a text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN {}; RETURN a; END $$"
    deferred = left.format("CREATE TEMP TABLE u (a int UNIQUE DEFERRABLE INITIALLY DEFERRED); "
                           "INSERT INTO u VALUES (1), (1)")
    held = left.format("EXECUTE 'DECLARE c CURSOR WITH HOLD FOR SELECT 1 / count(*) FROM pg_am WHERE false'")
    created = left.format("CREATE TEMP TABLE a (a int PRIMARY KEY) ON COMMIT DELETE ROWS; "
                          "CREATE TEMP TABLE b (a int REFERENCES a)")
    with_argument = "SELECT answer FROM otp.verify(pg_temp.left('{0}'), '000000')"
    # An immutable function is called while the statement is planned.
    planned = left.format("PERFORM 1 FROM pg_am").replace(" LANGUAGE", " IMMUTABLE LANGUAGE")
    expression = "1 / (answer = 'accepted')::int"
    statements = {
        "a transaction block": ["BEGIN", select], "a savepoint": ["BEGIN", "SAVEPOINT s", select],
        "several statements": [f"{select}; SELECT 1 / 0"], "an expression": [f"SELECT {expression} FROM {call}"],
        "a subquery": [f"SELECT {expression} FROM ({select}) s"], "a sort": [f"{select} ORDER BY {expression}"],
        "WITH": [f"WITH v AS ({select}) SELECT {expression} FROM v"], "LIMIT": [f"{select} LIMIT 1"],
        "a condition": [f"{select} WHERE {expression} = 1"], "a column": [f"SELECT {call}"],
        "a join": [f"SELECT answer FROM generate_series(1, 2), {call}"],
        "two calls": [f"SELECT * FROM ROWS FROM ({call}, {call})"], "EXPLAIN": [f"EXPLAIN ANALYZE {select}"],
        "an insertion": ["CREATE TEMP TABLE t (a text)", f"INSERT INTO t {select}"],
        "a new table": [f"CREATE TEMP TABLE t AS {select}"], "EXECUTE": [f"PREPARE p AS {select}", "EXECUTE p"],
        "DO": [f"DO $$ {body} $$"], "a function": [function, "SELECT pg_temp.f()"],
        "a deferred constraint": [deferred, with_argument], "a cursor WITH HOLD": [held, with_argument],
        "a table's ON COMMIT": [created, with_argument], "a query before it": [planned, with_argument],
        "an argument": [function, "SELECT answer FROM otp.verify(pg_temp.f(), '000000')"],
        "a call in an argument": ["SELECT answer FROM otp.verify('{0}' || left(clock_timestamp()::text, 0), '000000')"],
        "a query in an argument": [f"SELECT answer FROM otp.verify((SELECT answer::int::text FROM {call}), '0')"],
        "WITH in an argument": [f"WITH v AS MATERIALIZED (SELECT answer::int::text AS t FROM {call}) "
                                "SELECT answer FROM otp.verify((SELECT t FROM v), '0')"],
        "a temporary view": [f"CREATE TEMP VIEW v AS {select}", "SELECT answer FROM pg_temp.v"],
        "many columns": [f"SELECT {', '.join(['answer'] * 17)} FROM {call}"],
        "a block that catches": [f"DO $$ BEGIN BEGIN PERFORM answer FROM {call}; RAISE 'x'; "
                                 "EXCEPTION WHEN raise_exception THEN NULL; END; END $$"],
        "a loop": [f"DO $$ DECLARE r record; BEGIN FOR r IN {select} LOOP RAISE '%', r.answer; END LOOP; END $$"],
        "EXECUTE in DO": [f"PREPARE p AS {select}", "DO $$ BEGIN EXECUTE 'EXECUTE p'; RAISE 'x'; END $$"],
        "in_transaction": ["SELECT answer FROM otp.verify('{0}', '000000', in_transaction => true)"],
    }
    for what, lines in statements.items():
        subject, _ = enrolled()
        *before, last = (line.replace("{0}", subject) for line in lines)
        with connected() as connection:
            for line in before:
                rows(connection, line)
            error = refused(connection, last)
        require(error and "otp_record: " in str(error) and "it is" not in str(error), f"{what} is allowed: {error}")
        require(failures(subject) == 0, f"{what} counts")
    subject, _ = enrolled()
    statement, raw = select.replace("{0}", subject), Raw()
    raw.send(*raw.execute(statement, limit=1), FLUSH)
    require(raw.kinds(b"E", b"s")[-1] == b"E", "a portal that is left suspended is allowed")
    raw.send(SYNC, *raw.execute("SELECT 1"), *raw.execute(statement), SYNC)
    require(raw.kinds(b"Z") and raw.kinds(b"Z")[-2] == b"E", "a pipeline's second statement is allowed")
    require(failures(subject) == 0, "a refused call counts")
    raw.send(*raw.execute(statement), *raw.execute("SELECT 1 / 0"), SYNC)
    require(raw.kinds(b"Z").count(b"D") == 1 and failures(subject) == 1, "what follows in a pipeline rolls back")


def slowed():
    """From the answer to the commit, which here takes long, nothing cancels a statement, and a serialization failure
    comes before the answer."""
    subject, _ = enrolled()
    sql(administrator, "CREATE FUNCTION public.slow() RETURNS trigger LANGUAGE plpgsql AS "
        "'BEGIN PERFORM pg_sleep(2); RETURN NULL; END'",
        "CREATE TRIGGER slow AFTER UPDATE ON otp.factor FOR EACH ROW EXECUTE FUNCTION public.slow()")
    with connected(f"{application} options='-c statement_timeout=100'") as connection:
        require(verify(connection, subject, "000000") == "rejected", "an answer under statement_timeout")
        require(refused(connection, "SELECT pg_sleep(1)", psycopg2.errors.QueryCanceled), "no timeout afterward")
    require(failures(subject) == 1, "a statement was cancelled after its answer")
    subject, _ = enrolled()
    with connected() as connection, concurrent.futures.ThreadPoolExecutor(1) as pool:
        (process,), = rows(connection, "SELECT pg_backend_pid()")
        pool.submit(refused, connection, f"SELECT answer FROM otp.verify('{subject}', '000000')")
        time.sleep(0.5)
        sql(administrator, f"SELECT pg_terminate_backend({process}, 10000)")
    require(failures(subject) == 1, "a process was ended after its answer")
    second, app = enrolled()
    code = app.totp(int(time.time()))
    with connected() as first, connected() as other, concurrent.futures.ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda connection: verify(connection, second, code), (first, other)))
    require(answers.count("accepted") == 1, f"{answers.count('accepted')} of 2 with one code")
    raw = Raw()
    raw.send((b"Q", b"SET default_transaction_isolation = 'serializable'\0"))
    raw.kinds(b"Z")
    with connected() as connection:
        rows(connection, "BEGIN ISOLATION LEVEL SERIALIZABLE")
        rows(connection, "SELECT * FROM otp.factors('')")
        raw.send((b"Q", f"SELECT answer FROM otp.verify('{subject}', '000000')\0".encode()))
        time.sleep(0.2)
        sql(f"{application} options='-c default_transaction_isolation=serializable'",
            f"SELECT otp.enroll('{subject}', 'a', 'b', 'beside')")
        rows(connection, "SELECT * FROM otp.factors(%s)", subject)
        rows(connection, "COMMIT")
    found = raw.kinds(b"Z")
    require(b"E" in found and b"D" not in found and failures(subject) == 1, f"a serialization failure: {found}")
    sql(administrator, "DROP FUNCTION public.slow CASCADE")


def awaited():
    """While a commit waits for a standby, nothing cancels the wait, and there is no answer."""
    subject, app = enrolled()

    def set_standbys(names):
        sql(administrator, f"ALTER SYSTEM SET synchronous_standby_names = '{names}'", "SELECT pg_reload_conf()")
        time.sleep(0.3)
    with connected() as connection:
        (process,), = rows(connection, "SELECT pg_backend_pid()")
        set_standbys("absent")
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(verify, connection, subject, app.totp(int(time.time())))
            time.sleep(0.5)
            sql(application, f"SELECT pg_cancel_backend({process})")
            time.sleep(0.5)
            was_answered = waiting.done()
            set_standbys("")
            require(not was_answered and waiting.result() == "accepted", "an answer without a standby")
        require(not connection.notices, f"an answer without a standby: {connection.notices}")


def spent_meanwhile():
    """A loss that is noted while a call waits for the row counts for the call."""
    for level in ("read committed", "repeatable read", "serializable"):
        subject, app = enrolled()
        with connected(administrator) as holder, connected() as other, concurrent.futures.ThreadPoolExecutor(1) as pool:
            rows(other, "SET default_transaction_isolation = %s", level)
            rows(holder, "BEGIN")
            rows(holder, "SELECT FROM otp.factor WHERE subject = %s FOR UPDATE", subject)
            waiting = pool.submit(verify, other, subject, app.totp(int(time.time())))
            while not rows(holder, "SELECT pid FROM pg_locks WHERE NOT granted"):
                time.sleep(0.01)
            sql(administrator, "SELECT otp.spend()")
            rows(holder, "COMMIT")
            require(waiting.result() in ("rejected", "wait"), f"{level}: a spent code is {waiting.result()}")


def permitted():
    """By permission, in a transaction of the caller's."""
    subject, app = enrolled()
    code = app.totp(int(time.time()))
    with connected() as connection:
        require(refused(connection, "SET otp_record.allow_in_transaction = on", Denied), "a role permits itself")
    sql(administrator, "ALTER ROLE app SET otp_record.allow_in_transaction = on")
    with connected() as connection:
        rows(connection, "BEGIN")
        found = rows(connection, "SELECT answer FROM otp.verify(%s, %s, in_transaction => true)", subject, code)
        rows(connection, "COMMIT")
        require(found == [("accepted",)] and verify(connection, subject, code) == "rejected", "in a transaction")
    sql(administrator, "ALTER ROLE app RESET otp_record.allow_in_transaction")


def durability():
    """What would not last is refused, and the hint says what to do."""
    subject, app = enrolled()

    def hint(level, expected):
        with connected(f"{application} options='-c synchronous_commit={level}'") as connection:
            error = refused(connection, f"SELECT answer FROM otp.verify('{subject}', '000000')")
            require(error and expected in (error.diag.message_hint or ""), f"{level}, and not {expected}: {error}")
    for level in ("off", "local", "remote_write"):
        hint(level, "synchronous_commit")
    sql(administrator, "ALTER TABLE otp.factor SET UNLOGGED")
    hint("on", "SET LOGGED")
    sql(administrator, "ALTER TABLE otp.factor SET LOGGED")
    with connected() as connection:
        # The table was written again, as by a restoration.
        require(verify(connection, subject, app.totp(int(time.time()))) != "accepted", "a table that was written again")
        require(verify(connection, enrolled()[0], "000000") == "rejected", "an enrollment afterward")


def closed():
    """Neither PUBLIC nor default privileges allow anything."""
    with connected(administrator) as connection:
        found = rows(connection, "SELECT oid::regprocedure FROM pg_proc, aclexplode(coalesce(proacl, "
                     "acldefault('f', proowner))) WHERE pronamespace = 'otp'::regnamespace "
                     "AND grantee IN (0, 'app'::regrole)")
        require(not found, f"PUBLIC or app may call {found}")


def occupied():
    """There is no extension where others may have put something into its schema, or can log in as its roles."""
    place = administrator.replace("dbname=postgres", "dbname=occupied")
    sql(administrator, "CREATE DATABASE occupied")
    for before, after in (("CREATE SCHEMA otp AUTHORIZATION other", "DROP SCHEMA otp"),
                          ("CREATE SCHEMA otp; GRANT CREATE ON SCHEMA otp TO other", "DROP SCHEMA otp"),
                          ("CREATE SCHEMA otp; CREATE TYPE otp.t AS (a int)", "DROP SCHEMA otp CASCADE"),
                          ("ALTER ROLE otp_record_operator LOGIN", "ALTER ROLE otp_record_operator NOLOGIN")):
        with connected(place) as connection:
            rows(connection, before)
            error = refused(connection, "CREATE EXTENSION otp_record")
            require(error and "otp_record: " in str(error), f"after {before}: {error}")
            rows(connection, after)
    sql(place, "CREATE EXTENSION otp_record")


def roles():
    """Each role may do what it is for, and PUBLIC nothing."""
    calls = {
        "app": ["enroll('pending', 'b', 'c')", "verify('pending', '1')", "confirm('pending', '1')", "factors('a')",
                "resynchronize('pending', '{1,2}')", "recovery_codes('b')", "remove('a')"],
        "helpdesk": ["list()", "unlock('a')", "spend(now() - interval '1 day')", "reseal()", "revoke('a')",
                     "explain('pending', '000000')"],
        "own": ["record_enroll('a')", "record_info('a', '')", "record_recovery_codes('a')"],
        "nobody": ["put('a', 'b', '', '')", "ready()"]}
    allowed = {role: [f"SELECT * FROM otp.{call}" for call in of_role] for role, of_role in calls.items()}
    allowed["nobody"] += [f"{verb} otp.{table}" for table in ("factor", "store")
                          for verb in ("TABLE", "DELETE FROM", "TRUNCATE", "DROP TABLE")]
    allowed["nobody"] += ["UPDATE otp.factor SET record = record", "UPDATE otp.store SET lost = '-infinity'",
                          "INSERT INTO otp.factor SELECT 'a', 'b', '', ''", "ALTER SYSTEM SET otp_record.keyring = '/'",
                          "CREATE FUNCTION otp.f() RETURNS int RETURN 1", "SHOW otp_record.keyring"]
    for role in ("app", "helpdesk", "own", "other"):
        with connected(administrator.replace("user=otp", f"user={role}")) as connection:
            for owner, statements in allowed.items():
                for statement in statements:
                    if owner == role:
                        rows(connection, statement)
                    else:
                        require(refused(connection, statement, Denied), f"{role} may {statement}")
    closed()
    for role, reason in (("auditor", "wrong"), ("app", None)):
        with connected(administrator.replace("user=otp", f"user={role}")) as connection:
            found = rows(connection, "SELECT reason FROM otp.verify(%s, '123456')", enrolled()[0])
            require(found == [(reason,)], f"{role} sees the reason {found}")
