/*
 * Functions of libotp as SQL functions, in three files, each of which calls only those before it: the keys
 * (keyring.c), a record (record.c), and the extension's own table (table.c).
 *
 * An error is raised only when the library has returned. What it writes, a record or a text with a secret, goes
 * straight to the result's memory, which is allocated before the call, so nothing else holds a secret then.
 */
#ifndef OTP_RECORD_H
#define OTP_RECORD_H

#include "postgres.h"

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include <otp.h>
#include <time.h>

/* A function that SQL calls. */
#define FUNCTION(name)       \
  PG_FUNCTION_INFO_V1(name); \
  Datum name(PG_FUNCTION_ARGS)

/* keyring.c. Whether events are recorded, and a number of the base backup that this server was started from, if any. */
extern bool has_events;
extern uint64 restoration;
/* Without a keyring, an error. */
extern const otp_keyring *keys(void);
extern void refuse(int code, const char *what, const char *hint);
extern void check(otp_status status);

/* record.c. Bytes that someone else owns. */
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

typedef enum submission { CONFIRM, VERIFY, RESYNCHRONIZE } submission;

/* Without a factor's row, the answer is "none". */
typedef struct outcome {
  bool has_row;
  int64 now;
  otp_answer answer;
} outcome;

extern Datum argument(FunctionCallInfo fcinfo, int index);
/* A call for the subject in the first argument and the factor in another one, and for the record, if there is one. */
extern call call_for(FunctionCallInfo fcinfo, int factor_index, Datum record);
extern Datum filled(call call);
/* Submits what is in the second argument, a text or an array of texts. */
extern void submit(submission what, FunctionCallInfo fcinfo, call *call, outcome *outcome);
extern const char *answer_name(const outcome *outcome);
/* The columns answer, reason, which only an operator sees, wait_seconds and retry_at. */
extern Datum answer_row(FunctionCallInfo fcinfo, const outcome *outcome);

#endif
