/* Users' second factors, each in the column otp of its user's row, which is empty without one. */
#ifndef FACTORS_H
#define FACTORS_H

#include <libpq-fe.h>
#include <otp.h>
#include <sqlite3.h>
#include <stdint.h>

/* The factors in a database, by one connection: for one thread at a time. */
typedef struct factors {
  const otp_keyring *keyring;
  PGconn *postgresql; /* one of the two */
  sqlite3 *sqlite;
  char error[256]; /* why the last function failed, for the log */
} factors;

/* Connects. database: a connection string of PostgreSQL, or the path of an SQLite file. Returns 0, or -1 on failure;
 * close it in both cases. */
int factors_open(factors *factors, const char *database, const otp_keyring *keyring);
void factors_close(factors *factors);

/* Each of these returns 0, or -1 on failure: nothing was accepted. now: in seconds since 1970. */

/* Writes the key URI of a new factor, for a QR code; an empty one if the user has a factor. Wipe it after use. */
int factors_enroll(factors *factors, int64_t user, int64_t now, char uri[OTP_URI_MAX + 1]);

/* Confirms the enrollment by a code, which is spent. */
int factors_confirm(factors *factors, int64_t user, const char *typed, int64_t now, otp_answer *answer);

/* Verifies a code, after the right password. Give the client the answer's kind and until, and log its reason. */
int factors_sign_in(factors *factors, int64_t user, const char *typed, int64_t now, otp_answer *answer);

#endif
