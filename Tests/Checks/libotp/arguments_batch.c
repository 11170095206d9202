// Batches with every invalid argument: of the call, which then does nothing, and of one request, whose outcome then
// reports it without any effect on the others.

#include <stdlib.h>

#include "check.h"

enum { MOST = 1000 };

static otp_request totp_request(const otp_key *key, const char *code) {
  otp_request request;
  memset(&request, 0, sizeof request);
  request.size = sizeof request;
  request.type = OTP_TOTP;
  request.key = key;
  request.code = code;
  request.code_len = strlen(code);
  request.unix_time = 150;
  return request;
}

static void calls(const otp_key *key) {
  otp_request requests[2] = {totp_request(key, seed_codes[5]), totp_request(key, seed_codes[4])};
  otp_match results[2] = {marked_match(), marked_match()};
  expect(otp_verify_batch(NULL, 0, NULL) == OTP_OK);
  expect_refused(otp_verify_batch(NULL, 2, results), OTP_INVALID_ARGUMENT, results);
  expect_refused(otp_verify_batch(requests, 2, NULL), OTP_INVALID_ARGUMENT, results);
  static const size_t counts[] = {SIZE_MAX, SIZE_MAX / 2 + 1, SIZE_MAX / 2, SIZE_MAX / sizeof(otp_request)};
  for (size_t i = 0; i < 4; i++) {
    expect_refused(otp_verify_batch(requests, counts[i], results), OTP_INVALID_ARGUMENT, results);
  }
  static const size_t sizes[] = {0, sizeof(otp_match) - 1, 4097, SIZE_MAX};
  for (size_t i = 0; i < 4; i++) {
    results[0].size = sizes[i];
    expect_refused(otp_verify_batch(requests, 2, results), OTP_INVALID_ARGUMENT, results);
    results[0] = marked_match();
  }
  static const size_t request_sizes[] = {0, sizeof(otp_request) - 1, 4097, SIZE_MAX};
  for (size_t i = 0; i < 4; i++) {
    requests[0].size = request_sizes[i];
    expect_refused(otp_verify_batch(requests, 2, results), OTP_INVALID_ARGUMENT, results);
  }
  requests[0].size = sizeof requests[0] + 4;
  expect_refused(otp_verify_batch(requests, 2, results), OTP_INVALID_ARGUMENT, results);
  requests[0].size = sizeof requests[0];
  // The sizes of the results after the first need not be set.
  memset(&results[1], 0, sizeof results[1]);
  expect(otp_verify_batch(requests, 2, results) == OTP_OK);
  expect(results[0].result == OTP_ACCEPTED && results[0].step == 5 && results[0].offset == 0);
  expect(results[1].result == OTP_ACCEPTED && results[1].step == 4 && results[1].offset == -1);
  expect(results[1].size == sizeof results[1] && results[1].status == OTP_OK);
}

/// Puts every mistake, one at a time, between valid requests.
static void mistakes(const otp_key *key) {
  static const otp_totp_params digits = {sizeof digits, 5, 30, 0}, period = {sizeof period, 6, 0, 0},
                               params_size = {1, 6, 30, 0};
  static const otp_window side = {sizeof side, 11, 0, 0, 0}, flag = {sizeof flag, 1, 1, 2, 0}, window_size = {0};
  enum { MISTAKES = 18 };
  for (int mistake = 0; mistake < MISTAKES; mistake++) {
    otp_request requests[9];
    otp_match results[9];
    for (size_t i = 0; i < 9; i++) requests[i] = totp_request(key, seed_codes[5]);
    otp_request *wrong = &requests[4];
    otp_status status = OTP_INVALID_ARGUMENT;
    if (mistake >= 11) {
      wrong->type = OTP_HOTP;
      wrong->counter = 5;
      wrong->digits = 6;
    }
    // clang-format off
    switch (mistake) {
      case 0: wrong->size--; break;
      case 1: wrong->type = (otp_type)0; break;
      case 2: wrong->type = (otp_type)3; break;
      case 3: wrong->key = NULL; break;
      case 4: wrong->code = NULL; break;
      case 5: wrong->code_len = SIZE_MAX; break;
      case 6: wrong->unix_time = -1; status = OTP_TIME_BEFORE_T0; break;
      case 7: wrong->params = &digits; status = OTP_INVALID_DIGITS; break;
      case 8: wrong->params = &period; status = OTP_INVALID_PERIOD; break;
      case 9: wrong->window = &side; status = OTP_INVALID_WINDOW; break;
      case 10: wrong->window = &flag; break;
      case 11: wrong->digits = 9; status = OTP_INVALID_DIGITS; break;
      case 12: wrong->look_ahead = 1001; status = OTP_INVALID_LOOK_AHEAD; break;
      case 13: wrong->key = NULL; break;
      case 14: wrong->code = NULL; break;
      case 15: wrong->type = OTP_TOTP; wrong->params = &params_size; break;
      case 16: wrong->type = OTP_TOTP; wrong->window = &window_size; break;
      // Two mistakes at once: the one that otp_hotp_verify() reports.
      default: wrong->key = NULL; wrong->digits = 9; break;
    }
    // clang-format on
    memset(results, 0xA5, sizeof results);
    results[0].size = sizeof results[0];
    expect(otp_verify_batch(requests, 9, results) == OTP_OK);
    for (size_t i = 0; i < 9; i++) {
      if (i == 4) {
        expect(
            results[i].status == status && results[i].result == OTP_REJECTED && results[i].step == 0
            && results[i].offset == 0 && results[i].size == sizeof results[i]);
      } else {
        expect(results[i].status == OTP_OK && results[i].result == OTP_ACCEPTED && results[i].step == 5);
      }
    }
  }
}

/// Requests as a later version may have them: larger, and zero beyond what this version knows.
static void larger(const otp_key *key) {
  typedef struct {
    otp_request known;
    unsigned char later[24];
  } request;
  typedef struct {
    otp_match known;
    unsigned char later[24];
  } match;
  request requests[5];
  match results[5];
  memset(requests, 0, sizeof requests);
  memset(results, 0xA5, sizeof results);
  for (size_t i = 0; i < 5; i++) {
    requests[i].known = totp_request(key, seed_codes[4 + i % 3]);
    requests[i].known.size = sizeof requests[i];
  }
  requests[3].later[23] = 1;
  results[0].known.size = sizeof results[0];
  expect(otp_verify_batch(&requests[0].known, 5, &results[0].known) == OTP_OK);
  for (size_t i = 0; i < 5; i++) {
    static const unsigned char zero[24];
    expect(results[i].known.size == sizeof results[i] && memcmp(results[i].later, zero, sizeof zero) == 0);
    if (i == 3) {
      expect(results[i].known.status == OTP_INVALID_ARGUMENT && results[i].known.result == OTP_REJECTED);
    } else {
      expect(results[i].known.result == OTP_ACCEPTED && results[i].known.step == 4 + i % 3);
    }
  }
}

/// Batches of every size up to beyond all vector widths, and a large one: each outcome is that of the single function.
static void sizes(void) {
  otp_key *keys[3];
  otp_totp_params params[3];
  for (int i = 0; i < 3; i++) {
    params[i] = (otp_totp_params){sizeof params[i], 6 + (unsigned)i, 30, -7};
    expect(otp_key_create((otp_hash)(OTP_SHA1 + i), seed, sizeof seed, &keys[i]) == OTP_OK);
  }
  otp_request *requests = calloc(MOST, sizeof *requests);
  otp_match *expected = calloc(MOST, sizeof *expected), *results = calloc(MOST, sizeof *results);
  otp_window *windows = calloc(MOST, sizeof *windows);
  char(*codes)[9] = calloc(MOST, sizeof *codes);
  size_t accepted = 0;
  for (size_t i = 0; i < MOST; i++) {
    const int hash = (int)(i * 7 % 3);
    otp_request *request = &requests[i];
    windows[i] = (otp_window){sizeof windows[i], (unsigned)(i % 11), (unsigned)(i / 11 % 11), i % 5 == 0, 40 + i % 7};
    request->size = sizeof *request;
    request->type = i % 4 == 3 ? OTP_HOTP : OTP_TOTP;
    request->key = keys[hash];
    request->code = codes[i];
    request->code_len = params[hash].digits;
    request->unix_time = 30 * 45 - 7 + (int64_t)(i % 30);
    request->params = &params[hash];
    request->window = &windows[i];
    request->counter = 40;
    request->digits = params[hash].digits;
    request->look_ahead = (unsigned)(i % 61);
    expect(otp_hotp(keys[hash], 38 + i % 16, params[hash].digits, codes[i]) == OTP_OK);
    expected[i] = (otp_match)OTP_MATCH_INIT;
    const otp_status status = request->type == OTP_TOTP
        ? otp_totp_verify(
              request->key, request->code, request->code_len, request->unix_time, request->params, request->window,
              &expected[i])
        : otp_hotp_verify(
              request->key, request->code, request->code_len, request->counter, request->digits, request->look_ahead,
              &expected[i]);
    expect(status == OTP_OK);
    accepted += expected[i].result == OTP_ACCEPTED;
  }
  expect(accepted > MOST / 4 && accepted < MOST);
  for (size_t count = 1; count <= MOST; count = count < 70 ? count + 1 : count == 70 ? MOST : MOST + 1) {
    memset(results, 0xA5, MOST * sizeof *results);
    results[0].size = sizeof results[0];
    expect(otp_verify_batch(requests, count, results) == OTP_OK);
    size_t right = 0;
    for (size_t i = 0; i < count; i++) right += memcmp(&results[i], &expected[i], sizeof results[i]) == 0;
    expect(right == count);
  }
  free(requests);
  free(expected);
  free(results);
  free(windows);
  free(codes);
  for (int i = 0; i < 3; i++) otp_key_destroy(keys[i]);
}

int main(void) {
  otp_key *key = seed_key();
  calls(key);
  mistakes(key);
  larger(key);
  sizes();
  otp_key_destroy(key);
  return finish("arguments of batches");
}
