"""Hostile calls of each function: any arguments end in a result or an error, and no process of the server crashes."""

import contextlib
import os
import random
import re

import psycopg2

from extension import administrator, connected, create, folder, refused, require, rows, sql

DATABASES = ("UTF8", "LATIN1", "SQL_ASCII")
answered = [0]


def hostile():
    create()
    for encoding in DATABASES:
        name = f"hostile_{encoding.lower()}"
        place = administrator.replace("dbname=postgres", f"dbname={name}")
        sql(administrator, f"CREATE DATABASE {name} ENCODING {encoding} TEMPLATE template0")
        sql(place, "CREATE EXTENSION otp_record")
        # The bytes reach the database as they are.
        bytewise = f"{place} options='-c client_encoding=SQL_ASCII"
        with connected(f"{bytewise}'") as connection, connected(f"{bytewise} -c statement_timeout=1'") as hasty:
            calls(connection, hasty, int(os.environ.get("HOSTILE", "3000")) // len(DATABASES))
            if encoding == "SQL_ASCII":
                error = refused(connection, "SELECT otp.enroll(E'\\xe9123456', 'a', 'b')")
                require(error and "0x" not in str(error), f"what was typed is shown: {error}")
    log = (folder / "log").read_text(errors="replace")
    require("terminated by signal" not in log and "PANIC" not in log, "a process crashed")
    # Memcheck's messages, but for gaps in what the server writes to files, and sends to its processes.
    found = [block for block in re.findall(r"(?:^==\d+== .+\n)+", log, re.M)
             if "Syscall param" not in block and "ReceiveSharedInvalidMessages" not in block]
    require(not found, f"memcheck says: {''.join(found)}")
    require(answered[0] > 0, "no call has a result")
    print(f"postgresql-extension: {answered[0]} hostile calls have a result, and all others an error")


def calls(connection, hasty, count):
    # Of a procedure, without the columns of its answer.
    functions = rows(connection, "SELECT proname, (proargtypes::regtype[]::text[])[0:CASE prokind WHEN 'p' THEN 2 ELSE "
                     "99 END], CASE prokind WHEN 'p' THEN 1 ELSE pronargdefaults END, prokind = 'p' FROM pg_proc "
                     "WHERE pronamespace = 'otp'::regnamespace AND proname <> 'spend' ORDER BY 1")
    rows(connection, "SELECT otp.enroll('a', 'b', 'c')")
    record = rows(connection, "SELECT record FROM otp.factor")[0][0].tobytes()
    texts = (b"", b"a", b"000000", b"app", b"recovery", b"totp", b"hotp", b"sha512", b"a" * 1024, b"\x7f" * 2000,
             b"5" * 64, "é%:/\ufeff١٢٣".encode(), b"\xff\xc3", b"\x80\xe2\x28", b"1\0", b"5" * (1 << 20))
    # A text can then have any bytes, also those that the database's encoding does not.
    rows(connection, "CREATE CAST (bytea AS text) WITHOUT FUNCTION")

    def text():
        # The longest takes long.
        return random.choice(texts[:-1] if random.random() < 0.99 else texts)

    def record_bytes():
        changed = bytearray(random.choice((record, record, text())))
        for _ in range(random.choice((0, 1, 1, 3)) if changed else 0):
            changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
        return bytes(changed[:random.choice((len(changed), len(changed), random.randrange(len(changed) + 1)))])

    values = {
        "text": ("%s::bytea::text", text), "bytea": ("%s::bytea", record_bytes),
        "text[]": ("ARRAY[%s::bytea::text, '123456', NULL]", text), "boolean": ("%s", lambda: random.random() < 0.5),
        "integer": ("%s", lambda: random.choice((-2**31, -1, 0, 1, 6, 8, 10, 20, 21, 30, 2**31 - 1))),
        "timestamp with time zone": ("%s::timestamptz",
                                     lambda: random.choice(("-infinity", "infinity", "now", "200000-1-1"))),
    }
    for _ in range(count):
        name, types, defaults, is_procedure = random.choice(functions)
        types = types[:len(types) - random.randint(0, defaults)]
        arguments = [None if random.random() < 0.03 else values[kind][1]() for kind in types]
        if types[:1] == ["text"] and random.random() < 0.8:
            arguments[0] = b"a"
        with contextlib.suppress(psycopg2.DatabaseError, UnicodeDecodeError):
            rows(random.choice((connection, connection, hasty)), f"{'CALL' if is_procedure else 'SELECT * FROM'} "
                 f"otp.{name}({', '.join(values[kind][0] for kind in types)})", *arguments)
            answered[0] += 1
        require(not connection.closed and not hasty.closed, f"{name} ended the connection")
