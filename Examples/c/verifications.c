#include <stdlib.h>
#include <string.h>

#include "fields.h"
#include "tests.h"

enum { SECRET_ROOM = 1024, MOST = 10000 };

/* A verification and its expected outcome. The request points to the other members. */
struct verification {
  otp_hash hash;
  uint8_t secret[SECRET_ROOM];
  size_t secret_len;
  otp_totp_params params;
  otp_window window;
  otp_match expected;
  otp_request request;
};

static struct verification *remembered[MOST];
static size_t remembered_count;

static int is_match(const otp_match *found, const otp_match *expected) {
  return found->result == expected->result && found->status == OTP_OK && found->step == expected->step
      && found->offset == expected->offset;
}

static otp_result field_result(const json_t *test, const char **wrong) {
  const char *result = field_answer(test, wrong);
  if (result != NULL && strcmp(result, "accepted") == 0) return OTP_ACCEPTED;
  if (result != NULL && strcmp(result, "replayed") == 0) return OTP_REPLAYED;
  if (result == NULL || strcmp(result, "rejected") != 0) *wrong = "an unknown result";
  return OTP_REJECTED;
}

/* The fields that both kinds share. */
static struct verification *begin(otp_type type, const json_t *group, const json_t *test, const char **wrong) {
  struct verification *it = calloc(1, sizeof *it);
  if (it == NULL) {
    *wrong = "out of memory";
    return NULL;
  }
  it->params = (otp_totp_params)OTP_TOTP_PARAMS_INIT;
  it->window = (otp_window)OTP_WINDOW_INIT;
  it->expected = (otp_match)OTP_MATCH_INIT;
  it->expected.result = field_result(test, wrong);
  it->hash = field_hash(group, wrong);
  it->secret_len = field_bytes(group, "secretHex", it->secret, sizeof it->secret, wrong);
  it->request.size = sizeof it->request;
  it->request.type = type;
  it->request.code = field_text(test, "code", &it->request.code_len, wrong);
  otp_key *key = NULL;
  if (*wrong == NULL && otp_key_create(it->hash, it->secret, it->secret_len, &key) != OTP_OK) *wrong = "no key";
  it->request.key = key;
  return it;
}

/* Remembers a verification for the batch, or drops it if its test is malformed. */
static void end(struct verification *it, const char **wrong) {
  if (*wrong == NULL && remembered_count == MOST) *wrong = "too many verifications";
  if (*wrong == NULL) {
    remembered[remembered_count++] = it;
  } else if (it != NULL) {
    otp_key_destroy((otp_key *)it->request.key);
    free(it);
  }
}

const char *test_verify_totp(const json_t *group, const json_t *test) {
  const char *wrong = NULL;
  struct verification *it = begin(OTP_TOTP, group, test, &wrong);
  if (it == NULL) return wrong;
  const int is_accepted = it->expected.result == OTP_ACCEPTED;
  only_fields(group, "id type reference needs algorithm digits period t0 secretHex tests", "comment", &wrong);
  only_fields(
      test,
      is_accepted ? "id flags code time behind ahead after result step offset"
                  : "id flags code time behind ahead after result",
      "comment needs ours otherStep", &wrong);
  it->params.digits = (unsigned)field_integer(group, "digits", 6, 8, &wrong);
  it->params.period = field_period(group, &wrong);
  it->params.t0 = field_int64(group, "t0", &wrong);
  it->window.behind = (unsigned)field_integer(test, "behind", 0, 10, &wrong);
  it->window.ahead = (unsigned)field_integer(test, "ahead", 0, 10, &wrong);
  it->window.has_after = !json_is_null(json_object_get(test, "after"));
  if (it->window.has_after) it->window.after = field_uint64(test, "after", &wrong);
  if (is_accepted) {
    it->expected.step = field_uint64(test, "step", &wrong);
    it->expected.offset = field_integer(test, "offset", -10, 10, &wrong);
  }
  otp_request *request = &it->request;
  request->unix_time = field_int64(test, "time", &wrong);
  request->params = &it->params;
  request->window = &it->window;

  if (wrong == NULL) {
    otp_match match = OTP_MATCH_INIT, with_secret = OTP_MATCH_INIT;
    if (otp_totp_verify(
            request->key, request->code, request->code_len, request->unix_time, &it->params, &it->window, &match)
            != OTP_OK
        || !is_match(&match, &it->expected)) {
      wrong = "otp_totp_verify: another outcome";
    } else if (
        otp_totp_verify_secret(
            it->hash, it->secret, it->secret_len, request->code, request->code_len, request->unix_time, &it->params,
            &it->window, &with_secret)
            != OTP_OK
        || !is_match(&with_secret, &it->expected)) {
      wrong = "otp_totp_verify_secret: another outcome";
    }
  }
  end(it, &wrong);
  return wrong;
}

const char *test_verify_hotp(const json_t *group, const json_t *test) {
  const char *wrong = NULL;
  struct verification *it = begin(OTP_HOTP, group, test, &wrong);
  if (it == NULL) return wrong;
  const int is_accepted = it->expected.result == OTP_ACCEPTED;
  if (it->expected.result == OTP_REPLAYED) wrong = "an unknown result";
  only_fields(group, "id type reference needs algorithm digits secretHex tests", "comment", &wrong);
  only_fields(
      test, is_accepted ? "id flags code counter lookAhead result matched" : "id flags code counter lookAhead result",
      "comment needs ours", &wrong);
  otp_request *request = &it->request;
  request->digits = (unsigned)field_integer(group, "digits", 6, 8, &wrong);
  request->counter = field_uint64(test, "counter", &wrong);
  request->look_ahead = (unsigned)field_integer(test, "lookAhead", 0, 1000, &wrong);
  if (is_accepted) {
    it->expected.step = field_uint64(test, "matched", &wrong);
    it->expected.offset = (int64_t)(it->expected.step - request->counter);
  }

  otp_match match = OTP_MATCH_INIT;
  if (wrong == NULL
      && (otp_hotp_verify(
              request->key, request->code, request->code_len, request->counter, request->digits, request->look_ahead,
              &match)
              != OTP_OK
          || !is_match(&match, &it->expected))) {
    wrong = "otp_hotp_verify: another outcome";
  }
  end(it, &wrong);
  return wrong;
}

size_t verify_all_at_once(size_t *count) {
  otp_request *requests = calloc(remembered_count + 1, sizeof *requests);
  otp_match *results = calloc(remembered_count + 1, sizeof *results);
  size_t right = 0;
  *count = remembered_count;
  if (requests != NULL && results != NULL) {
    for (size_t i = 0; i < remembered_count; i++) requests[i] = remembered[i]->request;
    results[0].size = sizeof results[0];
    if (otp_verify_batch(requests, remembered_count, results) == OTP_OK) {
      for (size_t i = 0; i < remembered_count; i++) right += is_match(&results[i], &remembered[i]->expected) != 0;
    }
  }
  for (size_t i = 0; i < remembered_count; i++) {
    otp_key_destroy((otp_key *)remembered[i]->request.key);
    free(remembered[i]);
  }
  remembered_count = 0;
  free(requests);
  free(results);
  return right;
}
