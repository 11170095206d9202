/*
 * Runs test vectors through libotp.
 *
 *   vectors FILE...
 *
 * Prints a line for each failure, the number of tests of each kind, and `N passed, M failed`. Anything that it does not
 * understand is a failure, never a skip. otp.h has no function for HMAC by itself: those tests are counted, not run.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "fields.h"
#include "tests.h"

static struct kind {
  const char *name;
  const char *(*test)(const json_t *group, const json_t *test);
  size_t count;
} kinds[] = {
    {"hotp", test_hotp, 0},
    {"totp", test_totp, 0},
    {"verify-hotp", test_verify_hotp, 0},
    {"verify-totp", test_verify_totp, 0},
    {"base32", test_base32, 0},
    {"uri-parse", test_uri_parse, 0},
    {"uri-build", test_uri_build, 0},
    {"uri-round-trip", test_uri_round_trip, 0},
    {"base32-code", test_base32_code, 0},
    {"uri-code", test_uri_code, 0},
    {"record-totp", test_record_totp, 0},
    {"record-hotp", test_record_hotp, 0},
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

static size_t passed, failed, hmac_count;

static void fail(const char *path, size_t group, const json_t *test, const char *what) {
  failed++;
  const int64_t id = json_integer_value(json_object_get(test, "id"));
  printf("FAIL  %s, group %zu, test %" PRId64 ": %s\n", path, group, id, what);
}

/* An id is a positive integer, and no earlier test of the group has it. */
static int is_new_id(const json_t *tests, size_t place) {
  const json_t *id = json_object_get(json_array_get(tests, place), "id");
  if (!json_is_integer(id) || json_integer_value(id) < 1) return 0;
  for (size_t i = 0; i < place; i++) {
    if (json_equal(json_object_get(json_array_get(tests, i), "id"), id)) return 0;
  }
  return 1;
}

static void run_group(const char *path, size_t number, const json_t *group) {
  const char *type = json_string_value(json_object_get(group, "type"));
  const json_t *tests = json_object_get(group, "tests");
  struct kind *kind = NULL;
  for (size_t i = 0; i < KINDS; i++) {
    if (type != NULL && strcmp(type, kinds[i].name) == 0) kind = &kinds[i];
  }
  if (json_array_size(tests) == 0) fail(path, number, NULL, "a group without tests");
  if (type != NULL && strcmp(type, "hmac") == 0) {
    hmac_count += json_array_size(tests);
    return;
  }
  for (size_t i = 0; i < json_array_size(tests); i++) {
    const json_t *test = json_array_get(tests, i);
    const char *wrong = kind == NULL ? "an unknown kind of group" : is_new_id(tests, i) ? NULL : "no id, or one twice";
    if (wrong == NULL) wrong = kind->test(group, test);
    if (kind != NULL) kind->count++;
    if (wrong == NULL) {
      passed++;
    } else {
      fail(path, number, test, wrong);
    }
  }
}

/* Returns the file's JSON, which the caller must release. */
static json_t *run_file(const char *path) {
  json_error_t error;
  /* Texts may contain NUL. */
  json_t *file = json_load_file(path, JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, &error);
  const char *wrong = NULL;
  if (file == NULL) {
    fail(path, 0, NULL, error.text);
    return NULL;
  }
  only_fields(file, "format version source groups", "comment", &wrong);
  const char *format = json_string_value(json_object_get(file, "format"));
  const json_t *groups = json_object_get(file, "groups");
  if (wrong == NULL && (format == NULL || strcmp(format, "otp-vectors/2") != 0)) wrong = "another format";
  if (wrong == NULL && json_array_size(groups) == 0) wrong = "no groups";
  if (wrong != NULL) {
    fail(path, 0, NULL, wrong);
  } else {
    for (size_t i = 0; i < json_array_size(groups); i++) run_group(path, i + 1, json_array_get(groups, i));
  }
  return file;
}

int main(int argc, char **argv) {
  json_t *files = json_array();
  for (int i = 1; i < argc; i++) {
    json_t *file = run_file(argv[i]);
    if (file != NULL) json_array_append_new(files, file);
  }
  size_t count;
  const size_t right = verify_all_at_once(&count);
  json_decref(files);
  /* A test that passed by itself but not in the batch counts as failed. */
  passed -= count - right;
  failed += count - right;

  for (size_t i = 0; i < KINDS; i++) printf("%s %zu\n", kinds[i].name, kinds[i].count);
  printf("hmac %zu, not run\n", hmac_count);
  printf("in one batch %zu, right %zu\n", count, right);
  printf("%zu passed, %zu failed\n", passed, failed);
  return failed == 0 && passed > 0 ? 0 : 1;
}
