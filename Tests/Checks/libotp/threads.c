// 16 threads whose first uses of the library, each with its own key, coincide; then all use one key and one keyring.

#define _POSIX_C_SOURCE 200809L
#include <pthread.h>

#include "check.h"

enum { THREADS = 16, ROUNDS = 300, BATCH = 33, TIME = 1700000000 };

static pthread_barrier_t barrier;
static otp_key *shared;
static otp_keyring *keyring;
static uint8_t record[OTP_RECORD_MAX];
static size_t record_len = sizeof record;

/// The number of a key's wrong results.
static size_t use(const otp_key *key, unsigned round) {
  otp_request requests[BATCH];
  otp_match results[BATCH];
  char code[9];
  const unsigned step = round % 10;
  size_t wrong = otp_hotp(key, step, 6, code) != OTP_OK || strcmp(code, seed_codes[step]) != 0;
  otp_match match = OTP_MATCH_INIT;
  wrong += otp_totp_verify(key, seed_codes[step], 6, 30 * step, NULL, NULL, &match) != OTP_OK
      || match.result != OTP_ACCEPTED || match.step != step;
  for (unsigned i = 0; i < BATCH; i++) {
    requests[i] = (otp_request){.size = sizeof requests[i],
                                .type = OTP_TOTP,
                                .key = key,
                                .code = seed_codes[i % 10],
                                .code_len = 6,
                                .unix_time = 30 * (int64_t)(i % 10)};
  }
  results[0].size = sizeof results[0];
  wrong += otp_verify_batch(requests, BATCH, results) != OTP_OK;
  for (unsigned i = 0; i < BATCH; i++) wrong += results[i].result != OTP_ACCEPTED || results[i].step != i % 10;
  return wrong;
}

static int enroll(void) {
  const otp_named_key named = {sizeof named, "k", 1, (const uint8_t *)"0123456789abcdef0123456789abcdef", 32};
  otp_enrollment enrollment = OTP_ENROLLMENT_INIT;
  enrollment.secret = seed;
  enrollment.secret_len = sizeof seed;
  enrollment.is_confirmed = 1;
  return otp_keyring_create(&named, 1, &keyring) == OTP_OK
      && otp_record_enroll(keyring, "u", 1, &enrollment, NULL, 0, TIME, record, &record_len) == OTP_OK;
}

static int verify_record(void) {
  uint8_t next[OTP_RECORD_MAX];
  size_t len = sizeof next;
  otp_answer answer = OTP_ANSWER_INIT;
  return otp_record_verify(keyring, "u", 1, record, record_len, "000000", 6, TIME, NULL, next, &len, &answer) == OTP_OK
      && answer.reason == OTP_REASON_WRONG;
}

static void *run(void *argument) {
  const unsigned number = *(const unsigned *)argument;
  size_t wrong = 0;
  pthread_barrier_wait(&barrier);
  otp_key *own = NULL;
  if (number % 4 == 1) wrong += otp_self_test() != OTP_OK;
  if (number % 4 == 2) {
    otp_match match = OTP_MATCH_INIT;
    wrong += otp_totp_verify_secret(OTP_SHA1, seed, 20, seed_codes[5], 6, 150, NULL, NULL, &match) != OTP_OK
        || match.result != OTP_ACCEPTED;
  }
  wrong += otp_key_create_with_backend((otp_backend)(number / 4), OTP_SHA1, seed, sizeof seed, &own) != OTP_OK;
  for (unsigned round = 0; round < ROUNDS; round++) wrong += use(own, round + number);
  if (number == 0) shared = seed_key();
  if (number == 1) wrong += !enroll();
  pthread_barrier_wait(&barrier);
  for (unsigned round = 0; round < ROUNDS; round++) wrong += use(shared, round + number) + !verify_record();
  otp_key_destroy(own);
  return (void *)(uintptr_t)wrong;
}

int main(void) {
  pthread_t threads[THREADS];
  unsigned numbers[THREADS];
  expect(pthread_barrier_init(&barrier, NULL, THREADS) == 0);
  for (unsigned i = 0; i < THREADS; i++) {
    numbers[i] = i;
    expect(pthread_create(&threads[i], NULL, run, &numbers[i]) == 0);
  }
  for (unsigned i = 0; i < THREADS; i++) {
    void *wrong = NULL;
    expect(pthread_join(threads[i], &wrong) == 0 && wrong == NULL);
  }
  otp_key_destroy(shared);
  otp_keyring_destroy(keyring);
  return finish("16 threads");
}
