/* libotp's functions on records, on a bytea. */
#include "otp_record.h"

#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "utils/acl.h"
#include "utils/array.h"

/* The arguments with which the library's functions begin. */
#define OPENED(c) keys(), (c).subject.start, (c).subject.length, (const uint8_t *)(c).record.start, (c).record.length

void refuse(int code, const char *what, const char *hint) {
  ereport(ERROR, (errcode(code), errmsg("otp_record: %s", what), hint != NULL ? errhint("%s", hint) : 0));
}

void check(otp_status status) {
  const bool is_argument = status < OTP_RANDOMNESS_UNAVAILABLE || (status >= OTP_INVALID_SUBJECT && status < 100);
  if (status == OTP_OK) return;
  refuse(
      is_argument ? ERRCODE_INVALID_PARAMETER_VALUE : ERRCODE_EXTERNAL_ROUTINE_EXCEPTION, otp_status_string(status),
      NULL);
}

Datum argument(FunctionCallInfo fcinfo, int index) {
  if (PG_ARGISNULL(index)) refuse(ERRCODE_NULL_VALUE_NOT_ALLOWED, "an argument is NULL", NULL);
  return PG_GETARG_DATUM(index);
}

span bytes(Datum datum) {
  const bytea *const given = DatumGetByteaPP(datum);
  return (span){VARDATA_ANY(given), VARSIZE_ANY_EXHDR(given)};
}

/* libotp's texts are UTF-8, whatever the database's encoding. */
static span utf8(Datum datum) {
  const span given = bytes(datum);
  const char *const converted = pg_server_to_any(given.start, (int)given.length, PG_UTF8);
  return converted == given.start ? given : (span){converted, strlen(converted)};
}

static span text_argument(FunctionCallInfo fcinfo, int index) { return utf8(argument(fcinfo, index)); }

span subject_argument(FunctionCallInfo fcinfo, int factor_index) {
  const span subject = text_argument(fcinfo, 0);
  const span factor = PG_ARGISNULL(factor_index) ? (span){NULL, 0} : text_argument(fcinfo, factor_index);
  if (factor.start == NULL) return subject;
  char *const both = palloc(subject.length + 1 + factor.length);
  memcpy(both, subject.start, subject.length);
  both[subject.length] = '\0';
  memcpy(both + subject.length + 1, factor.start, factor.length);
  return (span){both, subject.length + 1 + factor.length};
}

call with_room(size_t length) {
  bytea *const result = palloc(VARHDRSZ + length);
  return (call){.result = result, .out = (uint8_t *)VARDATA(result), .length = length};
}

/* A call for the record in the second argument. */
static call on_record(FunctionCallInfo fcinfo, int factor_index) {
  call call = with_room(OTP_RECORD_MAX);
  call.subject = subject_argument(fcinfo, factor_index);
  call.record = bytes(argument(fcinfo, 1));
  return call;
}

Datum filled(call call) {
  SET_VARSIZE(call.result, VARHDRSZ + call.length);
  return PointerGetDatum(call.result);
}

static Datum row(FunctionCallInfo fcinfo, Datum *values, bool *nulls) {
  TupleDesc columns;
  if (get_call_result_type(fcinfo, NULL, &columns) != TYPEFUNC_COMPOSITE) elog(ERROR, "otp_record: not a row type");
  return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(columns), values, nulls));
}

static const char *const hashes[] = {"", "sha1", "sha256", "sha512"};
static const char *const kinds[] = {"", "totp", "hotp", "recovery"};

/* The number of a name, or one that the library refuses. */
static int number_of(span name, const char *const *names, int count) {
  for (int number = 1; number < count; number++) {
    if (strlen(names[number]) == name.length && memcmp(names[number], name.start, name.length) == 0) return number;
  }
  return count;
}

/* ---- Functions on a record ----------------------------------------------------------------------------------------*/

FUNCTION(otp_enroll) {
  call call = with_room(OTP_RECORD_MAX);
  otp_enrollment enrollment = OTP_ENROLLMENT_INIT;
  call.subject = subject_argument(fcinfo, 7);
  if (!PG_ARGISNULL(1)) call.record = bytes(argument(fcinfo, 1));
  enrollment.type = (otp_type)number_of(text_argument(fcinfo, 2), kinds, 3);
  enrollment.hash = (otp_hash)number_of(text_argument(fcinfo, 3), hashes, 4);
  enrollment.digits = (unsigned)DatumGetInt32(argument(fcinfo, 4));
  enrollment.period = DatumGetInt32(argument(fcinfo, 5));
  if (!PG_ARGISNULL(6)) {
    const span secret = bytes(argument(fcinfo, 6));
    enrollment.secret = (const uint8_t *)secret.start;
    enrollment.secret_len = secret.length;
  }
  enrollment.replace = DatumGetBool(argument(fcinfo, 8));
  check(otp_record_enroll(
      keys(), call.subject.start, call.subject.length, &enrollment, (const uint8_t *)call.record.start,
      call.record.length, time(NULL), call.out, &call.length));
  return filled(call);
}

FUNCTION(otp_uri_of) {
  call call = with_room(OTP_URI_MAX + 1);
  const span issuer = text_argument(fcinfo, 2), account = text_argument(fcinfo, 3);
  call.subject = subject_argument(fcinfo, 4);
  call.record = bytes(argument(fcinfo, 1));
  check(otp_record_uri(
      OPENED(call), issuer.start, issuer.length, account.start, account.length, (char *)call.out, &call.length));
  return filled(call);
}

/* The columns record and codes, which is one text, a code a line. */
FUNCTION(otp_recovery_codes) {
  enum { MAX = 20, SIZE = OTP_RECOVERY_CODE_LENGTH + 1 };
  const int count = DatumGetInt32(argument(fcinfo, 1));
  call record = with_room(OTP_RECORD_MAX), codes = with_room(MAX * SIZE);
  record.subject = subject_argument(fcinfo, 2);
  if (!PG_ARGISNULL(3)) record.record = bytes(argument(fcinfo, 3));
  check(otp_record_recovery_codes(
      keys(), record.subject.start, record.subject.length, count < 0 ? 0 : (size_t)count,
      (const uint8_t *)record.record.start, record.record.length, time(NULL), (char *)codes.out, codes.length,
      record.out, &record.length));
  for (int i = 1; i < count; i++) codes.out[i * SIZE - 1] = '\n';
  codes.length = (size_t)count * SIZE - 1;
  return row(fcinfo, (Datum[]){filled(record), filled(codes)}, (bool[]){false, false});
}

void submit(submission what, FunctionCallInfo fcinfo, int index, call *call, int64 now, otp_answer *answer) {
  if (what == RESYNCHRONIZE) {
    const char *codes[3] = {NULL};
    Datum *texts;
    bool *nulls;
    int count;
    deconstruct_array(
        DatumGetArrayTypeP(argument(fcinfo, index)), TEXTOID, -1, false, TYPALIGN_INT, &texts, &nulls, &count);
    for (int i = 0; i < count && i < 3; i++) {
      const span typed = nulls[i] ? (span){"", 0} : utf8(texts[i]);
      codes[i] = pnstrdup(typed.start, typed.length);
    }
    check(otp_record_resynchronize(OPENED(*call), codes, (size_t)count, now, NULL, call->out, &call->length, answer));
  } else {
    const span typed = text_argument(fcinfo, index);
    check((what == CONFIRM ? otp_record_confirm : otp_record_verify)(
        OPENED(*call), typed.start, typed.length, now, NULL, call->out, &call->length, answer));
  }
}

Datum answer_row(FunctionCallInfo fcinfo, const char *none, const otp_answer *answer, int64 now, Datum record) {
  const Oid operators = get_role_oid("otp_record_operator", true);
  const bool has_reason =
      answer->reason != OTP_REASON_NONE && OidIsValid(operators) && has_privs_of_role(GetOuterUserId(), operators);
  const Datum values[] = {
      CStringGetTextDatum(none != NULL ? none : otp_answer_kind_string(answer->kind)),
      CStringGetTextDatum(otp_reason_string(answer->reason)),
      Int32GetDatum((int32)Min(Max(answer->until - now, 0), PG_INT32_MAX)),
      TimestampTzGetDatum(time_t_to_timestamptz(answer->until)), record};
  bool nulls[] = {false, !has_reason, !answer->has_until, !answer->has_until, record == 0};
  return row(fcinfo, (Datum *)values, nulls);
}

static Datum submit_record(FunctionCallInfo fcinfo, submission what) {
  otp_answer answer = OTP_ANSWER_INIT;
  const int64 now = time(NULL);
  call call = on_record(fcinfo, 3);
  submit(what, fcinfo, 2, &call, now, &answer);
  return answer_row(fcinfo, NULL, &answer, now, filled(call));
}

FUNCTION(otp_confirm) { return submit_record(fcinfo, CONFIRM); }
FUNCTION(otp_verify) { return submit_record(fcinfo, VERIFY); }
FUNCTION(otp_resynchronize) { return submit_record(fcinfo, RESYNCHRONIZE); }

FUNCTION(otp_unlock) {
  call call = on_record(fcinfo, 2);
  check(otp_record_unlock(OPENED(call), time(NULL), call.out, &call.length));
  return filled(call);
}

FUNCTION(otp_spend) {
  call call = on_record(fcinfo, 3);
  const TimestampTz until = DatumGetTimestampTz(argument(fcinfo, 2));
  /* A code may have been accepted within the second that has begun. */
  const int64 seconds = TIMESTAMP_NOT_FINITE(until) ? -1 : timestamptz_to_time_t(until) + 1;
  check(otp_record_spend(OPENED(call), seconds, NULL, call.out, &call.length));
  return filled(call);
}

FUNCTION(otp_reseal) {
  call call = on_record(fcinfo, 2);
  check(otp_record_reseal(OPENED(call), call.out, &call.length));
  return filled(call);
}

/* A record that cannot be opened has only its problem, so that it does not hide the others in a list. */
FUNCTION(otp_describe) {
  const call call = on_record(fcinfo, 2);
  otp_record_details found = {.size = sizeof found};
  const otp_status status = otp_record_info(OPENED(call), &found);
  const bool fails = status != OTP_OK;
  Datum values[] = {
      CStringGetTextDatum(fails ? "" : kinds[found.kind]),
      BoolGetDatum(found.is_pending),
      Int64GetDatum((int64)found.failures),
      Int64GetDatum((int64)found.acceptances),
      TimestampTzGetDatum(time_t_to_timestamptz(found.enrollment_time)),
      TimestampTzGetDatum(time_t_to_timestamptz(found.last_attempt_time)),
      Int32GetDatum(__builtin_popcount(found.unused_codes)),
      CStringGetTextDatum(found.key_name),
      CStringGetTextDatum(otp_status_string(status))};
  bool nulls[] = {
      fails, fails, fails, fails, fails, !found.has_last_attempt, fails || found.kind != OTP_RECORD_RECOVERY_CODES,
      fails, !fails};
  return row(fcinfo, values, nulls);
}

FUNCTION(otp_explain) {
  const call call = on_record(fcinfo, 3);
  const span typed = text_argument(fcinfo, 2);
  otp_explanation found = OTP_EXPLANATION_INIT;
  check(otp_record_explain(OPENED(call), typed.start, typed.length, time(NULL), NULL, &found));
  const bool no = !found.found || found.digits == 0, refused = found.refusal != OTP_ANSWER_REJECTED;
  Datum values[] = {
      CStringGetTextDatum(otp_cause_string(found.cause)),
      Int64GetDatum(found.offset),
      Int64GetDatum((int64)found.odds),
      CStringGetTextDatum(hashes[found.hash]),
      Int32GetDatum((int32)found.digits),
      Int64GetDatum(found.period),
      Int64GetDatum(found.clock_offset),
      CStringGetTextDatum(otp_answer_kind_string(found.refusal)),
      TimestampTzGetDatum(time_t_to_timestamptz(found.until)),
      BoolGetDatum(found.needs_enrollment),
      TimestampTzGetDatum(time_t_to_timestamptz(found.loss_end))};
  bool nulls[] = {false, no, no, no, no, no, no, !refused, !found.has_until, false, !found.has_loss_end};
  return row(fcinfo, values, nulls);
}
