/*
 * Reads the fields of groups and tests of a vector file, strictly: what is not as vectors/README.md says is a
 * complaint.
 *
 * The first complaint of a test stays in `*wrong`; the functions then return 0 or NULL.
 */
#ifndef FIELDS_H
#define FIELDS_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>
#include <otp.h>

/* Complains of a field that is neither among the required nor among the optional names (lists with spaces between). */
void only_fields(const json_t *object, const char *required, const char *optional, const char **wrong);

/* A decimal string. */
uint64_t field_uint64(const json_t *object, const char *name, const char **wrong);
int64_t field_int64(const json_t *object, const char *name, const char **wrong);

/* A JSON integer. */
int64_t field_integer(const json_t *object, const char *name, int64_t least, int64_t most, const char **wrong);

/* A text, which may hold NUL. NULL where the field is null. */
const char *field_text(const json_t *object, const char *name, size_t *length, const char **wrong);

/* Hexadecimal bytes. Returns how many. */
size_t field_bytes(const json_t *object, const char *name, uint8_t *out, size_t room, const char **wrong);

otp_hash field_hash(const json_t *object, const char **wrong);

/* A decimal string, 1 to 2^63-1. */
int64_t field_period(const json_t *object, const char **wrong);

/* What the answer must be: `result` or, if that is "acceptable", `ours`, which is what this engine does. */
const char *field_answer(const json_t *test, const char **wrong);

/* Whether the answer must be "valid"; it has to be that or "invalid". */
int field_is_valid(const json_t *object, const char **wrong);

#endif
