/* libotp's functions on records, which the functions in SQL keep in the table. */
#include "otp_record.h"

#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "utils/acl.h"
#include "utils/array.h"

/* The arguments with which the library's functions begin. */
#define OPENED(c) keys(), (c).subject.start, (c).subject.length, (const uint8_t *)(c).record.start, (c).record.length

Datum argument(FunctionCallInfo fcinfo, int index) {
  if (PG_ARGISNULL(index)) refuse(ERRCODE_NULL_VALUE_NOT_ALLOWED, "an argument is NULL", NULL);
  return PG_GETARG_DATUM(index);
}

static span bytes(Datum datum) {
  const bytea *const given = DatumGetByteaPP(datum);
  return (span){VARDATA_ANY(given), VARSIZE_ANY_EXHDR(given)};
}

/* libotp's texts are UTF-8, whatever the database's encoding. */
static span utf8(Datum datum) {
  const span given = bytes(datum);
  /* PostgreSQL's own error would show bytes of a code. */
  if (GetDatabaseEncoding() == PG_SQL_ASCII && !pg_verify_mbstr(PG_UTF8, given.start, (int)given.length, true)) {
    refuse(ERRCODE_CHARACTER_NOT_IN_REPERTOIRE, "a text is not UTF-8", NULL);
  }
  const char *const converted = pg_server_to_any(given.start, (int)given.length, PG_UTF8);
  return converted == given.start ? given : (span){converted, strlen(converted)};
}

static span text_argument(FunctionCallInfo fcinfo, int index) { return utf8(argument(fcinfo, index)); }

static call with_room(size_t length) {
  bytea *const result = palloc(VARHDRSZ + length);
  return (call){.result = result, .out = (uint8_t *)VARDATA(result), .length = length};
}

/* Sealed for both, with a NUL between. */
call call_for(FunctionCallInfo fcinfo, int factor_index, Datum record) {
  const span subject = text_argument(fcinfo, 0), factor = text_argument(fcinfo, factor_index);
  const size_t length = subject.length + 1 + factor.length;
  call call = with_room(OTP_RECORD_MAX);
  /* Also if there is no record for it. */
  if (subject.length == 0 || length > 1024) check(OTP_INVALID_SUBJECT);
  char *const both = palloc(length);
  memcpy(both, subject.start, subject.length);
  both[subject.length] = '\0';
  memcpy(both + subject.length + 1, factor.start, factor.length);
  call.subject = (span){both, length};
  if (record != 0) call.record = bytes(record);
  return call;
}

/* A call of a function whose first arguments are the subject, the factor and the record. */
static call on_record(FunctionCallInfo fcinfo) { return call_for(fcinfo, 1, argument(fcinfo, 2)); }

Datum filled(call call) {
  SET_VARSIZE(call.result, VARHDRSZ + call.length);
  return PointerGetDatum(call.result);
}

typedef struct column {
  bool is_null;
  Datum value;
} column;

static Datum row(FunctionCallInfo fcinfo, const column *columns) {
  TupleDesc description;
  Datum values[12];
  bool nulls[12];
  if (get_call_result_type(fcinfo, NULL, &description) != TYPEFUNC_COMPOSITE) elog(ERROR, "otp_record: not a row type");
  for (int i = 0; i < description->natts; i++) {
    values[i] = columns[i].value;
    nulls[i] = columns[i].is_null;
  }
  return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(description), values, nulls));
}

#define GIVEN(value) {false, value}
#define FLAG(is_null, value) {is_null, BoolGetDatum(value)}
#define TEXT(is_null, value) {is_null, CStringGetTextDatum(value)}
#define COUNT(is_null, value) {is_null, Int64GetDatum((int64)(value))}
#define TIME(is_null, value) {is_null, TimestampTzGetDatum(time_t_to_timestamptz(value))}
#define INTEGER(is_null, value) {is_null, Int32GetDatum((int32)(value))}

static const char *const hashes[] = {"", "sha1", "sha256", "sha512"};
static const char *const kinds[] = {"", "totp", "hotp", "recovery"};

void submit(submission what, FunctionCallInfo fcinfo, call *call, outcome *outcome) {
  if (what == RESYNCHRONIZE) {
    const char *codes[3] = {NULL};
    Datum *texts;
    bool *nulls;
    int count;
    deconstruct_array(
        DatumGetArrayTypeP(argument(fcinfo, 1)), TEXTOID, -1, false, TYPALIGN_INT, &texts, &nulls, &count);
    for (int i = 0; i < count && i < 3; i++) {
      const span typed = nulls[i] ? (span){"", 0} : utf8(texts[i]);
      codes[i] = pnstrdup(typed.start, typed.length);
    }
    check(otp_record_resynchronize(
        OPENED(*call), codes, (size_t)count, outcome->now, NULL, call->out, &call->length, &outcome->answer));
  } else {
    const span typed = text_argument(fcinfo, 1);
    check((what == CONFIRM ? otp_record_confirm : otp_record_verify)(
        OPENED(*call), typed.start, typed.length, outcome->now, NULL, call->out, &call->length, &outcome->answer));
  }
}

const char *answer_name(const outcome *outcome) {
  return outcome->has_row ? otp_answer_kind_string(outcome->answer.kind) : "none";
}

Datum answer_row(FunctionCallInfo fcinfo, const outcome *outcome) {
  const otp_answer *const answer = &outcome->answer;
  const Oid operators = get_role_oid("otp_record_operator", true);
  const bool has_reason =
      answer->reason != OTP_REASON_NONE && OidIsValid(operators) && has_privs_of_role(GetOuterUserId(), operators);
  const column columns[] = {
      TEXT(false, answer_name(outcome)), TEXT(!has_reason, otp_reason_string(answer->reason)),
      INTEGER(!answer->has_until, Min(Max(answer->until - outcome->now, 0), PG_INT32_MAX)),
      TIME(!answer->has_until, answer->until)};
  return row(fcinfo, columns);
}

/* ---- Functions on a record ----------------------------------------------------------------------------------------*/

/* The columns record and uri. */
FUNCTION(otp_enroll) {
  call record = call_for(fcinfo, 1, PG_ARGISNULL(4) ? 0 : argument(fcinfo, 4)), uri = with_room(OTP_URI_MAX + 1);
  const span issuer = text_argument(fcinfo, 2), account = text_argument(fcinfo, 3);
  otp_enrollment enrollment = OTP_ENROLLMENT_INIT;
  enrollment.type = (otp_type)DatumGetInt32(argument(fcinfo, 5));
  enrollment.hash = (otp_hash)DatumGetInt32(argument(fcinfo, 6));
  enrollment.digits = (unsigned)DatumGetInt32(argument(fcinfo, 7));
  enrollment.period = DatumGetInt32(argument(fcinfo, 8));
  if (!PG_ARGISNULL(9)) {
    const span secret = bytes(argument(fcinfo, 9));
    enrollment.secret = (const uint8_t *)secret.start;
    enrollment.secret_len = secret.length;
  }
  enrollment.replace = !PG_ARGISNULL(10) && DatumGetBool(argument(fcinfo, 10));
  check(otp_record_enroll(
      keys(), record.subject.start, record.subject.length, &enrollment, (const uint8_t *)record.record.start,
      record.record.length, time(NULL), record.out, &record.length));
  record.record = (span){(const char *)record.out, record.length};
  check(otp_record_uri(
      OPENED(record), issuer.start, issuer.length, account.start, account.length, (char *)uri.out, &uri.length));
  return row(fcinfo, (column[]){GIVEN(filled(record)), GIVEN(filled(uri))});
}

/* The columns record and codes, which is one text, a code a line. */
FUNCTION(otp_recovery_codes) {
  enum { MAX = 20, SIZE = OTP_RECOVERY_CODE_LENGTH + 1 };
  const int count = DatumGetInt32(argument(fcinfo, 2));
  call record = call_for(fcinfo, 1, PG_ARGISNULL(3) ? 0 : argument(fcinfo, 3)), codes = with_room(MAX * SIZE);
  check(otp_record_recovery_codes(
      keys(), record.subject.start, record.subject.length, count < 0 ? 0 : (size_t)count,
      (const uint8_t *)record.record.start, record.record.length, time(NULL), (char *)codes.out, codes.length,
      record.out, &record.length));
  for (int i = 1; i < count; i++) codes.out[i * SIZE - 1] = '\n';
  codes.length = (size_t)count * SIZE - 1;
  return row(fcinfo, (column[]){GIVEN(filled(record)), GIVEN(filled(codes))});
}

FUNCTION(otp_spend) {
  call call = on_record(fcinfo);
  /* A code may have been accepted within the second that has begun. */
  const int64 until = timestamptz_to_time_t(DatumGetTimestampTz(argument(fcinfo, 3))) + 1;
  check(otp_record_spend(OPENED(call), until, NULL, call.out, &call.length));
  return filled(call);
}

FUNCTION(otp_unlock) {
  call call = on_record(fcinfo);
  check(otp_record_unlock(OPENED(call), time(NULL), call.out, &call.length));
  return filled(call);
}

FUNCTION(otp_reseal) {
  call call = on_record(fcinfo);
  check(otp_record_reseal(OPENED(call), call.out, &call.length));
  return filled(call);
}

/* A record that cannot be opened has only its problem, so that it does not hide the others in a list. */
FUNCTION(otp_describe) {
  const call call = on_record(fcinfo);
  otp_record_details found = {.size = sizeof found};
  const otp_status status = otp_record_info(OPENED(call), &found);
  const bool fails = status != OTP_OK;
  const column columns[] = {
      GIVEN(argument(fcinfo, 0)),
      GIVEN(argument(fcinfo, 1)),
      TEXT(fails, fails ? "" : kinds[found.kind]),
      FLAG(fails, found.is_pending),
      COUNT(fails, found.failures),
      COUNT(fails, found.acceptances),
      TIME(fails, found.enrollment_time),
      TIME(!found.has_last_attempt, found.last_attempt_time),
      INTEGER(fails || found.kind != OTP_RECORD_RECOVERY_CODES, __builtin_popcount(found.unused_codes)),
      TEXT(fails, found.key_name),
      TEXT(!fails, otp_status_string(status))};
  return row(fcinfo, columns);
}

/* What the tool says of each cause, and last of a right code while none is accepted. */
static const char *const sayings[] = {
    "It was mistyped, or the app's entry has another secret, such as that of an earlier enrollment, a test system or "
    "another account.",
    "The code is right, and would be accepted now.",
    "It, or a later one, was accepted already, and each is accepted once: wait for the next code.",
    "The clock of the user's device is late: have it set its time automatically.",
    "The clock of the user's device is early: have it set its time automatically.",
    "The app ignores what the key URI says: enroll again with SHA1, 6 digits and 30 s, which every app can do, or with "
    "another app.",
    "This is neither a code of 6 to 8 digits nor one of the account's recovery codes.",
    "Resynchronize it with two consecutive codes:",
    "The code itself is right."};

/* With a line in the server's log, in which a subject shows its printable ASCII only. */
FUNCTION(otp_explain) {
  char *const subject = text_to_cstring(DatumGetTextPP(argument(fcinfo, 0)));
  for (char *c = subject; *c != '\0'; c++) *c = *c < ' ' || *c > '~' ? '?' : *c;
  ereport(
      LOG_SERVER_ONLY,
      (errmsg("otp_record: %s explains a code of %s", GetUserNameFromId(GetSessionUserId(), false), subject),
       errhidestmt(true), errhidecontext(true)));
  if (PG_ARGISNULL(2)) PG_RETURN_NULL();
  const call call = on_record(fcinfo);
  const span typed = text_argument(fcinfo, 3);
  otp_explanation found = OTP_EXPLANATION_INIT;
  otp_record_details details = {.size = sizeof details};
  check(otp_record_info(OPENED(call), &details));
  check(otp_record_explain(OPENED(call), typed.start, typed.length, time(NULL), NULL, &found));
  /* Where a code of the future is would say when to use it, and the odds say how far was looked. */
  const bool is_early = found.cause == OTP_CAUSE_EARLY || (found.cause == OTP_CAUSE_PARAMETERS && found.offset > 0);
  const bool no = !found.found || found.digits == 0, refused = found.refusal != OTP_ANSWER_REJECTED;
  const bool is_refused = refused || found.has_loss_end || found.needs_enrollment || details.is_pending;
  int saying = (int)found.cause;
  if (found.cause == OTP_CAUSE_EARLY && found.period == 0) saying = 7;
  if (found.cause == OTP_CAUSE_RIGHT && is_refused) saying = 8;
  const column columns[] = {
      TEXT(false, otp_cause_string(found.cause)),
      TEXT(saying >= lengthof(sayings), sayings[saying % lengthof(sayings)]),
      COUNT(no || is_early, found.offset),
      COUNT(no || is_early, found.odds),
      TEXT(no, hashes[found.hash]),
      INTEGER(no, found.digits),
      COUNT(no, found.period),
      COUNT(no || is_early, found.clock_offset),
      TEXT(!refused, otp_answer_kind_string(found.refusal)),
      TIME(!found.has_until, found.until),
      FLAG(false, found.needs_enrollment),
      TIME(!found.has_loss_end, found.loss_end)};
  return row(fcinfo, columns);
}
