"""Trials of the extension otp_record, on the server of Scripts/postgresql.sh.

    trials.py FOLDER PART      FOLDER has the build and the program own-table in C

regress: pg_regress. rule: each isolation level, and refusals.py. trials: that; programs in other languages; one that
uses libotp on the same bytea; keys, an update, a dump. failover: a promotion. measure: sign-ins beside updates.
"""

import concurrent.futures
import contextlib
import itertools
import os
import pathlib
import random
import secrets
import statistics
import subprocess
import sys
import time

import psycopg2

import extension
import otp
import refusals
from extension import (administrator, application, configure, connected, create, enrolled, failures, folder, reload,
                       require, rows, servers, verify, write_keyring)
from hostile import hostile
from servers import answer, await_until, sql

work = pathlib.Path(sys.argv[1])


# ---- The rule --------------------------------------------------------------------------------------------------------

def one_code(submissions, name):
    """submissions: functions that submit a code of a subject a number of times, and return the answers."""
    subject, app = enrolled()
    code, each = app.totp(int(time.time())), 200 // len(submissions)
    with concurrent.futures.ThreadPoolExecutor(len(submissions)) as pool:
        answers = sum(pool.map(lambda submit: submit(subject, code, each), submissions), [])
    expected = {"accepted", "rejected", "wait", "locked"}
    require(len(answers) == each * len(submissions) and set(answers) <= expected, f"{name}: {answers}")
    require(answers.count("accepted") == 1, f"{name}: {answers.count('accepted')} of 200 with one code")


def isolated(level):
    """Submits at an isolation level, and again after a serialization failure."""
    def submit(subject, code, count):
        answers = []
        with connected() as connection:
            rows(connection, "SET default_transaction_isolation = %s", level)
            while len(answers) < count:
                with contextlib.suppress(psycopg2.errors.SerializationFailure):
                    answers.append(verify(connection, subject, code))
        return answers
    return submit


def rule():
    for level in ("read committed", "repeatable read", "serializable"):
        one_code([isolated(level)] * 8, level)
    for refusal in (refusals.rollbacks, refusals.slowed, refusals.awaited, refusals.spent_meanwhile,
                    refusals.permitted):
        refusal()


# ---- Programs in other languages -------------------------------------------------------------------------------------

clients = "LibOTP/postgresql/clients"
port = os.environ.get("PGPORT", "")
environment = {**os.environ, "PGHOST": "127.0.0.1", "PGUSER": "app", "PGDATABASE": "postgres"}
programs = {
    "psql": ["psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1"],
    "Node": ["node", f"{clients}/login.js"], "PHP": ["php", f"{clients}/login.php"],
    "Ruby": ["ruby", f"{clients}/login.rb"],
    "Java": ["java", "-cp", "/usr/share/java/postgresql.jar", f"{clients}/Login.java",
             f"jdbc:postgresql://127.0.0.1:{port}/postgres?user=app"],
    "Erlang": ["escript", f"{clients}/login.erl", "127.0.0.1", port, "app", "postgres"],
}


class Client:
    """A running program, to which requests are written."""

    def __init__(self, name):
        self.is_psql = name == "psql"
        self.process = subprocess.Popen(programs[name], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True, bufsize=1)

    def line(self, number, request):
        if not self.is_psql:
            return f"{number} {request}\n"
        kind, *arguments = request.split()
        if kind == "enroll":
            arguments += ["Example", arguments[0]]
        quoted = ", ".join(f"'{argument}'" for argument in arguments)
        columns = "*" if kind == "enroll" else "answer"
        return f"\\echo -n '{number} '\nSELECT {columns} FROM otp.{kind}({quoted});\n"

    def send(self, requests):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write("".join(self.line(number, request) for number, request in enumerate(requests)))
            self.process.stdin.flush()

    def read(self):
        """The next answers, each after the number of its request."""
        for line in self.process.stdout:
            number, _, answered = line.partition(" ")
            # The last line of a program that lost its server may be cut off.
            if number.isdigit() and answered.strip() and line[-1] == "\n":
                yield int(number), answered.strip()

    def ask(self, request):
        self.send([request])
        return next(self.read())[1]

    def end(self):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        answers = list(self.read())
        self.process.wait(60)
        return answers


def life(name):
    client, subject = Client(name), f"life-{secrets.token_hex(4)}"
    app_of = lambda uri: otp.Key(otp.KeyURI.parse(uri).secret)  # noqa: E731
    first, uri = client.ask(f"enroll {subject}"), client.ask(f"enroll {subject}")
    now, app = int(time.time()), app_of(uri)
    require(first != uri, f"{name}: a pending enrollment is not replaced")
    for request, at, expected in (("verify", 0, "rejected"), ("confirm", 0, "enrolled"), ("verify", 0, "rejected"),
                                  ("verify", 30, "accepted"), ("verify", 30, "rejected")):
        found = client.ask(f"{request} {subject} {app.totp(now + at)}")
        require(found == expected, f"{name}: {request} at {at} is {found}, not {expected}")
    client.end()


def submit_by(name):
    def submit(subject, code, count):
        client = Client(name)
        client.send([f"verify {subject} {code}"] * count)
        return [answered for _, answered in client.end()]
    return submit


def guesses(name):
    started, (subject, _) = time.time(), enrolled()
    found = submit_by(name)(subject, "000000", 500)
    looked, allowed, waited = found.count("rejected"), 4, 1
    # From the fourth failure on, a guess more after 1, 2, 4 ... seconds.
    while waited <= time.time() - started + 1 and allowed < 10:
        allowed, waited = allowed + 1, 2 * waited + 1
    require(len(found) == 500 and looked <= allowed, f"{name}: {looked} of {len(found)} guesses were looked at")
    require(failures(subject) == looked, f"{name}: of {looked}, {failures(subject)} were counted")


def killed(name):
    """A backend, and then the server, is killed while the program submits wrong codes; then it starts again."""
    subjects, answered = [enrolled()[0] for _ in range(60)], []
    for kill in (servers.kill_backend, servers.kill):
        client, requests = Client(name), [random.choice(subjects) for _ in range(100)]
        client.send([f"verify {subject} 000000" for subject in requests])
        found = list(itertools.islice(client.read(), random.randint(15, 40)))
        time.sleep(random.uniform(0, 0.02))
        kill()
        found += client.end()
        answered += [requests[place] for place, kind in found if kind == "rejected"]
    require(len(answered) >= 20, f"{name}: only {len(answered)} failures were answered")
    for subject in set(answered):
        require(failures(subject) >= answered.count(subject), f"{name}: not all answered failures are counted")


# ---- On a bytea ------------------------------------------------------------------------------------------------------

def shared_column():
    """Functions on bytea, and LibOTP/examples/own-table in C, whose clocks are an hour apart, on one column."""
    with connected(administrator) as connection:
        rows(connection, "CREATE TABLE public.users (id int PRIMARY KEY, otp bytea NOT NULL)")
        rows(connection, "GRANT SELECT, UPDATE ON public.users TO own")

    def user(number):
        secret, now = secrets.token_bytes(20), int(time.time())
        with connected(administrator) as connection:
            rows(connection, "INSERT INTO public.users SELECT %s, otp.record_enroll(%s, secret => %s)", number,
                 f"user {number}", secret)
        in_sql(number, [otp.Key(secret).totp(now - 30)], "record_confirm")
        return otp.Key(secret)

    def in_sql(number, codes, function="record_verify"):
        answers = []
        with connected(administrator.replace("user=otp", "user=own")) as connection:
            for code in codes:
                changed = []
                while not changed:
                    (old,), = rows(connection, "SELECT otp FROM users WHERE id = %s", number)
                    (found, new), = rows(connection, f"SELECT answer, new FROM otp.{function}(%s, %s, %s)",
                                         f"user {number}", old, code)
                    changed = rows(connection, "UPDATE users SET otp = %s WHERE id = %s AND otp = %s RETURNING id", new,
                                   number, old)
                answers.append(found)
        return answers

    def in_c(number, codes, offset=0):
        process = subprocess.run([work / "own-table", administrator, f"{folder}/keyring", "20"], check=True,
                                 input="".join(f"0 sign-in {number} {code}\n" for code in codes), text=True,
                                 stdout=subprocess.PIPE, env={**os.environ, "CLOCK_OFFSET": f"{offset}s"})
        return [line.split()[1] for line in process.stdout.splitlines()]
    app, now = user(1), int(time.time())
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        code = app.totp(now)
        parts = [pool.submit(in_c, 1, [code] * 100)] + [pool.submit(in_sql, 1, [code] * 25) for _ in range(4)]
        answers = sum((part.result() for part in parts), [])
    require(len(answers) == 200 and answers.count("accepted") == 1, f"C and SQL: {answers.count('accepted')} of 200")
    app = user(2)
    require(in_c(2, [app.totp(now + 3600)], 3600) == ["accepted"], "C and SQL: by the fast clock")
    require(in_sql(2, [app.totp(now)]) == ["rejected"], "C and SQL: an earlier code, by the slow clock")
    app = user(3)
    require(in_c(3, ["000000"] * 4, 3600) == ["rejected"] * 4, "C and SQL: guesses by the fast clock")
    require(in_sql(3, [app.totp(now)]) == ["wait"], "C and SQL: a slow clock shortens a delay")


# ---- Keys, versions, dumps, failovers --------------------------------------------------------------------------------

def keys():
    """A rotation needs no restart, and a damaged file leaves the keys that were there."""
    subject, app = enrolled()

    def sealed_by():
        with connected(administrator) as connection:
            return {name for (name,) in rows(connection, "SELECT key_name FROM otp.list()")}
    with connected() as connection:
        for names in (("k1", "k2"), ("k2", "k1")):
            write_keyring(*names)
            reload()
            require(verify(connection, subject, "000000") == "rejected", f"with the keys {names}")
        require(sealed_by() == {"k1", "k2"}, "a use does not reseal")
        sql(administrator, "SELECT otp.reseal()")
        require(sealed_by() == {"k2"}, "not all are resealed")
        write_keyring("k2").write_text("damaged", encoding="ascii")
        reload()
        require(verify(connection, subject, app.totp(int(time.time()))) == "accepted", "a damaged file ends sign-ins")
        (process,), = rows(connection, "SELECT pg_backend_pid()")
        require(f"[{process}] LOG:  otp_record: the keyring was not read" in (folder / "log").read_text(),
                "a process keeps its keys silently")
        write_keyring("k2")
        reload()


def dumped():
    """A restored dump is another store: what may have been accepted since is not accepted there."""
    subject, app = enrolled()
    code = app.totp(int(time.time()))
    dump = subprocess.run(["pg_dump", administrator], check=True, stdout=subprocess.PIPE).stdout
    with connected() as connection:
        require(verify(connection, subject, code) == "accepted", "before the restoration")
    sql(administrator, "CREATE DATABASE restored")
    place = administrator.replace("dbname=postgres", "dbname=restored")
    subprocess.run(["psql", "--quiet", "--set=ON_ERROR_STOP=1", place], input=dump, check=True,
                   stdout=subprocess.DEVNULL)
    # As if it had taken ten minutes: the loss is until the first use.
    sql(place, "UPDATE otp.store SET lost = lost - interval '10 minutes'")
    with connected(application.replace("dbname=postgres", "dbname=restored")) as connection:
        found = verify(connection, subject, code)
        require(found in ("rejected", "wait"), f"a code that was used before the restoration is {found}")
    require(failures(subject, place) <= 2, "failures are counted")
    # By hand, on the same server.
    subject, app = enrolled()
    sql(administrator, "SELECT otp.spend()")
    with connected() as connection:
        require(verify(connection, subject, app.totp(int(time.time()))) in ("rejected", "wait"), "spend")


def updated():
    sql(administrator, "ALTER EXTENSION otp_record UPDATE TO '0.1.1'")
    require(sql(administrator, "SELECT otp.is_updated()") == "t", "no update")
    refusals.closed()
    life("psql")


def failover():
    """A standby is promoted that lacks the last sign-ins: their codes are not accepted again, a later one is."""
    configure(1)
    later, *users = [enrolled() for _ in range(20)]
    require("standby" in str(subprocess.run(["psql", servers.url(1), "-c", "SELECT * FROM otp.verify('a', '1')"],
                                            capture_output=True, text=True).stderr), "a standby answers")
    servers.uncover()
    servers.cut_standby()
    now = int(time.time())
    with connected() as connection:
        found = {verify(connection, subject, app.totp(now)) for subject, app in users}
        require(found == {"accepted"}, f"before the failover: {found}")
    servers.fail_over()
    await_until("a promotion", lambda: answer(servers.url(1), "SELECT pg_is_in_recovery()") == "f")
    with connected(servers.url(1).replace("user=otp", "user=app")) as connection:
        found = {verify(connection, subject, app.totp(now)) for subject, app in users}
        require("accepted" not in found, "a code whose sign-in was lost is accepted again")
        seconds, = rows(connection, "SELECT wait_seconds FROM otp.verify(%s, '000000')", users[0][0])[0]
        require(0 < seconds <= 240, f"after the failover, a user waits {seconds} seconds")
        # For a user who comes after that wait, the loss was longer ago.
        sql(servers.url(1), "UPDATE otp.store SET lost = lost - interval '4 minutes'")
        found = verify(connection, later[0], later[1].totp(int(time.time())))
        require(found == "accepted", f"a code after the wait is {found}")


def measure():
    """Sign-ins beside updates of a row of the same size, as ratios of rates in one run. Each code is HOTP's next."""
    sql(administrator, "CREATE TABLE public.bare (id int PRIMARY KEY, record bytea) WITH (fillfactor = 70)",
        "GRANT ALL ON public.bare TO app")
    tokens = []
    for number in range(16):
        secret = secrets.token_bytes(20)
        with connected(administrator) as connection:
            rows(connection, "SELECT otp.enroll(%s, 'a', 'b', kind => 'hotp', secret => %s)", f"token {number}", secret)
            rows(connection, "SELECT answer FROM otp.confirm(%s, %s)", f"token {number}", otp.Key(secret).hotp(0))
            rows(connection, "INSERT INTO bare SELECT %s, record FROM otp.factor WHERE subject = %s", number,
                 f"token {number}")
        tokens.append([otp.Key(secret).hotp(counter) for counter in range(2000)])
    used = [1] * 16

    def updating(connection, number):
        rows(connection, "UPDATE bare SET record = record WHERE id = %s", number)

    def signing_in(connection, number):
        found = verify(connection, f"token {number}", tokens[number][used[number]])
        require(found == "accepted", f"a sign-in was {found}")
        used[number] += 1

    def rate(width, work):
        with contextlib.ExitStack() as stack, concurrent.futures.ThreadPoolExecutor(width) as pool:
            connections = [stack.enter_context(connected()) for _ in range(width)]
            began = time.monotonic()
            list(pool.map(lambda number: [work(connections[number], number) for _ in range(100)], range(width)))
            return width * 100 / (time.monotonic() - began)
    for width in (1, 16):
        ratios = [1 / rate(width, updating) * rate(width, signing_in) for _ in range(7)]
        print(f"postgresql-extension: {width} in flight: {statistics.median(ratios):.2f} of an UPDATE's rate "
              f"({min(ratios):.2f} to {max(ratios):.2f})", flush=True)


def regress():
    """pg_regress, as `make installcheck` runs it."""
    write_keyring("k1")
    configure()
    makefile = subprocess.run([os.environ["PG_CONFIG"], "--pgxs"], check=True, stdout=subprocess.PIPE, text=True).stdout
    program = pathlib.Path(makefile).parent.parent / "test/regress/pg_regress"
    ended = subprocess.run([program, "--use-existing", "--dbname=postgres", "otp_record"], check=False,
                           cwd=work / "extension/sources", env={**os.environ, "PGHOST": str(folder), "PGUSER": "otp"})
    if ended.returncode != 0:
        sys.exit((work / "extension/sources/regression.diffs").read_text())


def trials():
    rule()
    for name in programs:
        for trial in (life, guesses, killed):
            trial(name)
        one_code([submit_by(name)] * 4, name)
    one_code([submit_by(name) for name in programs if name != "psql"], "together")
    for trial in (refusals.durability, refusals.roles, refusals.occupied, shared_column, keys, dumped, updated):
        trial()


part = sys.argv[2]
if part in ("rule", "trials", "failover", "measure"):
    create()
globals()[part]()
print(f"postgresql-extension: {part}: {extension.checks} expectations")
