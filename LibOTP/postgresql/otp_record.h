/*
 * Functions of libotp as SQL functions: on a bytea (record.c), and on the extension's own table (table.c).
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

typedef enum submission { CONFIRM, VERIFY, RESYNCHRONIZE } submission;

/* Without a keyring, an error. */
extern const otp_keyring *keys(void);
extern void refuse(int code, const char *what, const char *hint);
extern void check(otp_status status);
extern Datum argument(FunctionCallInfo fcinfo, int index);
extern span bytes(Datum datum);
/* The subject in the first argument and, if there is one, the factor: no text is the same as two with a NUL between. */
extern span subject_argument(FunctionCallInfo fcinfo, int factor_index);
extern call with_room(size_t length);
extern Datum filled(call call);
/* Submits what is in an argument, a text or an array of texts. */
extern void submit(submission what, FunctionCallInfo fcinfo, int index, call *call, int64 now, otp_answer *answer);
/* The columns answer, reason, which only an operator sees, wait_seconds, retry_at, and record, if there is one. */
extern Datum answer_row(FunctionCallInfo fcinfo, const char *none, const otp_answer *answer, int64 now, Datum record);

#endif
