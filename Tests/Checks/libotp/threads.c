// 16 threads whose first uses of the library, each with its own key, coincide; then all use one key.

#define _POSIX_C_SOURCE 200809L
#include <pthread.h>

#include "check.h"

enum { THREADS = 16, ROUNDS = 300, BATCH = 33 };

static pthread_barrier_t barrier;
static otp_key *shared;

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
  pthread_barrier_wait(&barrier);
  for (unsigned round = 0; round < ROUNDS; round++) wrong += use(shared, round + number);
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
  return finish("16 threads");
}
