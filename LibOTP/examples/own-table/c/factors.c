#include "factors.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct record {
  uint8_t bytes[OTP_RECORD_MAX];
  size_t length;
} record;

typedef otp_status submit(
    const otp_keyring *, const void *subject, size_t, const uint8_t *record, size_t, const char *typed, size_t,
    int64_t now, const otp_record_policy *, uint8_t *out, size_t *, otp_answer *);

/* What a user asks for: to enroll if `uri` is not NULL, else to submit a code. */
typedef struct request {
  char user[24], subject[32];
  int64_t now;
  char *uri;
  submit *submit;
  const char *typed;
} request;

static int fail(factors *factors, const char *why) {
  snprintf(factors->error, sizeof factors->error, "%.*s", (int)strcspn(why, "\n"), why);
  return -1;
}

int factors_open(factors *factors, const char *database, const otp_keyring *keyring) {
  memset(factors, 0, sizeof *factors);
  factors->keyring = keyring;
  if (strstr(database, "host=") != NULL) {
    factors->postgresql = PQconnectdb(database);
    if (PQstatus(factors->postgresql) == CONNECTION_OK) return 0;
    return fail(factors, PQerrorMessage(factors->postgresql));
  }
  if (sqlite3_open_v2(database, &factors->sqlite, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK
      && sqlite3_busy_timeout(factors->sqlite, 60000) == SQLITE_OK
      && sqlite3_exec(factors->sqlite, "PRAGMA synchronous = EXTRA", NULL, NULL, NULL) == SQLITE_OK) {
    return 0;
  }
  return fail(factors, sqlite3_errmsg(factors->sqlite));
}

void factors_close(factors *factors) {
  PQfinish(factors->postgresql);
  sqlite3_close(factors->sqlite);
}

static int copy(factors *factors, record *to, const void *bytes, int length) {
  if (length < 0 || (size_t)length > sizeof to->bytes) return fail(factors, "not a record");
  if (length > 0) memcpy(to->bytes, bytes, (size_t)length);
  to->length = (size_t)length;
  return 1;
}

/* Runs a statement whose parameters are a new record, if not NULL, a user, and an old record, if not NULL. Returns how
 * many rows it has read, one at most, or changed, or -1 on failure. */
static int run_postgresql(
    factors *factors, const char *statement, const record *new, const char *user, const record *old, record *found) {
  const char *values[3];
  int lengths[3], formats[3], count = 0;
  const record *const records[] = {new, NULL, old};
  for (int i = 0; i < 3; i++) {
    if (i != 1 && records[i] == NULL) continue;
    values[count] = i == 1 ? user : (const char *)records[i]->bytes;
    lengths[count] = i == 1 ? 0 : (int)records[i]->length;
    formats[count++] = i != 1; /* A record is binary. */
  }
  PGresult *result = PQexecParams(factors->postgresql, statement, count, NULL, values, lengths, formats, 1);
  int rows;
  switch (PQresultStatus(result)) {
    case PGRES_TUPLES_OK:
      rows = PQntuples(result);
      if (rows > 0) rows = copy(factors, found, PQgetvalue(result, 0, 0), PQgetlength(result, 0, 0));
      break;
    case PGRES_COMMAND_OK: rows = atoi(PQcmdTuples(result)); break;
    default: rows = fail(factors, PQerrorMessage(factors->postgresql));
  }
  PQclear(result);
  return rows;
}

static int run_sqlite(
    factors *factors, const char *statement, const record *new, const char *user, const record *old, record *found) {
  sqlite3_stmt *prepared = NULL;
  int rows = -1, place = 1, status = sqlite3_prepare_v2(factors->sqlite, statement, -1, &prepared, NULL);
  if (status == SQLITE_OK && new != NULL) {
    status = sqlite3_bind_blob(prepared, place++, new->bytes, (int)new->length, SQLITE_STATIC);
  }
  if (status == SQLITE_OK) status = sqlite3_bind_text(prepared, place++, user, -1, SQLITE_STATIC);
  if (status == SQLITE_OK && old != NULL) {
    status = sqlite3_bind_blob(prepared, place++, old->bytes, (int)old->length, SQLITE_STATIC);
  }
  if (status == SQLITE_OK) status = sqlite3_step(prepared);
  if (status == SQLITE_ROW) {
    rows = copy(factors, found, sqlite3_column_blob(prepared, 0), sqlite3_column_bytes(prepared, 0));
  } else if (status == SQLITE_DONE) {
    rows = sqlite3_stmt_readonly(prepared) ? 0 : sqlite3_changes(factors->sqlite);
  } else {
    fail(factors, sqlite3_errmsg(factors->sqlite));
  }
  sqlite3_finalize(prepared);
  return rows;
}

static int run(
    factors *factors, const char *statement, const record *new, const char *user, const record *old, record *found) {
  return (factors->postgresql != NULL ? run_postgresql : run_sqlite)(factors, statement, new, user, old, found);
}

static otp_status enroll(
    const otp_keyring *keyring, const request *request, const record *old, record *new, otp_answer *answer) {
  const size_t subject_len = strlen(request->subject);
  const otp_status status = otp_record_enroll(
      keyring, request->subject, subject_len, NULL, old->bytes, old->length, request->now, new->bytes, &new->length);
  answer->changed = status == OTP_OK;
  request->uri[0] = '\0';
  if (status == OTP_ENROLLED) return OTP_OK;
  size_t uri_len = OTP_URI_MAX + 1;
  return status != OTP_OK ? status
                          : otp_record_uri(
                                keyring, request->subject, subject_len, new->bytes, new->length, "Example",
                                strlen("Example"), request->user, strlen(request->user), request->uri, &uri_len);
}

/* Replaces the record that was read with the new one, if it is still there; answers only if that succeeded; otherwise
 * reads again. Fails after sixteen refusals of the same record, as in a column that is NULL. */
static int under_the_rule(factors *factors, int64_t user, request request, otp_answer *answer) {
  static const otp_answer none = OTP_ANSWER_INIT;
  *answer = none;
  snprintf(request.user, sizeof request.user, "%" PRId64, user);
  snprintf(request.subject, sizeof request.subject, "user %" PRId64, user);
  record last = {.length = 0};
  for (int refused = 0; refused < 16; refused++) {
    record old, new = {.length = sizeof new.bytes};
    int rows = run(factors, "SELECT otp FROM users WHERE id = $1", NULL, request.user, NULL, &old);
    if (rows != 1) return rows < 0 ? -1 : fail(factors, "no such user");
    if (old.length != last.length || memcmp(old.bytes, last.bytes, old.length) != 0) refused = 0;
    last = old;
    otp_answer found = none;
    const otp_status status = request.uri != NULL
        ? enroll(factors->keyring, &request, &old, &new, &found)
        : request.submit(
              factors->keyring, request.subject, strlen(request.subject), old.bytes, old.length, request.typed,
              strlen(request.typed), request.now, NULL, new.bytes, &new.length, &found);
    if (status != OTP_OK) return fail(factors, otp_status_string(status));
    if (found.changed) {
      rows = run(factors, "UPDATE users SET otp = $1 WHERE id = $2 AND otp = $3", &new, request.user, &old, NULL);
    }
    if (rows < 0) return -1;
    if (rows == 0) continue;
    *answer = found;
    return 0;
  }
  return fail(factors, "the column never equals what was read of it");
}

int factors_enroll(factors *factors, int64_t user, int64_t now, char uri[OTP_URI_MAX + 1]) {
  otp_answer answer;
  const int result = under_the_rule(factors, user, (request){.now = now, .uri = uri}, &answer);
  if (result != 0) memset(uri, 0, OTP_URI_MAX + 1);
  return result;
}

int factors_confirm(factors *factors, int64_t user, const char *typed, int64_t now, otp_answer *answer) {
  const request request = {.now = now, .submit = otp_record_confirm, .typed = typed};
  return under_the_rule(factors, user, request, answer);
}

int factors_sign_in(factors *factors, int64_t user, const char *typed, int64_t now, otp_answer *answer) {
  const request request = {.now = now, .submit = otp_record_verify, .typed = typed};
  return under_the_rule(factors, user, request, answer);
}
