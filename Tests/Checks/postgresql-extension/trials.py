"""Trials of the extension otp_record, on the server of Scripts/postgresql.sh.

    trials.py FOLDER PART      FOLDER has the build

regress: pg_regress. rule: each isolation level, and refusals.py. trials: that; events, explanations, keys, an update, a
dump, the package for Node, RADIUS. failover: a promotion. restore: a base backup. doors: the programs meet the suite
for running logins.
"""

import collections
import concurrent.futures
import contextlib
import os
import pathlib
import random
import re
import secrets
import subprocess
import sys
import time

import psycopg2

import extension
import refusals
import roles
from extension import (administrator, application, configure, connected, create, enrolled, failures, folder, refused,
                       reload, require, rows, servers, verify, write_keyring)
from frameworks import frameworks
from hostile import hostile
from radius import radius
from servers import answer, await_until, sql

work = pathlib.Path(sys.argv[1])


# ---- The rule --------------------------------------------------------------------------------------------------------

def one_code(level):
    """Eight connections submit a code at an isolation level, and again after a serialization failure."""
    subject, app = enrolled()
    code = app.totp(int(time.time()) + 30)

    def submit(_):
        answers = []
        with connected() as connection:
            rows(connection, "SET default_transaction_isolation = %s", level)
            while len(answers) < 25:
                with contextlib.suppress(psycopg2.errors.SerializationFailure):
                    answers.append(verify(connection, subject, code))
        return answers
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = sum(pool.map(submit, range(8)), [])
    require(set(answers) <= {"accepted", "rejected", "wait", "locked"}, f"{level}: {answers}")
    require(answers.count("accepted") == 1, f"{level}: {answers.count('accepted')} of 200 with one code")


def rule():
    for level in ("read committed", "repeatable read", "serializable"):
        one_code(level)
    for refusal in (refusals.lost, refusals.uncommitted, refusals.notifying, refusals.remote, refusals.slowed,
                    refusals.awaited, refusals.unread, refusals.restored, recorded, explained):
        refusal()


# ---- Events, explanations, keys, versions, dumps, failovers ----------------------------------------------------------

def recorded():
    """Each step has its event, with the role, and nothing that is secret; a setting turns them off."""
    subject, app = enrolled()
    code = app.totp(int(time.time()))
    with connected() as connection, connected(administrator) as operator:
        sizes = set()
        for typed in (code, code, "000000", "12"):
            verify(connection, subject, typed)
            sizes |= set(rows(operator, "SELECT pg_column_size(f) FROM otp.factor f WHERE subject = %s", subject))
        # Or a full page, in a full table of locks, could fail the wrong codes only; the events too.
        require(len(sizes) == 1, f"rows have the sizes {sizes}")
        rows(connection, "SELECT count(*) FROM otp.recovery_codes(%s)", subject)
        rows(operator, "SELECT otp.unlock(%s)", subject)
        require(refused(connection, f"SELECT otp.enroll('{subject}', 'a', 'b')", psycopg2.errors.UniqueViolation),
                "an enrolled factor is replaced")
        rows(connection, "SELECT otp.enroll(%s, 'a', 'b', replace => true)", subject)
        rows(connection, "SELECT otp.remove(%s)", subject)
        rows(operator, "SELECT otp.revoke(%s)", subject)
        kinds = ["enrolled", "confirmed", "accepted", "refused: replayed", "refused: wrong", "refused: malformed",
                 "recovery codes made", "unlocked", "enrolled", "removed", "removed"]
        require(extension.events(subject) == kinds, f"events: {extension.events(subject)}")
        found = str(rows(operator, "SELECT * FROM otp.event WHERE subject = %s", subject))
        require("'app', 'accepted', '', 'app')" in found and code not in found, f"events: {found}")
        sizes = rows(operator, "SELECT DISTINCT pg_column_size(e) FROM otp.event e WHERE subject = %s "
                     "AND factor = 'app'", subject)
        require(len(sizes) == 1, f"events have the sizes {sizes}")
    sql(administrator, "ALTER ROLE app SET otp_record.events = off")
    require(extension.events(enrolled()[0]) == [], "events, though they are off")
    sql(administrator, "ALTER ROLE app RESET otp_record.events")


def explained():
    """Each cause with the tool's words; no place of a code of the future; a line in the log, without the code."""
    # The step does not end meanwhile.
    time.sleep(30 - time.time() % 30 if time.time() % 30 > 20 else 0)
    now = int(time.time())
    swift = "".join(pathlib.Path(f"Tool/Sources/otp/{path}.swift").read_text(encoding="utf-8")
                    for path in ("Explanations/Finding", "Commands/Explain"))
    swift = re.sub(r"\",\s+\"", " ", re.sub(r"\\\(distance\) ", "", swift)).lower()
    with connected(administrator.replace("user=otp", "user=helpdesk")) as connection:
        # Of one secret in 40, a code has another explanation by chance.
        for _ in range(4):
            subject, app = enrolled()
            wanted = [(app.totp(now), "right", 0), (app.totp(now - 30), "replayed", -1),
                      (app.totp(now - 3600), "late", -120), (app.totp(now + 3600), "early", None),
                      ("000000", "wrong", None), ("x", "malformed", None)]
            query = "SELECT cause, ahead, clock_offset, says, odds FROM otp.explain(%s, %s)"
            found = [rows(connection, query, subject, typed)[0] for typed, *_ in wanted]
            is_right = [each[:2] for each in found] == [each[1:] for each in wanted]
            if is_right:
                break
        require(is_right, f"explanations: {found}")
        for cause, ahead, offset, says, odds in found:
            require((ahead is None) == (offset is None) == (odds is None), f"{cause}: {ahead}, {offset}, {odds}")
            require(says.lower() in swift, f"the tool does not say: {says}")
        rows(connection, "SELECT otp.explain(%s, '000000')", "no\x1bone\nis here")
    log = (folder / "log").read_text(errors="replace")
    require(log.count(f"LOG:  otp_record: helpdesk explains a code of {subject}\n") == 6, "explanations are not logged")
    require("a code of no?one?is here" in log and app.totp(now + 3600) not in log, "a line of the log")


def killed():
    """A backend, and then the server, is killed amid wrong codes. Each call that was answered has one event, and any
    other one at most."""
    subjects = [enrolled()[0] for _ in range(60)]
    asked, answered = collections.Counter(), collections.Counter()

    def submit(_):
        with contextlib.suppress(psycopg2.DatabaseError), connected() as connection:
            while True:
                subject = random.choice((random.choice(subjects), f"none-{secrets.token_hex(8)}"))
                asked[subject] += 1
                verify(connection, subject, "000000")
                answered[subject] += 1
    for kill in (servers.kill_backend, servers.kill):
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            ended = [pool.submit(submit, number) for number in range(8)]
            before = answered.total()
            try:
                await_until("answers", lambda before=before: answered.total() >= before + 20)
                time.sleep(random.uniform(0, 0.2))
            finally:
                kill()
        require(not any(each.exception() for each in ended), f"killed: {ended}")
    with connected(administrator) as connection:
        recorded = collections.Counter(rows(
            connection, "SELECT subject, reason FROM otp.events('-infinity') WHERE kind = 'refused'"))
        counted = dict(rows(connection, "SELECT subject, failures FROM otp.list()"))
    for subject in asked:
        found = sum(recorded[subject, reason] for reason in ("wrong", "wait", "locked", "none"))
        require(answered[subject] <= found <= asked[subject], f"{found} events of {subject}")
        require(counted.get(subject, 0) == recorded[subject, "wrong"], "failures are not those of the events")


def keys():
    """A rotation needs no restart, and a damaged file leaves the keys that were there."""
    subject, app = enrolled()

    def sealed_by():
        with connected(administrator) as connection:
            return {name for name, _ in rows(connection, "SELECT * FROM otp.keys()")}
    with connected() as connection:
        for names in (("k1", "k2"), ("k2", "k1")):
            write_keyring(*names)
            reload()
            require(verify(connection, subject, "000000") == "rejected", f"with the keys {names}")
        # What docs/running.md asks, of a table of one's own and of the events.
        page = pathlib.Path("docs/running.md").read_text(encoding="utf-8")
        asked = re.findall(r"^```sql\n(.*?)^```", page, re.S | re.M)
        with connected(administrator) as operator:
            found = [rows(operator, query.replace("users", "(SELECT record otp FROM otp.factor) f")) for query in asked]
            require(("refused", "wrong") in {event[:2] for event in found[0]}, f"events: {found[0]}")
            require(set(found[1]) == set(rows(operator, "SELECT * FROM otp.keys()")), f"keys: {found[1]}")
        require(sealed_by() == {"k1", "k2"}, "a use does not reseal")
        with connected(administrator) as operator:
            require(refused(operator, "SELECT otp.reseal('k3')"), "a key that the server has not read")
        sql(administrator, "SELECT otp.reseal('k2')")
        require(sealed_by() == {"k2"}, "not all are resealed")
        write_keyring("k2").write_text("damaged", encoding="ascii")
        reload()
        require(verify(connection, subject, app.totp(int(time.time()))) == "accepted", "a damaged file ends sign-ins")
        (process,), = rows(connection, "SELECT pg_backend_pid()")
        require(f"[{process}] LOG:  otp_record: the keyring was not read" in (folder / "log").read_text(),
                "a process keeps its keys silently")
        write_keyring("k3")
        reload()
        found = rows(connection, "SELECT * FROM otp.factors(%s)", subject)
        require(found == [("app", None, False, None)], f"of a record that does not open: {found}")
        write_keyring("k2")
        reload()


def command():
    """A command gives the keys to all processes, which run it once; if it fails, the keys stay, and none is logged."""
    subject, _ = enrolled()
    configuration = folder / "data/postgresql.conf"
    before = configuration.read_text(encoding="ascii")

    def command_is(line):
        configuration.write_text(f"{before}otp_record.keyring_command = 'echo >> {folder}/runs; {line}'\n", "ascii")
        reload()

    def sealed_by(name):
        with connected(administrator) as operator:
            return not refused(operator, f"SELECT otp.reseal('{name}')")
    printed = write_keyring("k3", "k2").rename(folder / "printed")
    write_keyring("k2")
    with connected() as connection:
        rows(connection, "SELECT 1")
        command_is(f"cat {printed}")
        require(verify(connection, subject, "000000") == "rejected" and sealed_by("k3"), "the command is not used")
        require((folder / "runs").read_text() == "\n", "it runs more than once")
        for failing in (f"cat {printed}; exit 3", f"cat {printed}; head -c 70000 /dev/zero", f"head -c 99 {printed}"):
            command_is(failing)
            require(verify(connection, subject, "000000") != "none" and sealed_by("k3"), f"not kept: {failing}")
        log = (folder / "log").read_text()
        require("command failed: child process exited with exit code 3" in log, "a failure is not logged")
        require("printed more than 64 KiB" in log and '"otp-keyring' not in log, "what is logged of an output")
        configuration.write_text(before, "ascii")
        write_keyring("k2", "k3")
        reload()
        require(sealed_by("k2") and verify(connection, subject, "000000") != "none", "the file is not used again")


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
    roles.closed()
    subject, app = enrolled()
    with connected() as connection:
        require(verify(connection, subject, app.totp(int(time.time()))) == "accepted", "after the update")


def failover():
    """A standby is promoted that lacks the last sign-ins: their codes are not accepted again, a later one is."""
    configure(1)
    later, *users = [enrolled() for _ in range(20)]
    require("standby" in str(subprocess.run(["psql", servers.url(1), "-c", "CALL otp.verify('a', '1')"],
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
        seconds = rows(connection, "CALL otp.verify(%s, '000000')", users[0][0])[0][2]
        require(0 < seconds <= 240, f"after the failover, a user waits {seconds} seconds")
        # For a user who comes after that wait, the loss was longer ago.
        sql(servers.url(1), "UPDATE otp.store SET lost = lost - interval '4 minutes'")
        found = verify(connection, later[0], later[1].totp(int(time.time())))
        require(found == "accepted", f"a code after the wait is {found}")
        # Of what was answered before standbys were given up, all; of what was lost with its count, nothing.
        kinds = extension.events(users[0][0], servers.url(1))
        require(kinds[:2] == ["enrolled", "confirmed"] and "accepted" not in kinds, f"events: {kinds}")
        require(sql(servers.url(1), "SELECT count(*) FROM otp.event WHERE kind = 'loss noticed'") == "2", "losses")


def restore():
    """A base backup that is started as it is, without recovery.signal, is a loss; a crash is none."""
    users = [enrolled() for _ in range(2)]
    code = users[0][1].totp(int(time.time()))
    servers.back_up()
    with connected() as connection:
        require(verify(connection, users[0][0], code) == "accepted", "before the restoration")
    servers.kill()
    with connected() as connection:
        found = verify(connection, users[1][0], users[1][1].totp(int(time.time())))
        require(found == "accepted", f"a code after a crash is {found}")
    servers.restore(signal=False)
    with connected() as connection:
        found = verify(connection, users[0][0], code)
        require(found in ("rejected", "wait"), f"a code that was used before the restoration is {found}")


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


def packaged():
    """The package for Node does in a table what it does with `otp record serve` (the check record-service)."""
    subprocess.run(["node", "Tests/Checks/postgresql-extension/package.mjs"], check=True,
                   env={**os.environ, "PGHOST": str(folder), "PGUSER": "auditor", "PGDATABASE": "postgres"})


def trials():
    for trial in (rule, killed, packaged, roles.durability, roles.roles, roles.occupied, frameworks, radius, keys,
                  command, dumped, updated):
        trial()


def doors():
    """Node, PHP, Ruby, Erlang and Java, each by itself and together, on a server whose clock the suite sets."""
    histories = work / "histories"
    histories.mkdir()
    environment = os.environ | {"PGHOST": "127.0.0.1", "PGUSER": "app", "PGDATABASE": "postgres"}
    sys.exit(subprocess.run([sys.executable, "Tests/Checks/doors/doors.py", histories], env=environment,
                            check=False).returncode)


part = sys.argv[2]
if part in ("rule", "trials", "doors", "failover", "restore", "frameworks", "radius"):
    create()
globals()[part]()
print(f"postgresql-extension: {part}: {extension.checks} expectations")
