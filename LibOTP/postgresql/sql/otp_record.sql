-- What SQL sees, in the form that pg_regress expects. Tests/Checks/postgresql-extension has the trials.
\pset format unaligned
\pset footer off
\set SHOW_CONTEXT never
CREATE EXTENSION otp_record;
\dx otp_record
SELECT proname, pg_get_function_identity_arguments(oid) FROM pg_proc
  WHERE pronamespace = 'otp'::regnamespace AND (prosecdef OR prokind = 'p') ORDER BY 1;

-- A code of HMAC-SHA-256, for which PostgreSQL has all that is needed; the secret has 32 zero bytes.
CREATE FUNCTION pg_temp.code(at timestamptz) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  pad bytea := decode(repeat('00', 64), 'hex'); inner_pad bytea := pad; outer_pad bytea := pad; tag bytea; at_byte int;
BEGIN
  FOR i IN 0..63 LOOP
    inner_pad := set_byte(inner_pad, i, 54);
    outer_pad := set_byte(outer_pad, i, 92);
  END LOOP;
  tag := sha256(outer_pad || sha256(inner_pad || int8send(floor(extract(epoch FROM at) / 30)::bigint)));
  at_byte := get_byte(tag, 31) & 15;
  RETURN lpad(((((get_byte(tag, at_byte) & 127) << 24) | (get_byte(tag, at_byte + 1) << 16)
    | (get_byte(tag, at_byte + 2) << 8) | get_byte(tag, at_byte + 3)) % 1000000)::text, 6, '0');
END $$;

SELECT * FROM otp.enroll('alice', 'Example', 'alice@example.com', hash => 'sha256',
  secret => decode(repeat('00', 32), 'hex'));
CALL otp.verify('alice', '000000');
SELECT pg_temp.code(now() - interval '30 s') AS code \gset
CALL otp.confirm('alice', :'code');
SELECT pg_temp.code(now()) AS code \gset
CALL otp.verify('alice', :'code');
CALL otp.verify('alice', :'code');
CALL otp.verify('alice', '12345');
CALL otp.verify('nobody', '123456');
CALL otp.verify('alice', '123456', 'other');
SELECT * FROM otp.factors('alice');
SELECT subject, factor, kind, is_pending, acceptances, problem FROM otp.list();
SELECT otp.enroll('alice', 'Example', 'alice');
SELECT * FROM otp.keys();
SELECT otp.reseal('k1'), otp.reseal('k2');
SELECT otp.unlock('alice'), otp.unlock('bob');
SELECT count(code), min(length(code)), max(number) FROM otp.recovery_codes('alice', 3);
CALL otp.verify('alice', 'AAAA-AAAA-AAAA-AAAA-AAAA-AAAA', 'recovery');
CALL otp.resynchronize('alice', '{000000,000001}');
CALL otp.resynchronize('alice', '{000000}');

-- A code is explained to the operator: of a confirmed factor, and of a pending one whose app took SHA-256 for SHA-1.
SELECT cause, ahead, refusal, needs_enrollment FROM otp.explain('alice', pg_temp.code(now()));
SELECT otp.enroll('bob', 'Example', 'bob', secret => decode(repeat('00', 32), 'hex')) IS NOT NULL;
SELECT cause, ahead, hash, digits, period, clock_offset, refusal FROM otp.explain('bob', pg_temp.code(now()));
SELECT otp.enroll('bob', 'a', 'b', hash => 'sha256', secret => decode(repeat('00', 32), 'hex')) IS NOT NULL;
SELECT cause, says FROM otp.explain('bob', pg_temp.code(now()));
SELECT otp.revoke('bob'), otp.remove('alice', 'recovery'), otp.remove('alice', 'recovery');
SELECT subject, factor, kind, reason, role FROM otp.events('-infinity');

-- Errors name the part, never the value.
CALL otp.verify('alice', NULL);
CALL otp.verify('', '123456');
SELECT otp.enroll('bob', 'Exa:mple', 'bob');
SELECT otp.enroll('bob', 'Example', 'bob', kind => 'x');
SELECT otp.enroll('bob', 'Example', 'bob', hash => 'md5');
SELECT otp.enroll('bob', 'Example', 'bob', digits => 9);
SELECT otp.enroll('bob', 'Example', 'bob', secret => '');
SELECT otp.enroll(repeat('b', 1025), 'Example', 'bob');
SELECT otp.recovery_codes('bob', 21);
SELECT otp.spend(now() + interval '1 day');
SELECT problem FROM otp.record_info('alice', 'app', 'not a record');

-- A submission commits by itself.
BEGIN;
CALL otp.verify('alice', '123456');
ROLLBACK;
DROP EXTENSION otp_record;
