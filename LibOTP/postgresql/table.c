/* The extension's own table. A submission ends the caller's transaction, locks a factor's row, replaces its record and
 * commits, and only then is there an answer: nothing that the caller can do comes between. */
#include "otp_record.h"

#include "access/table.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "libpq/pqsignal.h"
#include "nodes/parsenodes.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/timeout.h"

/* Runs a statement, which each backend prepares once, and returns how many rows it has read or changed. */
static uint64 run(const char *text, SPIPlanPtr *plan, int count, Datum *values) {
  static Oid types[] = {TEXTOID, TEXTOID, TEXTOID, TEXTOID, BYTEAOID};
  if (*plan == NULL) {
    *plan = SPI_prepare(text, count, types);
    if (*plan == NULL || SPI_keepplan(*plan) != 0) elog(ERROR, "otp_record: a statement cannot be prepared");
  }
  if (SPI_execp(*plan, values, NULL, 0) < 0) elog(ERROR, "otp_record: a statement failed");
  return SPI_processed;
}

/* Until the end of the transaction, so that no later statement waits for a lock on the table. */
static Relation locked(const char *name) {
  const Relation table = table_open(get_relname_relid(name, get_namespace_oid("otp", false)), RowExclusiveLock);
  if (table->rd_rel->relpersistence != RELPERSISTENCE_PERMANENT) {
    refuse(
        ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, "a table is not logged",
        "ALTER TABLE otp.factor SET LOGGED, and otp.event.");
  }
  return table;
}

/* Refuses a place where a change would not last. Returns a name of the place: if it is another one than before, the
 * server was promoted, recovered or restored, or the table was, so changes may be lost. */
static Datum place(Oid *owner) {
  const bool is_synchronous =
      synchronous_commit == SYNCHRONOUS_COMMIT_ON || synchronous_commit == SYNCHRONOUS_COMMIT_REMOTE_APPLY;
  if (RecoveryInProgress()) {
    refuse(ERRCODE_READ_ONLY_SQL_TRANSACTION, "this server is a standby", "Connect to the primary.");
  }
  if (!enableFsync || !is_synchronous) {
    refuse(
        ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, "a commit would not be durable",
        "Set synchronous_commit to on or remote_apply, and fsync to on.");
  }
  /* Also if the setting is another one by then. */
  ForceSyncCommit();
  if (has_events) table_close(locked("event"), NoLock);
  const Relation table = locked("factor");
  *owner = table->rd_rel->relowner;
  const char *const name = psprintf(
      UINT64_FORMAT " %u %u %u " UINT64_FORMAT, GetSystemIdentifier(), GetWALInsertionTimeLine(), MyDatabaseId,
      table->rd_rel->relfilenode, restoration);
  table_close(table, NoLock);
  return CStringGetTextDatum(name);
}

/* What the functions in SQL call for a change. */
FUNCTION(otp_place) {
  Oid owner;
  PG_RETURN_DATUM(place(&owner));
}

static void note(Datum subject, Datum factor, const char *kind, const char *reason) {
  static SPIPlanPtr plan;
  Datum values[] = {subject, factor, CStringGetTextDatum(kind), CStringGetTextDatum(reason)};
  if (!has_events) return;
  run("INSERT INTO otp.event (subject, factor, kind, reason) VALUES ($1, $2, $3, $4)", &plan, 4, values);
}

/* What the functions in SQL call after a change. */
FUNCTION(otp_note) {
  SPI_connect();
  note(argument(fcinfo, 0), argument(fcinfo, 1), text_to_cstring(DatumGetTextPP(argument(fcinfo, 2))), "");
  SPI_finish();
  PG_RETURN_VOID();
}

static void note_loss(Datum place) {
  static SPIPlanPtr plan;
  const Datum empty = CStringGetTextDatum("");
  if (run("UPDATE otp.store SET place = $1, epoch = md5(epoch || $1), lost = greatest(lost, clock_timestamp())"
          " WHERE place <> $1",
          &plan, 1, &place)
      == 1) {
    note(empty, empty, "loss noticed", "");
  }
}

/* From the check of a code to the end of the commit, nothing interrupts: what was looked at is counted, also if the
 * commit waits for a standby, when PostgreSQL would only warn that a cancellation has ended the wait. */
static void hold(void) {
  sigset_t cancel;
  sigemptyset(&cancel);
  sigaddset(&cancel, SIGINT);
  sigprocmask(SIG_BLOCK, &cancel, NULL);
  /* One that came before ends the call now, when nothing was looked at. */
  CHECK_FOR_INTERRUPTS();
  HOLD_INTERRUPTS();
}

/* Submits to a factor's row, and replaces its record. False, with nothing done, if a loss must be noted first. The
 * arguments are the subject, what was typed, and the factor. */
static bool submit_row(FunctionCallInfo fcinfo, submission what, Datum place, outcome *outcome) {
  static SPIPlanPtr locking, reading, writing;
  Datum values[] = {argument(fcinfo, 0), argument(fcinfo, 2), place, 0, 0}, found[4] = {0};
  const otp_answer *const answer = &outcome->answer;
  bool is_null;
  /* Which refuses an impossible subject, too. */
  call call = call_for(fcinfo, 2, 0);
  outcome->has_row =
      run("SELECT FROM otp.factor WHERE subject = $1 AND factor = $2 FOR NO KEY UPDATE", &locking, 2, values) == 1;
  if (outcome->has_row) {
    /* As it is now: a loss may have been noted while this waited for the row. */
    if (run("SELECT s.place = $3, s.epoch, f.epoch = s.epoch, CASE f.epoch WHEN s.epoch THEN f.record"
            " ELSE otp.record_spend($1, $2, f.record, s.lost) END"
            " FROM otp.store s, otp.factor f WHERE f.subject = $1 AND f.factor = $2",
            &reading, 3, values)
        != 1) {
      elog(ERROR, "otp_record: otp.store must have one row");
    }
    for (int i = 0; i < 4; i++) {
      found[i] = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, i + 1, &is_null);
    }
    if (!DatumGetBool(found[0])) return false;
    call = call_for(fcinfo, 2, found[3]);
  }
  hold();
  outcome->now = time(NULL);
  if (outcome->has_row) {
    submit(what, fcinfo, &call, outcome);
    values[3] = found[1];
    values[4] = filled(call);
    if ((answer->changed || !DatumGetBool(found[2]))
        && run("UPDATE otp.factor SET epoch = $4, record = $5 WHERE subject = $1 AND factor = $2", &writing, 5, values)
            != 1) {
      elog(ERROR, "otp_record: the record was not replaced");
    }
  }
  const char *kind = "refused", *reason = answer_name(outcome);
  if (answer->reason != OTP_REASON_NONE) reason = otp_reason_string(answer->reason);
  if (answer->kind == OTP_ANSWER_ACCEPTED || answer->kind == OTP_ANSWER_ENROLLED) {
    kind = answer->kind == OTP_ANSWER_ACCEPTED ? "accepted" : "confirmed";
    reason = "";
  }
  note(values[0], values[1], kind, reason);
  return true;
}

typedef struct caller {
  Oid user;
  int security, level;
} caller;

/* A transaction of the extension's owner, who is the caller again before it is committed: if it is aborted, PostgreSQL
 * restores user and settings by itself. */
static caller begin(Datum *where) {
  caller caller;
  Oid owner;
  /* Whatever the session's default is: each statement sees what has been committed by then. */
  XactIsoLevel = XACT_READ_COMMITTED;
  GetUserIdAndSecContext(&caller.user, &caller.security);
  caller.level = NewGUCNestLevel();
  (void)set_config_option(
      "search_path", "pg_catalog, pg_temp", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
  *where = place(&owner);
  SetUserIdAndSecContext(owner, caller.security | SECURITY_LOCAL_USERID_CHANGE);
  return caller;
}

static void commit(caller caller) {
  AtEOXact_GUC(true, caller.level);
  SetUserIdAndSecContext(caller.user, caller.security);
  SPI_commit();
}

static Datum submit_alone(FunctionCallInfo fcinfo, submission what) {
  const CallContext *const context = (const CallContext *)fcinfo->context;
  outcome outcome = {.answer = OTP_ANSWER_INIT};
  if (context == NULL || !IsA(context, CallContext) || context->atomic) {
    refuse(
        ERRCODE_INVALID_TRANSACTION_TERMINATION, "a submission commits by itself", "CALL it outside of transactions.");
  }
  for (int i = 0; i < 3; i++) {
    /* What is stored elsewhere may be gone after a commit. */
    fcinfo->args[i].value = PointerGetDatum(PG_DETOAST_DATUM(argument(fcinfo, i)));
    /* What cannot be interrupted is short: 64 KB at most. */
    if (VARSIZE_ANY(fcinfo->args[i].value) > 1 << 16) check(OTP_INVALID_ARGUMENT);
  }
  SPI_connect_ext(SPI_OPT_NONATOMIC);
  /* Whatever the caller has left fails here, or never. */
  SPI_commit();
  const int wanted = client_min_messages;
  PG_TRY();
  {
    Datum where;
    /* A client that asks for messages, and does not read them, keeps no row locked. */
    client_min_messages = ERROR;
    for (bool is_done = false; !is_done;) {
      caller caller = begin(&where);
      is_done = submit_row(fcinfo, what, where, &outcome);
      commit(caller);
      if (!is_done) {
        caller = begin(&where);
        note_loss(where);
        commit(caller);
      }
    }
    RESUME_INTERRUPTS();
  }
  PG_FINALLY();
  {
    client_min_messages = wanted;
    sigprocmask(SIG_SETMASK, &UnBlockSig, NULL);
  }
  PG_END_TRY();
  /* A cancellation that came meanwhile was late, and is not the next statement's. */
  QueryCancelPending = false;
  (void)get_timeout_indicator(STATEMENT_TIMEOUT, true);
  SPI_finish();
  return answer_row(fcinfo, &outcome);
}

FUNCTION(otp_confirm) { return submit_alone(fcinfo, CONFIRM); }
FUNCTION(otp_verify) { return submit_alone(fcinfo, VERIFY); }
FUNCTION(otp_resynchronize) { return submit_alone(fcinfo, RESYNCHRONIZE); }
