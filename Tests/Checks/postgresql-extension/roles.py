"""What each role may do, and where the extension refuses to be."""

import time

from extension import Denied, administrator, application, connected, enrolled, refused, require, rows, sql, verify


def durability():
    """What would not last is refused, and the hint says what to do."""
    subject, app = enrolled()

    def hint(level, expected):
        with connected(f"{application} options='-c synchronous_commit={level}'") as connection:
            error = refused(connection, f"CALL otp.verify('{subject}', '000000')")
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
    with connected(administrator) as connection:
        # What a change writes at its commit is on the disk then. Otherwise, the server writes it within 0.2 s.
        for number in range(20):
            rows(connection, "BEGIN")
            rows(connection, "SELECT otp.enroll(%s, 'a', 'b'), otp.revoke(%s)", f"kept {number}", f"kept {number}")
            rows(connection, "SET LOCAL synchronous_commit = off")
            (written,), = rows(connection, "SELECT pg_current_wal_insert_lsn()")
            rows(connection, "COMMIT")
            found = rows(connection, "SELECT pg_current_wal_flush_lsn() > %s::pg_lsn", written)
            require(found == [(True,)], "a change that is committed is not on the disk")
        # When libc changes its order, an index misses rows. A column of the caller's may have another order.
        found = rows(connection, "SELECT attname FROM pg_attribute WHERE attrelid = 'otp.factor_pkey'::regclass "
                     "AND attcollation <> '\"C\"'::regcollation")
        require(not found, f"ordered by a collation: {found}")
        rows(connection, "SELECT otp.enroll(s, 'a', 'b', s), otp.factors(s), otp.list(s), otp.explain(s, '1', s), "
             "otp.unlock(s, s), otp.remove(s, s), otp.revoke(s) FROM (VALUES ('a' COLLATE \"de-x-icu\")) v (s)")


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
        "app": ["SELECT otp.enroll('pending', 'b', 'c')", "CALL otp.verify('pending', '1')",
                "CALL otp.confirm('pending', '1')", "CALL otp.resynchronize('pending', '{1,2}')",
                "SELECT otp.factors('a')", "SELECT otp.recovery_codes('b')", "SELECT otp.remove('a')"],
        "helpdesk": ["SELECT otp.list()", "SELECT otp.unlock('a')", "SELECT otp.spend(now() - interval '1 day')",
                     "SELECT otp.keys()", "SELECT otp.reseal('k1')", "SELECT otp.revoke('a')",
                     "SELECT otp.explain('pending', '000000')", "SELECT otp.events(now())"],
        "nobody": ["SELECT otp.put('a', 'b', '', '', '', '')", "SELECT otp.place()", "SELECT otp.note('a', 'b', 'c')",
                   "SELECT otp.record_info('a', 'app', '')"]}
    calls["nobody"] += [f"{verb} otp.{table}" for table in ("factor", "store", "event")
                        for verb in ("TABLE", "DELETE FROM", "TRUNCATE", "DROP TABLE")]
    calls["nobody"] += ["UPDATE otp.factor SET record = record", "UPDATE otp.store SET lost = '-infinity'",
                        "INSERT INTO otp.factor SELECT 'a', 'b', '', ''", "SET otp_record.events = off",
                        "ALTER SYSTEM SET otp_record.keyring = '/'", "CREATE FUNCTION otp.f() RETURNS int RETURN 1",
                        "SHOW otp_record.keyring", "SHOW otp_record.keyring_command",
                        "ALTER SYSTEM SET otp_record.keyring_command = 'true'"]
    for role in ("app", "helpdesk", "other"):
        with connected(administrator.replace("user=otp", f"user={role}")) as connection:
            for owner, statements in calls.items():
                for statement in statements:
                    if owner == role:
                        rows(connection, statement)
                    else:
                        require(refused(connection, statement, Denied), f"{role} may {statement}")
    closed()
    for role, reason in (("auditor", "wrong"), ("app", None)):
        with connected(administrator.replace("user=otp", f"user={role}")) as connection:
            found = rows(connection, "CALL otp.verify(%s, '123456')", enrolled()[0])
            require(found[0][1] == reason, f"{role} sees the reason {found}")
