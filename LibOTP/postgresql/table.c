/* The extension's own table: a statement locks a factor's row, submits a code, and replaces the record. */
#include "otp_record.h"

#include "access/parallel.h"
#include "access/table.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "storage/predicate.h"
#include "tcop/pquery.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

/* For pq_flush. Its header needs Kerberos's for members of structures that are not used here. */
#undef ENABLE_GSS
#include "libpq/libpq.h"
#include "libpq/pqsignal.h"

PG_MODULE_MAGIC;

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

const otp_keyring *keys(void) {
  if (keyring == NULL) {
    refuse(
        ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, "there is no keyring",
        "Name a keyring's file in otp_record.keyring, and reload. The server's log says what is wrong with it.");
  }
  return keyring;
}

/* Runs a statement, which each backend prepares once, and returns how many rows it has read or changed. */
static uint64 run(const char *text, SPIPlanPtr *plan, Snapshot snapshot, int count, Datum *values) {
  static Oid types[] = {TEXTOID, TEXTOID, TEXTOID, BYTEAOID};
  if (*plan == NULL) {
    *plan = SPI_prepare(text, count, types);
    if (*plan == NULL || SPI_keepplan(*plan) != 0) elog(ERROR, "otp_record: a statement cannot be prepared");
  }
  if (SPI_execute_snapshot(*plan, values, NULL, snapshot, InvalidSnapshot, false, true, 0) < 0)
    elog(ERROR, "otp_record: a statement failed");
  return SPI_processed;
}

/* Refuses a place where a change would not last. Returns a name of the place: if it is another one than before, the
 * server was promoted or recovered, or the table restored, so changes may be lost. */
static Datum place(void) {
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
  /* Until the end of the transaction, so that the update waits for no lock on the table. */
  const Relation table = table_open(get_relname_relid("factor", get_namespace_oid("otp", false)), RowExclusiveLock);
  if (table->rd_rel->relpersistence != RELPERSISTENCE_PERMANENT) {
    refuse(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, "otp.factor is not logged", "ALTER TABLE otp.factor SET LOGGED");
  }
  const char *const name = psprintf(
      UINT64_FORMAT " %u %u %u", GetSystemIdentifier(), GetWALInsertionTimeLine(), MyDatabaseId,
      table->rd_rel->relfilenode);
  table_close(table, NoLock);
  return CStringGetTextDatum(name);
}

static void notice(Datum place) {
  static SPIPlanPtr plan;
  run("UPDATE otp.store SET place = $1, epoch = gen_random_uuid(), lost = greatest(lost, clock_timestamp())"
      " WHERE place <> $1",
      &plan, InvalidSnapshot, 1, &place);
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
static bool has_run, is_held;

/* Remembers a transaction's first statement, if all of its rows were asked for and no other follows. */
static void note_run(QueryDesc *query, ScanDirection direction, uint64 count ONCE_PARAMETER) {
  whole = count == 0 && !has_run ? query->estate : NULL;
  has_run = true;
  (next_run != NULL ? next_run : standard_ExecutorRun)(query, direction, count ONCE_ARGUMENT);
}

/* Whether an argument is what the client wrote or bound: nothing is called or read for it. */
static bool is_given(const Node *argument) {
  const ListCell *cell;
  while (IsA(argument, RelabelType)) argument = (const Node *)((const RelabelType *)argument)->arg;
  if (IsA(argument, ArrayExpr)) {
    foreach (cell, ((const ArrayExpr *)argument)->elements) {
      if (!is_given(lfirst(cell))) return false;
    }
    return true;
  }
  return IsA(argument, Const) || (IsA(argument, Param) && ((const Param *)argument)->paramkind == PARAM_EXTERN);
}

/* No more columns than this, so that the row waits for the commit in the buffer to the client. */
#define MOST_COLUMNS 16

/* Whether the client's statement is SELECT columns FROM this call, and nothing else. In any other, something can fail
 * because of the answer, such as 1 / (answer = 'accepted')::int, so that what was counted is rolled back. */
static bool is_own_statement(FunctionCallInfo fcinfo) {
  const ReturnSetInfo *const caller = (ReturnSetInfo *)fcinfo->resultinfo;
  const QueryDesc *const query = ActivePortal != NULL ? ActivePortal->queryDesc : NULL;
  const ListCell *cell;
  /* Cursors, EXECUTE and the statements of functions have portals with names. */
  if (caller == NULL || !IsA(caller, ReturnSetInfo) || query == NULL || ActivePortal->name[0] != '\0') return false;
  if (caller->econtext->ecxt_estate != query->estate || query->estate != whole) return false;
  const FunctionScan *const scan = (const FunctionScan *)query->plannedstmt->planTree;
  if (!IsA(scan, FunctionScan) || scan->scan.plan.qual != NIL || list_length(scan->functions) != 1) return false;
  if (list_length(scan->scan.plan.targetlist) > MOST_COLUMNS) return false;
  foreach (cell, scan->scan.plan.targetlist) {
    if (!IsA(lfirst_node(TargetEntry, cell)->expr, Var)) return false;
  }
  const FuncExpr *const called = (const FuncExpr *)linitial_node(RangeTblFunction, scan->functions)->funcexpr;
  if (!IsA(called, FuncExpr)) return false;
  foreach (cell, called->args) {
    if (!is_given(lfirst(cell))) return false;
  }
  /* A function that was called while the statement was planned may have left what fails at the commit: the event of a
   * deferred trigger, after a change for which the transaction got its number, a cursor WITH HOLD, or what is done to
   * temporary tables. */
  return !TransactionIdIsValid(GetTopTransactionIdIfAny()) && ThereAreNoReadyPortals()
      && (MyXactFlags & XACT_FLAGS_ACCESSEDTEMPNAMESPACE) == 0;
}

/* From the answer to the commit, nothing cancels the statement, also while it waits for a standby, when PostgreSQL
 * would only warn. (An error lets go by itself.) */
static void hold(void) {
  sigset_t cancel;
  sigemptyset(&cancel);
  sigaddset(&cancel, SIGINT);
  is_held = true;
  HOLD_INTERRUPTS();
  sigprocmask(SIG_BLOCK, &cancel, NULL);
}

static void let_go(XactEvent event, void *unused) {
  if (is_held && event == XACT_EVENT_COMMIT) {
    RESUME_INTERRUPTS();
    sigprocmask(SIG_SETMASK, &UnBlockSig, NULL);
  }
  if (event <= XACT_EVENT_PREPARE) is_held = has_run = false;
}

/* The arguments are the subject, what was typed, the factor, and whether the caller commits before it answers. */
static Datum submit_row(FunctionCallInfo fcinfo, submission what) {
  static SPIPlanPtr locking, reading, writing;
  const bool in_transaction = DatumGetBool(argument(fcinfo, 3));
  Datum values[] = {argument(fcinfo, 0), argument(fcinfo, 2), place(), 0}, found[4];
  otp_answer answer = OTP_ANSWER_INIT;
  bool has_row, is_null;
  int64 now = 0;
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
  has_row = run("SELECT FROM otp.factor WHERE subject = $1 AND factor = $2 FOR NO KEY UPDATE", &locking,
                InvalidSnapshot, 2, values)
      == 1;
  if (has_row) {
    do {
      /* As it is now, at any isolation level: a loss may have been noted while this waited for the row. */
      if (run("SELECT s.place = $3, s.epoch, f.epoch = s.epoch, CASE WHEN f.epoch <> s.epoch"
              " THEN otp.record_spend(f.subject, f.record, s.lost, f.factor) ELSE f.record END"
              " FROM otp.store s, otp.factor f WHERE f.subject = $1 AND f.factor = $2",
              &reading, GetLatestSnapshot(), 3, values)
          != 1) {
        elog(ERROR, "otp_record: otp.store must have one row");
      }
      for (int i = 0; i < 4; i++) {
        found[i] = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, i + 1, &is_null);
      }
      if (!DatumGetBool(found[0])) notice(values[2]);
    } while (!DatumGetBool(found[0]));
    call = with_room(OTP_RECORD_MAX);
    call.subject = subject_argument(fcinfo, 2);
    call.record = bytes(found[3]);
    if (!in_transaction) {
      /* While the client can still be waited for, so that there is room for the row. */
      if (whereToSendOutput == DestRemote) pq_flush();
      hold();
    }
    now = time(NULL);
    submit(what, fcinfo, 1, &call, now, &answer);
    values[2] = found[1];
    values[3] = filled(call);
    if ((answer.changed || !DatumGetBool(found[2]))
        && run("UPDATE otp.factor SET epoch = $3, record = $4 WHERE subject = $1 AND factor = $2", &writing,
               InvalidSnapshot, 4, values)
            != 1) {
      elog(ERROR, "otp_record: the record was not replaced");
    }
  }
  SPI_finish();
  /* At SERIALIZABLE, what fails at the commit fails here. Afterward, the others of a conflict fail, as with one that is
   * prepared for a two-phase commit. */
  if (!in_transaction) PreCommit_CheckForSerializationFailure();
  return answer_row(fcinfo, has_row ? NULL : "none", &answer, now, 0);
}

FUNCTION(otp_confirm_row) { return submit_row(fcinfo, CONFIRM); }
FUNCTION(otp_verify_row) { return submit_row(fcinfo, VERIFY); }
FUNCTION(otp_resynchronize_row) { return submit_row(fcinfo, RESYNCHRONIZE); }

/* ---- The start ----------------------------------------------------------------------------------------------------*/

/* Runs at the start and, in each process, when the configuration is reloaded, also if the name is the same. If the file
 * cannot be read, the keys that were there stay. */
static void open_keyring(const char *path, void *unused) {
  otp_keyring *opened = NULL;
  /* Its settings are restored; its keys were inherited. */
  if (InitializingParallelWorker) return;
  const otp_status status = path[0] == '\0' ? OTP_OK : otp_keyring_open(path, &opened);
  if (status != OTP_OK) {
    /* By each process that may use the keys, and the one that all others come from. */
    ereport(
        IsUnderPostmaster && !OidIsValid(MyDatabaseId) ? DEBUG1 : LOG,
        (errmsg("otp_record: the keyring was not read: %s", otp_status_string(status))));
    return;
  }
  otp_keyring_destroy(keyring);
  keyring = opened;
}

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
