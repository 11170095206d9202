"""The extension otp_record on the server of Scripts/postgresql.sh: connections, roles, keys and users."""

import base64
import contextlib
import hashlib
import os
import pathlib
import random
import secrets
import socket
import sys
import time

import psycopg2
import psycopg2.errors

import otp
from servers import Servers, sql

random.seed(int(os.environ.get("OTP_SEED", "1")))
folder = pathlib.Path(os.environ["OTP_POSTGRESQL_FOLDER"])
administrator = os.environ["OTP_POSTGRESQL"]
application = administrator.replace("user=otp", "user=app")
servers, checks = Servers(), 0
Denied = psycopg2.errors.InsufficientPrivilege


def require(condition, what):
    global checks
    if not condition:
        sys.exit(f"postgresql-extension: {what}")
    checks += 1


@contextlib.contextmanager
def connected(url=application):
    connection = psycopg2.connect(url)
    connection.autocommit = True
    try:
        yield connection
    finally:
        connection.close()


def rows(connection, statement, *values):
    cursor = connection.cursor()
    cursor.execute(statement, values or None)
    return cursor.fetchall() if cursor.description else []


def verify(connection, subject, typed):
    return rows(connection, "CALL otp.verify(%s, %s)", subject, typed)[0][0]


def failures(subject, url=administrator):
    with connected(url) as connection:
        return rows(connection, "SELECT failures FROM otp.list(%s)", subject)[0][0]


def events(subject, url=administrator):
    """The kinds of a subject's events, with the reason, if there is one."""
    with connected(url) as connection:
        return [f"{kind}: {reason}" if reason else kind for kind, reason in rows(
            connection, "SELECT kind, reason FROM otp.events('-infinity') WHERE subject = %s", subject)]


def refused(connection, statement, kind=psycopg2.Error):
    """The error in which a statement ends, if it is of this kind."""
    try:
        rows(connection, statement)
    except kind as error:
        return error
    return None


def enrolled(secret=None):
    """A new subject with a confirmed factor, and the app."""
    subject, secret = f"user-{secrets.token_hex(8)}", secret or secrets.token_bytes(20)
    app = otp.Key(secret)
    with connected() as connection:
        rows(connection, "SELECT * FROM otp.enroll(%s, 'Example', 'you', secret => %s)", subject, secret)
        # By the code of the step before, so that the current one is not spent; not at a step's end.
        while time.time() % 30 > 29.5:
            time.sleep(0.1)
        found = rows(connection, "CALL otp.confirm(%s, %s)", subject, app.totp(int(time.time()) - 30))[0][0]
    require(found == "enrolled", f"an enrollment was {found}")
    return subject, app


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def write_keyring(*names, keys={}):
    """The keyring's file, as `otp keyring` writes it. The first key seals."""
    for name in (*names, "hash"):
        keys.setdefault(name, base64.b64encode(secrets.token_bytes(32)).decode())
    listed = ",\n".join(f'{{"name":"{name}","key":"{keys[name]}"}}' for name in names)
    body = f'{{"format":"otp-keyring/1","active":"{names[0]}","keys":[\n{listed}],\n"hashKey":"{keys["hash"]}",\n'
    path = folder / "keyring"
    path.touch(mode=0o600)
    path.write_text(f'{body}"sha256":"{hashlib.sha256(body.encode()).hexdigest()}"}}\n', encoding="ascii")
    owner = os.stat(folder / "data")
    os.chown(path, owner.st_uid, owner.st_gid)
    return path


def reload(number=0):
    sql(servers.url(number), "SELECT pg_reload_conf()")
    # Each process reads the file by itself.
    time.sleep(0.3)


def configure(number=0):
    """Names the keyring's file in a running server's configuration."""
    with open(f"{servers.folder(number)}/data/postgresql.conf", "a", encoding="ascii") as file:
        file.write(f"otp_record.keyring = '{folder}/keyring'\n")
    reload(number)


def create():
    write_keyring("k1")
    sql(administrator, "CREATE ROLE app LOGIN", "ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO app",
        "ALTER DEFAULT PRIVILEGES GRANT EXECUTE ON FUNCTIONS TO app",
        "ALTER DEFAULT PRIVILEGES GRANT ALL ON SCHEMAS TO app", "CREATE EXTENSION otp_record",
        "GRANT otp_record_application TO app",
        "CREATE ROLE helpdesk LOGIN IN ROLE otp_record_operator",
        "CREATE ROLE auditor LOGIN IN ROLE otp_record_application, otp_record_operator", "CREATE ROLE other LOGIN",
        "GRANT CREATE ON SCHEMA public TO app")
    with connected() as connection:
        require(refused(connection, "SELECT otp.enroll('a', 'b', 'c')"), "a record is sealed without a keyring")
    configure()
