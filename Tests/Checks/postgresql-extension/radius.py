"""FreeRADIUS with the page's configuration, asked by radclient."""

import concurrent.futures
import contextlib
import pathlib
import re
import subprocess
import tempfile
import time

import otp
from extension import administrator, connected, enrolled, failures, folder, free_port, require, rows
from servers import sql

PAGES = pathlib.Path("LibOTP/postgresql/radius")
PAGE = (PAGES / "otp.conf").read_text(encoding="utf-8")
SETTINGS = re.findall(r"ALTER ROLE freerad SET (\w+) = (\w+)", (PAGES / "README.md").read_text(encoding="utf-8"))
CANCEL = "SELECT pg_cancel_backend(pid), query FROM pg_stat_activity JOIN pg_locks USING (pid) WHERE NOT granted"
PASSWORD = "secret"


@contextlib.contextmanager
def serving(configuration, users):
    with tempfile.TemporaryDirectory() as place:
        port = free_port()
        for page, ours in (("/var/log/freeradius", place), ("/run/freeradius", place),
                           ("port = 1812", f"port = {port}"),
                           ("host=/run/postgresql dbname=vpn user=freerad",
                            administrator.replace("user=otp", "user=freerad")),
                           ("reject_delay = 1", "reject_delay = 0")):
            require(page in configuration, f"the page has no {page}")
            configuration = configuration.replace(page, ours)
        (pathlib.Path(place) / "otp.conf").write_text(configuration, encoding="utf-8")
        lines = [f'"{user}" Cleartext-Password := "{PASSWORD}"\n' for user in users]
        (pathlib.Path(place) / "users").write_text("".join(lines), encoding="utf-8")
        with open(folder / "radius", "wb") as log:
            server = subprocess.Popen(["freeradius", "-f", "-l", "stdout", "-n", "otp", "-d", place], stdout=log)
        try:
            while ask(port, "unknown", "x")[0] != "Reject":
                require(server.poll() is None, (folder / "radius").read_text())
            yield lambda *fields: ask(port, *fields)
        finally:
            server.terminate()
            server.wait()


def ask(port, user, password, state=None):
    """The answer's kind, and its State."""
    fields = [f'User-Name = "{user}"', f'User-Password = "{password}"', "Message-Authenticator = 0x00"]
    fields += [f"State = {state}"] if state else []
    ran = subprocess.run(["radclient", "-x", "-r", "1", "-t", "5", f"127.0.0.1:{port}", "auth", "testing123"],
                         input=", ".join(fields), capture_output=True, text=True, check=False)
    kind = re.search(r"Received Access-(\w+)", ran.stdout)
    state = re.search(r"State = (0x\w+)\n(?!.*Sent)", ran.stdout.split("Received", 1)[-1])
    time.sleep(0 if kind else 0.1)
    return kind and kind[1], state and state[1]


def trial(configuration):
    (alice, app), (bob, other), quoted = enrolled(), enrolled(), "o'brien"
    with connected() as connection:
        (uri,), = rows(connection, "SELECT otp.enroll(%s, 'Example', 'you', replace => true)", quoted)
        key = otp.Key(otp.KeyURI.parse(uri).secret)
        rows(connection, "CALL otp.confirm(%s, %s)", quoted, key.totp(int(time.time()) - 30))
    now = int(time.time())
    with serving(configuration, (alice, bob, quoted, "nofactor")) as sent:
        code, last = app.totp(now), app.totp(now + 30)
        # Nothing is counted without the password.
        for password in ("wrong", f"wrong{code}", code):
            require(sent(alice, password)[0] == "Reject", "a wrong password")
        require(failures(alice) == 0, "an attempt without the password is counted")
        # With a challenge; the answer is its user's only.
        kind, state = sent(alice, PASSWORD)
        require(kind == "Challenge", f"the password alone: {kind}")
        require(sent(bob, other.totp(now), state)[0] == "Reject", "another user answers a challenge")
        kind, state = sent(alice, PASSWORD)
        require(sent(alice, code, state)[0] == "Accept", "a code")
        require(sent(alice, code, sent(alice, PASSWORD)[1])[0] == "Reject", "a code, again")
        require(sent(alice, last, "0x00")[0] == "Reject", "a State that was made up")
        # In one field, and at once.
        with concurrent.futures.ThreadPoolExecutor(20) as pool:
            answers = [kind for kind, _ in pool.map(lambda _: sent(alice, PASSWORD + last), range(20))]
        require(answers.count("Accept") == 1 and set(answers) == {"Accept", "Reject"}, f"at once: {answers}")
        require(sent(quoted, PASSWORD + key.totp(now))[0] == "Accept", "a name with a quotation mark")
        require(sent("nofactor", PASSWORD + code)[0] == "Reject", "a user without a factor")
        for hostile in ("accepted' --", "x', '1'); SELECT 'accepted' --"):
            require(sent(quoted, hostile, sent(quoted, PASSWORD)[1])[0] == "Reject", f"{hostile} as a code")
        # While its statement waits, and is then canceled. (The operator's lock ends first.)
        known = (folder / "log").stat().st_size
        with concurrent.futures.ThreadPoolExecutor(1) as pool, connected(administrator) as operator:
            rows(operator, "BEGIN; LOCK TABLE otp.factor")
            waiting = pool.submit(sent, alice, PASSWORD + last)
            while not (shown := sql(administrator, CANCEL)) and not waiting.done():
                time.sleep(0.02)
        require(shown, "no statement waited")
        require(last not in shown, "an activity shows a code")
        log = (folder / "log").read_bytes()[known:].decode(errors="replace")
        require("canceling statement" in log, "no statement was canceled")
        require(last not in log, "the log shows a code")


def expect_notice(what, configuration=PAGE):
    try:
        trial(configuration)
    except SystemExit as noticed:
        require(what in str(noticed), noticed)
    else:
        require(False, f"not noticed: {what}")


def radius():
    sql(administrator, "CREATE ROLE freerad LOGIN IN ROLE otp_record_application")
    for setting, what in zip(SETTINGS, ("an activity shows a code", "the log shows a code"), strict=True):
        expect_notice(what)
        sql(administrator, "ALTER ROLE freerad SET {} = {}".format(*setting))
    trial(PAGE)
    same = '&session-state:Tmp-String-1 == "%{User-Name}"'
    expect_notice("another user answers", PAGE.replace(same, "&session-state:Tmp-String-1"))
    expect_notice("a State that was made up",
                  PAGE.replace(same, f"{same.replace('==', '!=')}) {{\nreject\n}}\nelsif (1"))
