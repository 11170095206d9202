\echo Use "CREATE EXTENSION otp_record" to load this file. \quit

DO $$ DECLARE role text; BEGIN
  -- (A schema that CREATE EXTENSION has just made can only have default privileges. They are revoked below.)
  IF EXISTS (SELECT FROM pg_namespace n WHERE nspname = 'otp' AND (
      NOT (SELECT rolsuper FROM pg_roles WHERE oid = nspowner)
      OR EXISTS (SELECT FROM pg_depend
        WHERE refclassid = 'pg_namespace'::regclass AND refobjid = n.oid AND classid <> 'pg_extension'::regclass)
      OR n.xmin <> pg_current_xact_id()::xid AND EXISTS (
        SELECT FROM aclexplode(nspacl) WHERE grantee <> nspowner AND privilege_type = 'CREATE'))) THEN
    RAISE 'otp_record: others may have put objects of their own into the schema otp' USING HINT = 'Drop it.';
  END IF;
  -- Roles are the whole server's: a second database finds them there, with their members.
  FOREACH role IN ARRAY '{otp_record_application, otp_record_operator}'::text[] LOOP
    IF to_regrole(role) IS NULL THEN
      EXECUTE 'CREATE ROLE ' || role;
    ELSIF (SELECT rolcanlogin FROM pg_roles WHERE rolname = role) THEN
      RAISE 'otp_record: the role % can log in', role USING HINT = 'Make it NOLOGIN, and look at its members.';
    END IF;
  END LOOP;
END $$;

-- Records, each spent for the losses up to an epoch. They are ordered by bytes, and compared so, whatever the collation of
-- an argument: when libc or ICU changes its order, an index misses rows.
CREATE TABLE otp.factor (
  subject text COLLATE "C", factor text COLLATE "C", record bytea NOT NULL, epoch text NOT NULL, PRIMARY KEY (subject, factor)
) WITH (fillfactor = 70);
ALTER TABLE otp.factor ALTER record SET STORAGE EXTERNAL;
-- One row: where the table was last, and up to when codes may have been accepted without a record of it. Nowhere yet:
-- the first use is a loss, since rows may have been restored by then.
CREATE TABLE otp.store (place text NOT NULL, epoch text NOT NULL, lost timestamptz NOT NULL);
INSERT INTO otp.store VALUES ('', gen_random_uuid(), clock_timestamp());
-- What was done, each in the transaction that did it. Each answer takes the same room, by names, which have 64 bytes: no
-- page has room for the event of a right code, and not of a wrong one.
CREATE TABLE otp.event (
  at timestamptz NOT NULL DEFAULT clock_timestamp(), subject text NOT NULL, factor text NOT NULL, kind name NOT NULL,
  reason name NOT NULL, role name NOT NULL DEFAULT session_user);
CREATE INDEX ON otp.event USING brin (at);
-- A restored dump has their rows, but not those of otp.store: its epochs are of another store.
SELECT pg_extension_config_dump('otp.factor', '');
SELECT pg_extension_config_dump('otp.event', '');

-- What an operator may see of a factor.
CREATE TYPE otp.info AS (
  subject text, factor text, kind text, is_pending bool, failures bigint, acceptances bigint, enrolled_at timestamptz,
  last_attempt_at timestamptz, unused_codes int, key_name text, problem text);
-- Ahead by steps or counters. Those from odds to clock_offset are of a code that was found: how the app computes it.
CREATE TYPE otp.explanation AS (
  cause text, says text, ahead bigint, odds bigint, hash text, digits int, period bigint, clock_offset bigint,
  refusal text, refused_until timestamptz, needs_enrollment bool, spent_until timestamptz);

-- For the functions below only.
CREATE FUNCTION otp.place() RETURNS text AS 'MODULE_PATHNAME', 'otp_place' LANGUAGE C;
CREATE FUNCTION otp.note(subject text, factor text, kind text) RETURNS void AS 'MODULE_PATHNAME', 'otp_note' LANGUAGE C;
CREATE FUNCTION otp.record_enroll(subject text, factor text, issuer text, account text, previous bytea, kind int,
  hash int, digits int, period int, secret bytea, replace bool, OUT record bytea, OUT uri text)
  AS 'MODULE_PATHNAME', 'otp_enroll' LANGUAGE C;
CREATE FUNCTION otp.record_recovery_codes(subject text, factor text, count int, previous bytea, OUT record bytea, OUT codes text)
  AS 'MODULE_PATHNAME', 'otp_recovery_codes' LANGUAGE C;
CREATE FUNCTION otp.record_spend(subject text, factor text, record bytea, until timestamptz) RETURNS bytea
  STRICT AS 'MODULE_PATHNAME', 'otp_spend' LANGUAGE C;
CREATE FUNCTION otp.record_unlock(subject text, factor text, record bytea) RETURNS bytea
  AS 'MODULE_PATHNAME', 'otp_unlock' LANGUAGE C;
CREATE FUNCTION otp.record_reseal(subject text, factor text, record bytea) RETURNS bytea
  AS 'MODULE_PATHNAME', 'otp_reseal' LANGUAGE C;
CREATE FUNCTION otp.record_info(subject text, factor text, record bytea) RETURNS otp.info
  AS 'MODULE_PATHNAME', 'otp_describe' LANGUAGE C;
CREATE FUNCTION otp.record_explain(subject text, factor text, record bytea, typed text) RETURNS otp.explanation
  AS 'MODULE_PATHNAME', 'otp_explain' LANGUAGE C;
-- A factor's record, locked, with what a loss may have forgotten spent; and the epoch for a record that replaces it: in
-- another place than before, the one that begins when the loss is noticed.
CREATE FUNCTION otp.take(who text, name text, OUT old bytea, OUT epoch text) LANGUAGE plpgsql AS $$
DECLARE store otp.store; found otp.factor; here text := otp.place(); BEGIN
  SELECT * INTO found FROM otp.factor f WHERE f.subject = who COLLATE "C" AND f.factor = name COLLATE "C" FOR UPDATE;
  -- As it is now: a loss may have been noted while this waited for the row.
  SELECT * INTO STRICT store FROM otp.store;
  IF here <> store.place THEN store := (here, md5(store.epoch || here), greatest(store.lost, clock_timestamp())); END IF;
  epoch := store.epoch;
  old := CASE epoch WHEN found.epoch THEN found.record ELSE otp.record_spend(who, name, found.record, store.lost) END;
END $$;
CREATE FUNCTION otp.put(who text, name text, old bytea, new bytea, epoch text, what text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO otp.factor VALUES (who, name, new, epoch)
    ON CONFLICT ON CONSTRAINT factor_pkey DO UPDATE SET record = EXCLUDED.record, epoch = EXCLUDED.epoch
    WHERE old IS NOT NULL;
  IF NOT FOUND THEN
    RAISE serialization_failure USING MESSAGE = 'otp_record: enrolled twice at once', HINT = 'Try again.';
  END IF;
  PERFORM otp.note(who, name, what);
END $$;

-- For applications. The procedures end the caller's transaction, and answer after the commit of one of their own.
CREATE PROCEDURE otp.confirm(subject text, typed text, factor text DEFAULT 'app', INOUT answer text DEFAULT NULL,
  INOUT reason text DEFAULT NULL, INOUT wait_seconds int DEFAULT NULL, INOUT retry_at timestamptz DEFAULT NULL)
  AS 'MODULE_PATHNAME', 'otp_confirm' LANGUAGE C;
CREATE PROCEDURE otp.verify(subject text, typed text, factor text DEFAULT 'app', INOUT answer text DEFAULT NULL,
  INOUT reason text DEFAULT NULL, INOUT wait_seconds int DEFAULT NULL, INOUT retry_at timestamptz DEFAULT NULL)
  AS 'MODULE_PATHNAME', 'otp_verify' LANGUAGE C;
CREATE PROCEDURE otp.resynchronize(subject text, typed text[], factor text DEFAULT 'app',
  INOUT answer text DEFAULT NULL, INOUT reason text DEFAULT NULL, INOUT wait_seconds int DEFAULT NULL,
  INOUT retry_at timestamptz DEFAULT NULL)
  AS 'MODULE_PATHNAME', 'otp_resynchronize' LANGUAGE C;
-- Returns the URI of a pending factor. What it replaces has its failures and its spent codes counted on.
CREATE FUNCTION otp.enroll(subject text, issuer text, account text, factor text DEFAULT 'app',
  kind text DEFAULT 'totp', hash text DEFAULT 'sha1', digits int DEFAULT 6, period int DEFAULT 30,
  secret bytea DEFAULT NULL, replace bool DEFAULT false) RETURNS text
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  taken record := otp.take($1, $4);
  made record := otp.record_enroll($1, $4, $2, $3, taken.old, coalesce(array_position('{totp, hotp}', kind), 0),
    coalesce(array_position('{sha1, sha256, sha512}', hash), 0), digits, period, secret, replace);
BEGIN
  PERFORM otp.put($1, $4, taken.old, made.record, taken.epoch, 'enrolled');
  RETURN made.uri;
END $$;
-- Replaces the codes that were there.
CREATE FUNCTION otp.recovery_codes(subject text, count int DEFAULT 10, factor text DEFAULT 'recovery')
  RETURNS TABLE (code text, number bigint)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE taken record := otp.take($1, $3); made record := otp.record_recovery_codes($1, $3, $2, taken.old); BEGIN
  PERFORM otp.put($1, $3, taken.old, made.record, taken.epoch, 'recovery codes made');
  RETURN QUERY SELECT * FROM string_to_table(made.codes, E'\n') WITH ORDINALITY;
END $$;
CREATE FUNCTION otp.remove(subject text, factor text DEFAULT 'app') RETURNS bool
  LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT otp.place();
  WITH removed AS (DELETE FROM otp.factor f WHERE f.subject = $1 COLLATE "C" AND f.factor = $2 COLLATE "C" RETURNING f.subject, f.factor)
  SELECT count(otp.note(r.subject, r.factor, 'removed')) > 0 FROM removed r
$$;
-- What a subject has: whether a second factor must be asked for, also if its record does not open.
CREATE FUNCTION otp.factors(subject text, OUT factor text, OUT kind text, OUT is_pending bool, OUT unused_codes int)
  RETURNS SETOF record LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT i.factor, i.kind, coalesce(i.is_pending, false), i.unused_codes
  FROM otp.factor f, otp.record_info(f.subject, f.factor, f.record) i WHERE f.subject = $1 COLLATE "C"
$$;

-- For operators.
CREATE FUNCTION otp.list(who text DEFAULT NULL) RETURNS SETOF otp.info
  LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT i.* FROM otp.factor f, otp.record_info(f.subject, f.factor, f.record) i
  WHERE f.subject = $1 COLLATE "C" OR $1 IS NULL ORDER BY 1, 2
$$;
CREATE FUNCTION otp.events(since timestamptz) RETURNS SETOF otp.event
  LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT * FROM otp.event e WHERE e.at >= $1 ORDER BY e.at
$$;
CREATE FUNCTION otp.explain(subject text, typed text, factor text DEFAULT 'app') RETURNS SETOF otp.explanation
  LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT e.* FROM otp.record_explain($1, $3,
    (SELECT CASE f.epoch WHEN s.epoch THEN f.record ELSE otp.record_spend($1, $3, f.record, s.lost) END
     FROM otp.factor f, otp.store s WHERE f.subject = $1 COLLATE "C" AND f.factor = $3 COLLATE "C"), $2) e WHERE e.cause IS NOT NULL
$$;
CREATE FUNCTION otp.unlock(subject text, factor text DEFAULT 'app') RETURNS bool
  LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT otp.place();
  WITH unlocked AS (UPDATE otp.factor f SET record = otp.record_unlock(f.subject, f.factor, f.record)
    WHERE f.subject = $1 COLLATE "C" AND f.factor = $2 COLLATE "C" RETURNING f.subject, f.factor)
  SELECT count(otp.note(u.subject, u.factor, 'unlocked')) > 0 FROM unlocked u
$$;
CREATE FUNCTION otp.revoke(subject text) RETURNS bigint
  LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT count(*) FILTER (WHERE otp.remove(f.subject, f.factor)) FROM otp.factor f WHERE f.subject = $1 COLLATE "C"
$$;
-- Every TOTP code that may have been accepted up to a moment: each record is spent when it is used next.
CREATE FUNCTION otp.spend(until timestamptz DEFAULT clock_timestamp()) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$ BEGIN
  PERFORM otp.place();
  IF until IS NULL OR until > clock_timestamp() + interval '1 hour' THEN
    RAISE invalid_parameter_value USING MESSAGE = 'otp_record: more than an hour ahead would lock every user out';
  END IF;
  UPDATE otp.store SET epoch = gen_random_uuid(), lost = greatest(lost, until);
  PERFORM otp.note('', '', 'loss noticed');
END $$;
-- How many records each key seals; none, if it is unknown.
CREATE FUNCTION otp.keys(OUT key_name text, OUT records bigint) RETURNS SETOF record
  LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT l.key_name, count(*) FROM otp.list() l GROUP BY 1 ORDER BY 1
$$;
-- With the keyring's active key, which must be the one that is named, before an older one is removed.
CREATE FUNCTION otp.reseal(key_name text) RETURNS bigint
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE resealed bigint; BEGIN
  PERFORM otp.place();
  UPDATE otp.factor f SET record = otp.record_reseal(f.subject, f.factor, f.record)
    WHERE f.record <> otp.record_reseal(f.subject, f.factor, f.record);
  GET DIAGNOSTICS resealed = ROW_COUNT;
  IF EXISTS (SELECT FROM otp.keys() k WHERE k.key_name IS DISTINCT FROM $1) THEN
    RAISE object_not_in_prerequisite_state USING MESSAGE = 'otp_record: the server seals with another key',
      HINT = 'Activate the key in the keyring''s file, reload, and look for errors in the server''s log.';
  END IF;
  RETURN resealed;
END $$;

-- From PUBLIC, and from whomever ALTER DEFAULT PRIVILEGES has granted them to. An update replaces this, and calls it.
CREATE FUNCTION otp.permit() RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE granted record; BEGIN
  FOR granted IN
    SELECT 'ROUTINE ' || p.oid::regprocedure AS object, grantee FROM pg_proc p,
      aclexplode(coalesce(proacl, acldefault('f', proowner))) WHERE pronamespace = 'otp'::regnamespace
      AND grantee <> proowner
    UNION SELECT 'TABLE ' || c.oid::regclass, grantee FROM pg_class c, aclexplode(relacl)
      WHERE relnamespace = 'otp'::regnamespace AND relkind = 'r' AND grantee <> relowner
    UNION SELECT 'TABLE ' || attrelid::regclass, grantee FROM pg_attribute JOIN pg_class c ON c.oid = attrelid,
      aclexplode(attacl) WHERE relnamespace = 'otp'::regnamespace AND grantee <> relowner
    UNION SELECT 'SCHEMA otp', grantee FROM pg_namespace, aclexplode(nspacl) WHERE nspname = 'otp' AND grantee <> nspowner
  LOOP
    EXECUTE format('REVOKE ALL ON %s FROM %s CASCADE', granted.object,
      CASE granted.grantee WHEN 0 THEN 'PUBLIC' ELSE granted.grantee::regrole::text END);
  END LOOP;
  GRANT USAGE ON SCHEMA otp TO otp_record_application, otp_record_operator;
  GRANT EXECUTE ON ROUTINE otp.enroll, otp.confirm, otp.verify, otp.resynchronize, otp.recovery_codes, otp.remove,
    otp.factors TO otp_record_application;
  GRANT EXECUTE ON ROUTINE otp.list, otp.events, otp.explain, otp.unlock, otp.revoke, otp.spend, otp.keys, otp.reseal
    TO otp_record_operator;
END $$;
SELECT otp.permit();
