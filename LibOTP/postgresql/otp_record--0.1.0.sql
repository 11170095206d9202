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
  FOREACH role IN ARRAY '{otp_record_application, otp_record_operator, otp_record_own_table}'::text[] LOOP
    IF to_regrole(role) IS NULL THEN
      EXECUTE 'CREATE ROLE ' || role;
    ELSIF (SELECT rolcanlogin FROM pg_roles WHERE rolname = role) THEN
      RAISE 'otp_record: the role % can log in', role USING HINT = 'Make it NOLOGIN, and look at its members.';
    END IF;
  END LOOP;
END $$;

-- Records, each spent for the losses up to an epoch.
CREATE TABLE otp.factor (
  subject text, factor text, record bytea NOT NULL, epoch text NOT NULL, PRIMARY KEY (subject, factor)
) WITH (fillfactor = 70);
ALTER TABLE otp.factor ALTER record SET STORAGE EXTERNAL;
-- A restored dump has this table's rows, but not the next one's: its epochs are of another store.
SELECT pg_extension_config_dump('otp.factor', '');
-- One row: where the table was last, and up to when codes may have been accepted without a record of it.
CREATE TABLE otp.store (place text NOT NULL, epoch text NOT NULL, lost timestamptz NOT NULL);

-- The reason only for an operator; wait_seconds and retry_at for "wait" and "locked".
CREATE TYPE otp.answer AS (answer text, reason text, wait_seconds int, retry_at timestamptz);
CREATE TYPE otp.answer_and_record AS (
  answer text, reason text, wait_seconds int, retry_at timestamptz, new bytea);
CREATE TYPE otp.info AS (
  kind text, is_pending bool, failures bigint, acceptances bigint, enrolled_at timestamptz, last_attempt_at timestamptz,
  unused_codes int, key_name text, problem text);
-- Ahead by steps or counters. Those up to clock_offset are of a code that was found, with how the app computes it.
CREATE TYPE otp.explanation AS (
  cause text, ahead bigint, odds bigint, hash text, digits int, period bigint, clock_offset bigint, refusal text,
  refused_until timestamptz, needs_enrollment bool, spent_until timestamptz);

-- On a record: its subject, and the record, as bytes that the caller keeps. With a factor, of the table above.
CREATE FUNCTION otp.record_enroll(subject text, previous bytea DEFAULT NULL, kind text DEFAULT 'totp',
  hash text DEFAULT 'sha1', digits int DEFAULT 6, period int DEFAULT 30, secret bytea DEFAULT NULL,
  factor text DEFAULT NULL, replace bool DEFAULT false) RETURNS bytea AS 'MODULE_PATHNAME', 'otp_enroll' LANGUAGE C;
CREATE FUNCTION otp.record_uri(subject text, record bytea, issuer text, account text, factor text DEFAULT NULL)
  RETURNS text AS 'MODULE_PATHNAME', 'otp_uri_of' LANGUAGE C;
CREATE FUNCTION otp.record_recovery_codes(subject text, count int DEFAULT 10, factor text DEFAULT NULL,
  previous bytea DEFAULT NULL, OUT record bytea, OUT codes text) AS 'MODULE_PATHNAME', 'otp_recovery_codes' LANGUAGE C;
CREATE FUNCTION otp.record_confirm(subject text, record bytea, typed text, factor text DEFAULT NULL)
  RETURNS otp.answer_and_record AS 'MODULE_PATHNAME', 'otp_confirm' LANGUAGE C;
CREATE FUNCTION otp.record_verify(subject text, record bytea, typed text, factor text DEFAULT NULL)
  RETURNS otp.answer_and_record AS 'MODULE_PATHNAME', 'otp_verify' LANGUAGE C;
CREATE FUNCTION otp.record_resynchronize(subject text, record bytea, typed text[], factor text DEFAULT NULL)
  RETURNS otp.answer_and_record AS 'MODULE_PATHNAME', 'otp_resynchronize' LANGUAGE C;
CREATE FUNCTION otp.record_unlock(subject text, record bytea, factor text DEFAULT NULL) RETURNS bytea
  AS 'MODULE_PATHNAME', 'otp_unlock' LANGUAGE C;
CREATE FUNCTION otp.record_spend(subject text, record bytea, until timestamptz, factor text DEFAULT NULL)
  RETURNS bytea AS 'MODULE_PATHNAME', 'otp_spend' LANGUAGE C;
CREATE FUNCTION otp.record_reseal(subject text, record bytea, factor text DEFAULT NULL) RETURNS bytea
  AS 'MODULE_PATHNAME', 'otp_reseal' LANGUAGE C;
CREATE FUNCTION otp.record_info(subject text, record bytea, factor text DEFAULT NULL)
  RETURNS otp.info AS 'MODULE_PATHNAME', 'otp_describe' LANGUAGE C;
CREATE FUNCTION otp.record_explain(subject text, record bytea, typed text, factor text DEFAULT NULL)
  RETURNS otp.explanation AS 'MODULE_PATHNAME', 'otp_explain' LANGUAGE C;

-- On the table, for applications.
CREATE FUNCTION otp.ready() RETURNS text AS 'MODULE_PATHNAME', 'otp_ready' LANGUAGE C;
-- Nowhere yet: the first use is a loss, since rows may have been restored by then.
INSERT INTO otp.store VALUES ('', gen_random_uuid(), clock_timestamp());
CREATE FUNCTION otp.confirm(subject text, typed text, factor text DEFAULT 'app', in_transaction bool DEFAULT false)
  RETURNS otp.answer AS 'MODULE_PATHNAME', 'otp_confirm_row' LANGUAGE C
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp;
CREATE FUNCTION otp.verify(subject text, typed text, factor text DEFAULT 'app', in_transaction bool DEFAULT false)
  RETURNS otp.answer AS 'MODULE_PATHNAME', 'otp_verify_row' LANGUAGE C
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp;
CREATE FUNCTION otp.resynchronize(subject text, typed text[], factor text DEFAULT 'app',
  in_transaction bool DEFAULT false) RETURNS otp.answer AS 'MODULE_PATHNAME', 'otp_resynchronize_row' LANGUAGE C
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp;
CREATE FUNCTION otp.put(who text, name text, old bytea, new bytea) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO otp.factor SELECT who, name, new, s.epoch FROM otp.store s
    ON CONFLICT ON CONSTRAINT factor_pkey DO UPDATE SET record = EXCLUDED.record, epoch = EXCLUDED.epoch
    WHERE factor.record = old;
  IF NOT FOUND THEN
    RAISE serialization_failure USING MESSAGE = 'otp_record: enrolled twice at once', HINT = 'Try again.';
  END IF;
END $$;
-- Returns the URI. A factor that was not confirmed is replaced; its failures stay counted.
CREATE FUNCTION otp.enroll(subject text, issuer text, account text, factor text DEFAULT 'app',
  kind text DEFAULT 'totp', hash text DEFAULT 'sha1', digits int DEFAULT 6, period int DEFAULT 30,
  secret bytea DEFAULT NULL) RETURNS text
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE old bytea; new bytea; BEGIN
  PERFORM otp.ready();
  SELECT f.record INTO old FROM otp.factor f WHERE f.subject = $1 AND f.factor = $4 FOR UPDATE;
  IF FOUND AND (otp.record_info($1, old, $4)).is_pending IS NOT TRUE THEN
    RAISE unique_violation USING MESSAGE = 'otp_record: the factor is enrolled', HINT = 'Remove it first.';
  END IF;
  new := otp.record_enroll($1, old, $5, $6, $7, $8, $9, $4);
  PERFORM otp.put($1, $4, old, new);
  RETURN otp.record_uri($1, new, $2, $3, $4);
END $$;
-- Replaces the codes that were there.
CREATE FUNCTION otp.recovery_codes(subject text, count int DEFAULT 10, factor text DEFAULT 'recovery')
  RETURNS TABLE (code text, number bigint)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE old bytea; made record; BEGIN
  PERFORM otp.ready();
  SELECT f.record INTO old FROM otp.factor f WHERE f.subject = $1 AND f.factor = $3 FOR UPDATE;
  IF FOUND AND (otp.record_info($1, old, $3)).kind IS DISTINCT FROM 'recovery' THEN
    RAISE unique_violation USING MESSAGE = 'otp_record: the factor is of another kind', HINT = 'Remove it first.';
  END IF;
  made := otp.record_recovery_codes($1, $2, $3, old);
  PERFORM otp.put($1, $3, old, made.record);
  RETURN QUERY SELECT * FROM string_to_table(made.codes, E'\n') WITH ORDINALITY;
END $$;
CREATE FUNCTION otp.remove(subject text, factor text DEFAULT 'app') RETURNS bool
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$ BEGIN
  PERFORM otp.ready();
  DELETE FROM otp.factor f WHERE f.subject = $1 AND f.factor = $2;
  RETURN FOUND;
END $$;
-- What a subject has: whether a second factor must be asked for.
CREATE FUNCTION otp.factors(subject text, OUT factor text, OUT kind text, OUT is_pending bool, OUT unused_codes int)
  RETURNS SETOF record LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT f.factor, i.kind, i.is_pending, i.unused_codes
  FROM otp.factor f, otp.record_info(f.subject, f.record, f.factor) i WHERE f.subject = $1
$$;

-- On the table, for operators.
CREATE FUNCTION otp.list(who text DEFAULT NULL, OUT subject text, OUT factor text, OUT kind text, OUT is_pending bool,
  OUT failures bigint, OUT acceptances bigint, OUT enrolled_at timestamptz, OUT last_attempt_at timestamptz,
  OUT unused_codes int, OUT key_name text, OUT problem text)
  RETURNS SETOF record LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT f.subject, f.factor, i.* FROM otp.factor f, otp.record_info(f.subject, f.record, f.factor) i
  WHERE f.subject = $1 OR $1 IS NULL ORDER BY 1, 2
$$;
CREATE FUNCTION otp.explain(subject text, typed text, factor text DEFAULT 'app')
  RETURNS SETOF otp.explanation LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT e.* FROM otp.factor f, otp.record_explain(f.subject, f.record, $2, f.factor) e
  WHERE f.subject = $1 AND f.factor = $3
$$;
CREATE FUNCTION otp.unlock(subject text, factor text DEFAULT 'app') RETURNS bool
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$ BEGIN
  PERFORM otp.ready();
  UPDATE otp.factor f SET record = otp.record_unlock(f.subject, f.record, f.factor)
  WHERE f.subject = $1 AND f.factor = $2;
  RETURN FOUND;
END $$;
CREATE FUNCTION otp.revoke(subject text) RETURNS bigint
  LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT otp.ready();
  WITH removed AS (DELETE FROM otp.factor f WHERE f.subject = $1 RETURNING 1) SELECT count(*) FROM removed
$$;
-- Every TOTP code that may have been accepted up to a moment: each record is spent when it is used next.
CREATE FUNCTION otp.spend(until timestamptz DEFAULT clock_timestamp()) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$ BEGIN
  PERFORM otp.ready();
  IF until IS NULL OR until > clock_timestamp() + interval '1 hour' THEN
    RAISE invalid_parameter_value USING MESSAGE = 'otp_record: more than an hour ahead would lock every user out';
  END IF;
  UPDATE otp.store SET epoch = gen_random_uuid(), lost = greatest(lost, until);
END $$;
-- With the keyring's first key, before an older one is removed.
CREATE FUNCTION otp.reseal() RETURNS bigint
  LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT otp.ready();
  WITH resealed AS (UPDATE otp.factor f SET record = otp.record_reseal(f.subject, f.record, f.factor)
    WHERE f.record <> otp.record_reseal(f.subject, f.record, f.factor) RETURNING 1) SELECT count(*) FROM resealed
$$;

-- From PUBLIC, and from whomever ALTER DEFAULT PRIVILEGES has granted them to. An update replaces this, and calls it.
CREATE FUNCTION otp.permit() RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE granted record; BEGIN
  FOR granted IN
    SELECT 'FUNCTION ' || p.oid::regprocedure AS object, grantee FROM pg_proc p,
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
  GRANT USAGE ON SCHEMA otp TO otp_record_application, otp_record_operator, otp_record_own_table;
  GRANT EXECUTE ON FUNCTION otp.enroll, otp.confirm, otp.verify, otp.resynchronize, otp.recovery_codes, otp.remove,
    otp.factors TO otp_record_application;
  GRANT EXECUTE ON FUNCTION otp.list, otp.explain, otp.unlock, otp.revoke, otp.spend, otp.reseal TO otp_record_operator;
  GRANT EXECUTE ON FUNCTION otp.record_enroll, otp.record_uri, otp.record_confirm, otp.record_verify,
    otp.record_resynchronize, otp.record_recovery_codes, otp.record_unlock, otp.record_spend, otp.record_reseal,
    otp.record_info, otp.record_explain TO otp_record_own_table;
END $$;
SELECT otp.permit();
