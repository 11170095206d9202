/* One function for each kind of test in vectors/. Each returns NULL if the test passes, else what is wrong. */
#ifndef TESTS_H
#define TESTS_H

#include <stddef.h>

#include <jansson.h>

/* codes.c */
const char *test_hotp(const json_t *group, const json_t *test);
const char *test_totp(const json_t *group, const json_t *test);

/* texts.c */
const char *test_base32(const json_t *group, const json_t *test);
const char *test_uri_parse(const json_t *group, const json_t *test);
const char *test_uri_build(const json_t *group, const json_t *test);
const char *test_uri_round_trip(const json_t *group, const json_t *test);

/* texts_to_codes.c */
const char *test_base32_code(const json_t *group, const json_t *test);
const char *test_uri_code(const json_t *group, const json_t *test);

/* records.c */
const char *test_record_totp(const json_t *group, const json_t *test);
const char *test_record_hotp(const json_t *group, const json_t *test);

/*
 * verifications.c. These also remember their verifications for one batch of all, so keep the JSON until then.
 */
const char *test_verify_totp(const json_t *group, const json_t *test);
const char *test_verify_hotp(const json_t *group, const json_t *test);

/*
 * Verifies everything remembered in one call. Returns the number of right outcomes, and writes the number of all
 * outcomes to `*count`.
 */
size_t verify_all_at_once(size_t *count);

#endif
