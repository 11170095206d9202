/*
 * libotp's functions on records as SQL functions: on a bytea, and on the extension's own table.
 *
 * An error is raised only when the library has returned. What it writes, a record or a text with a secret, goes
 * straight to the result's memory, which is allocated before the call, so nothing else holds a secret then.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "tcop/pquery.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

#include <otp.h>
#include <time.h>

PG_MODULE_MAGIC;

/* A function that SQL calls. */
#define FUNCTION(name)       \
  PG_FUNCTION_INFO_V1(name); \
  Datum name(PG_FUNCTION_ARGS)

/* Since version 18, an executor's run does not say whether it is the only one. */
#if PG_VERSION_NUM < 180000
#define ONCE_PARAMETER , bool once
#define ONCE_ARGUMENT , once
#else
#define ONCE_PARAMETER
#define ONCE_ARGUMENT
#endif

static char *keyring_path;
static otp_keyring *keyring;
static bool allows_transactions;

/* ---- Arguments and results ----------------------------------------------------------------------------------------*/

/* Bytes that someone else owns. */
typedef struct span {
  const char *start;
  size_t length;
} span;

/* What the functions on a record have in common, and the memory for a result. */
typedef struct call {
  span subject, record;
  bytea *result;
  uint8_t *out;
  size_t length;
} call;

/* The arguments with which the library's functions begin. */
#define OPENED(c) keys(), (c).subject.start, (c).subject.length, (const uint8_t *)(c).record.start, (c).record.length

static void refuse(int code, const char *what, const char *hint) {
  ereport(ERROR, (errcode(code), errmsg("otp_record: %s", what), hint != NULL ? errhint("%s", hint) : 0));
}

static void check(otp_status status) {
  const bool is_argument = status < OTP_RANDOMNESS_UNAVAILABLE || (status >= OTP_INVALID_SUBJECT && status < 100);
  if (status == OTP_OK) return;
  refuse(
      is_argument ? ERRCODE_INVALID_PARAMETER_VALUE : ERRCODE_EXTERNAL_ROUTINE_EXCEPTION, otp_status_string(status),
      NULL);
}

static const otp_keyring *keys(void) {
  if (keyring == NULL) {
    refuse(
        ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, "there is no keyring",
        "Name a keyring's file in otp_record.keyring, and reload. The server's log says what is wrong with it.");
  }
  return keyring;
}

static Datum argument(FunctionCallInfo fcinfo, int index) {
  if (PG_ARGISNULL(index)) refuse(ERRCODE_NULL_VALUE_NOT_ALLOWED, "an argument is NULL", NULL);
  return PG_GETARG_DATUM(index);
}

/* libotp's texts are UTF-8, whatever the database's encoding. */
static span utf8(Datum datum) {
  text *const given = DatumGetTextPP(datum);
  char *const start = VARDATA_ANY(given);
  const int length = VARSIZE_ANY_EXHDR(given);
  const char *const converted = pg_server_to_any(start, length, PG_UTF8);
  return (span){converted, converted == start ? (size_t)length : strlen(converted)};
}

static span text_argument(FunctionCallInfo fcinfo, int index) { return utf8(argument(fcinfo, index)); }

static span bytea_argument(FunctionCallInfo fcinfo, int index) {
  bytea *const given = DatumGetByteaPP(argument(fcinfo, index));
  return (span){VARDATA_ANY(given), VARSIZE_ANY_EXHDR(given)};
}

/* The subject in the first argument and, if there is one, the factor: no text is the same as two with a NUL between. */
static span subject_argument(FunctionCallInfo fcinfo, int factor_index) {
  const span subject = text_argument(fcinfo, 0);
  const span factor = PG_ARGISNULL(factor_index) ? (span){NULL, 0} : text_argument(fcinfo, factor_index);
  char *both;
  if (factor.start == NULL) return subject;
  both = palloc(subject.length + 1 + factor.length);
  memcpy(both, subject.start, subject.length);
  both[subject.length] = '\0';
  memcpy(both + subject.length + 1, factor.start, factor.length);
  return (span){both, subject.length + 1 + factor.length};
}

static call with_room(size_t length) {
  bytea *const result = palloc(VARHDRSZ + length);
  return (call){.result = result, .out = (uint8_t *)VARDATA(result), .length = length};
}

/* A call for the record in the second argument. */
static call on_record(FunctionCallInfo fcinfo, int factor_index) {
  call call = with_room(OTP_RECORD_MAX);
  call.subject = subject_argument(fcinfo, factor_index);
  call.record = bytea_argument(fcinfo, 1);
  return call;
}

static Datum filled(call call) {
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
  if (!PG_ARGISNULL(1)) call.record = bytea_argument(fcinfo, 1);
  enrollment.type = (otp_type)number_of(text_argument(fcinfo, 2), kinds, 3);
  enrollment.hash = (otp_hash)number_of(text_argument(fcinfo, 3), hashes, 4);
  enrollment.digits = (unsigned)DatumGetInt32(argument(fcinfo, 4));
  enrollment.period = DatumGetInt32(argument(fcinfo, 5));
  if (!PG_ARGISNULL(6)) {
    const span secret = bytea_argument(fcinfo, 6);
    enrollment.secret = (const uint8_t *)secret.start;
    enrollment.secret_len = secret.length;
  }
  check(otp_record_enroll(
      keys(), call.subject.start, call.subject.length, &enrollment, (const uint8_t *)call.record.start,
      call.record.length, time(NULL), call.out, &call.length));
  return filled(call);
}

FUNCTION(otp_uri_of) {
  call call = with_room(OTP_URI_MAX + 1);
  const span issuer = text_argument(fcinfo, 2), account = text_argument(fcinfo, 3);
  call.subject = subject_argument(fcinfo, 4);
  call.record = bytea_argument(fcinfo, 1);
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
  check(otp_record_recovery_codes(
      keys(), record.subject.start, record.subject.length, count < 0 ? 0 : (size_t)count, time(NULL), (char *)codes.out,
      codes.length, record.out, &record.length));
  for (int i = 1; i < count; i++) codes.out[i * SIZE - 1] = '\n';
  codes.length = (size_t)count * SIZE - 1;
  return row(fcinfo, (Datum[]){filled(record), filled(codes)}, (bool[]){false, false});
}

typedef enum submission { CONFIRM, VERIFY, RESYNCHRONIZE } submission;

/* Submits what is in an argument, a text or an array of texts. */
static void submit(submission what, FunctionCallInfo fcinfo, int index, call *call, int64 now, otp_answer *answer) {
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

/* The columns answer, reason, which only an operator sees, wait_seconds, retry_at, and record, if there is one. */
static Datum answer_row(FunctionCallInfo fcinfo, const char *none, const otp_answer *answer, int64 now, Datum record) {
  static const char *const answers[] = {"rejected", "accepted", "enrolled", "wait", "locked"};
  static const char *const reasons[] = {"",      "malformed", "wrong",     "replayed", "late",
                                        "early", "pending",   "confirmed", "disabled", "used up"};
  const Oid operators = get_role_oid("otp_record_operator", true);
  const bool has_reason = answer->reason > OTP_REASON_NONE && (unsigned)answer->reason < lengthof(reasons)
      && OidIsValid(operators) && has_privs_of_role(GetOuterUserId(), operators);
  const char *const kind = answers[(unsigned)answer->kind < lengthof(answers) ? answer->kind : OTP_ANSWER_REJECTED];
  const Datum values[] = {
      CStringGetTextDatum(none != NULL ? none : kind), has_reason ? CStringGetTextDatum(reasons[answer->reason]) : 0,
      Int64GetDatum(Max(answer->until - now, 0)), TimestampTzGetDatum(time_t_to_timestamptz(answer->until)), record};
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

FUNCTION(otp_diagnose) {
  const call call = on_record(fcinfo, 3);
  const span typed = text_argument(fcinfo, 2);
  otp_diagnosis found = OTP_DIAGNOSIS_INIT;
  bool nulls[6];
  check(otp_record_diagnose(OPENED(call), typed.start, typed.length, time(NULL), &found));
  memset(nulls, !found.found, sizeof nulls);
  nulls[0] = false;
  return row(
      fcinfo,
      (Datum[]){BoolGetDatum(found.found), CStringGetTextDatum(hashes[found.hash]), Int32GetDatum((int32)found.digits),
                Int64GetDatum(found.period), Int64GetDatum(found.clock_offset), Int64GetDatum(found.counter_offset)},
      nulls);
}

/* ---- The table: a statement locks a factor's row, submits a code, and replaces the record
 * ---------------------------*/

/* Runs a statement, which each backend prepares once, and returns how many rows it has read or changed. */
static uint64 run(const char *text, SPIPlanPtr *plan, int count, Datum *values) {
  static Oid types[] = {TEXTOID, TEXTOID, TEXTOID, BYTEAOID};
  if (*plan == NULL) {
    *plan = SPI_prepare(text, count, types);
    if (*plan == NULL || SPI_keepplan(*plan) != 0) elog(ERROR, "otp_record: a statement cannot be prepared");
  }
  if (SPI_execute_plan(*plan, values, NULL, false, 0) < 0) elog(ERROR, "otp_record: a statement failed");
  return SPI_processed;
}

/* Refuses a place where a change would not last. Returns a name of the place: if it is another one than before, the
 * server was promoted or recovered, or the table restored, so changes may be lost. */
static Datum place(void) {
  const bool is_synchronous =
      synchronous_commit == SYNCHRONOUS_COMMIT_ON || synchronous_commit == SYNCHRONOUS_COMMIT_REMOTE_APPLY;
  Relation table;
  char *name;
  if (RecoveryInProgress()) {
    refuse(ERRCODE_READ_ONLY_SQL_TRANSACTION, "this server is a standby", "Connect to the primary.");
  }
  if (!enableFsync || !is_synchronous) {
    refuse(
        ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, "a commit would not be durable",
        "Set synchronous_commit to on or remote_apply, and fsync to on.");
  }
  /* Until the end of the transaction, so that the update waits for no lock on the table. */
  table = table_open(get_relname_relid("factor", get_namespace_oid("otp", false)), RowExclusiveLock);
  if (table->rd_rel->relpersistence != RELPERSISTENCE_PERMANENT) {
    refuse(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, "otp.factor is not logged", "ALTER TABLE otp.factor SET LOGGED");
  }
  name = psprintf(
      UINT64_FORMAT " %u %u %u", GetSystemIdentifier(), GetWALInsertionTimeLine(), MyDatabaseId,
      table->rd_rel->relfilenode);
  table_close(table, NoLock);
  return CStringGetTextDatum(name);
}

static void notice(Datum place) {
  static SPIPlanPtr plan;
  run("UPDATE otp.store SET place = $1, epoch = gen_random_uuid(), lost = greatest(lost, clock_timestamp())"
      " WHERE place <> $1",
      &plan, 1, &place);
}

/* What the functions in SQL call before a change. */
FUNCTION(otp_ready) {
  const Datum here = place();
  SPI_connect();
  notice(here);
  SPI_finish();
  PG_RETURN_DATUM(here);
}

static ExecutorRun_hook_type next_run;
static const EState *whole;
static bool is_held;

/* Remembers which statement was started last, if all of its rows were asked for. */
static void note_run(QueryDesc *query, ScanDirection direction, uint64 count ONCE_PARAMETER) {
  whole = count == 0 ? query->estate : NULL;
  (next_run != NULL ? next_run : standard_ExecutorRun)(query, direction, count ONCE_ARGUMENT);
}

/* Whether the client's statement is SELECT columns FROM this call, and nothing else. In any other, something can fail
 * because of the answer, such as 1 / (answer = 'accepted')::int, so that what was counted is rolled back. */
static bool is_own_statement(FunctionCallInfo fcinfo) {
  const ReturnSetInfo *const caller = (ReturnSetInfo *)fcinfo->resultinfo;
  const QueryDesc *const query = ActivePortal != NULL ? ActivePortal->queryDesc : NULL;
  const FunctionScan *scan;
  const ListCell *cell;
  /* Cursors, EXECUTE and the statements of functions have portals with names. */
  if (caller == NULL || !IsA(caller, ReturnSetInfo) || query == NULL || ActivePortal->name[0] != '\0') return false;
  if (caller->econtext->ecxt_estate != query->estate || query->estate != whole) return false;
  scan = (const FunctionScan *)query->plannedstmt->planTree;
  if (!IsA(scan, FunctionScan) || scan->scan.plan.qual != NIL || list_length(scan->functions) != 1) return false;
  foreach (cell, scan->scan.plan.targetlist) {
    if (!IsA(lfirst_node(TargetEntry, cell)->expr, Var)) return false;
  }
  return true;
}

/* From the answer to the commit, nothing cancels the statement. (An error lets go by itself.) */
static void let_go(XactEvent event, void *unused) {
  if (is_held && event == XACT_EVENT_COMMIT) RESUME_INTERRUPTS();
  if (event == XACT_EVENT_COMMIT || event == XACT_EVENT_ABORT) is_held = false;
}

/* The arguments are the subject, what was typed, the factor, and whether the caller commits before it answers. */
static Datum submit_row(FunctionCallInfo fcinfo, submission what) {
  static SPIPlanPtr reading, writing;
  const bool in_transaction = DatumGetBool(argument(fcinfo, 3));
  Datum values[] = {argument(fcinfo, 0), argument(fcinfo, 2), place(), 0}, found[4];
  otp_answer answer = OTP_ANSWER_INIT;
  bool nulls[4];
  int64 now;
  call call;
  if (in_transaction && !allows_transactions) {
    refuse(
        ERRCODE_INSUFFICIENT_PRIVILEGE, "in_transaction is not allowed",
        "A superuser can allow it: ALTER ROLE ... SET otp_record.allow_in_transaction = on.");
  }
  if (!in_transaction && (IsInTransactionBlock(true) || !is_own_statement(fcinfo))) {
    refuse(
        ERRCODE_ACTIVE_SQL_TRANSACTION, "what is counted could be rolled back after the answer",
        "Make it a statement and a transaction of its own, SELECT ... FROM otp.verify(...), without expressions; or "
        "answer only after the commit, and pass in_transaction => true.");
  }
  if (!in_transaction) PreventInTransactionBlock(true, "otp");
  SPI_connect();
  do {
    run("SELECT s.place = $3, s.epoch, f.epoch = s.epoch, CASE WHEN f.epoch <> s.epoch"
        " THEN otp.record_spend(f.subject, f.record, s.lost, f.factor) ELSE f.record END FROM otp.store s LEFT JOIN"
        " LATERAL (SELECT * FROM otp.factor WHERE subject = $1 AND factor = $2 FOR NO KEY UPDATE) f ON true",
        &reading, 3, values);
    if (SPI_processed != 1) elog(ERROR, "otp_record: otp.store must have one row");
    for (int i = 0; i < 4; i++) {
      found[i] = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, i + 1, &nulls[i]);
    }
    if (!DatumGetBool(found[0])) notice(values[2]);
  } while (!DatumGetBool(found[0]));
  now = time(NULL);
  if (!nulls[3]) {
    const bytea *const record = DatumGetByteaPP(found[3]);
    call = with_room(OTP_RECORD_MAX);
    call.subject = subject_argument(fcinfo, 2);
    call.record = (span){VARDATA_ANY(record), VARSIZE_ANY_EXHDR(record)};
    if (!in_transaction) {
      is_held = true;
      HOLD_INTERRUPTS();
    }
    submit(what, fcinfo, 1, &call, now, &answer);
    values[2] = found[1];
    values[3] = filled(call);
    if ((answer.changed || !DatumGetBool(found[2]))
        && run("UPDATE otp.factor SET epoch = $3, record = $4 WHERE subject = $1 AND factor = $2", &writing, 4, values)
            != 1) {
      elog(ERROR, "otp_record: the record was not replaced");
    }
  }
  SPI_finish();
  return answer_row(fcinfo, nulls[3] ? "none" : NULL, &answer, now, 0);
}

FUNCTION(otp_confirm_row) { return submit_row(fcinfo, CONFIRM); }
FUNCTION(otp_verify_row) { return submit_row(fcinfo, VERIFY); }
FUNCTION(otp_resynchronize_row) { return submit_row(fcinfo, RESYNCHRONIZE); }

/* ---- The start ----------------------------------------------------------------------------------------------------*/

/* Runs at the start and, in each process, when the configuration is reloaded, also if the name is the same. If the file
 * cannot be read, the keys that were there stay. */
static void open_keyring(const char *path, void *unused) {
  otp_keyring *opened = NULL;
  const otp_status status = path[0] == '\0' ? OTP_OK : otp_keyring_open(path, &opened);
  if (status != OTP_OK) {
    /* Once, by the process that all others come from. */
    ereport(
        IsUnderPostmaster ? DEBUG1 : LOG,
        (errmsg("otp_record: the keyring was not read: %s", otp_status_string(status))));
    return;
  }
  otp_keyring_destroy(keyring);
  keyring = opened;
}

PGDLLEXPORT void _PG_init(void);
void _PG_init(void) {
  if (!process_shared_preload_libraries_in_progress) {
    refuse(
        ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, "it is not preloaded",
        "Add otp_record to shared_preload_libraries, and restart the server.");
  }
  /* Before the first fork: backends inherit an initialized libcrypto, the tests' results, and the keys. */
  check(otp_self_test());
  DefineCustomStringVariable(
      "otp_record.keyring", "The file of the keys that seal records.", NULL, &keyring_path, "", PGC_SIGHUP,
      GUC_SUPERUSER_ONLY, NULL, open_keyring, NULL);
  DefineCustomBoolVariable(
      "otp_record.allow_in_transaction", "Whether a code may be submitted in a transaction of the caller's.", NULL,
      &allows_transactions, false, PGC_SUSET, 0, NULL, NULL, NULL);
  MarkGUCPrefixReserved("otp_record");
  next_run = ExecutorRun_hook;
  ExecutorRun_hook = note_run;
  RegisterXactCallback(let_go, NULL);
}
