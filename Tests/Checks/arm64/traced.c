// One verification of each kind, while an emulator lists the instructions that run: they must depend neither on the
// secret nor on the matched step.
//
//   traced HASH SECRET CODE SIDE [LEAK]
//
// HASH is an otp_hash, SECRET 32 hexadecimal digits, CODE six digits, and SIDE the size of both sides of the narrowest
// window. LEAK plants a branch on the secret.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <otp.h>

enum { BYTES = 16, TIME = 1111111111, STEP = TIME / 30, REQUESTS = 9 };

// Stops at the first byte that differs.
__attribute__((noinline)) static int leak(const uint8_t *bytes) {
  int count = 0;
  while (count < BYTES && bytes[count] == count) count++;
  return count;
}

static int verify(otp_hash hash, const uint8_t *secret, const char *code, unsigned narrowest) {
  otp_key *key = NULL;
  int failures = otp_key_create(hash, secret, BYTES, &key) != OTP_OK;
  otp_match match = OTP_MATCH_INIT;
  for (unsigned side = narrowest; side <= 10; side++) {
    const otp_window window = {sizeof window, side, side, 0, 0};
    failures += otp_totp_verify(key, code, 6, TIME, NULL, &window, &match) != OTP_OK;
    failures += otp_totp_verify_secret(hash, secret, BYTES, code, 6, TIME, NULL, &window, &match) != OTP_OK;
    failures += otp_hotp_verify(key, code, 6, STEP - side, 6, 2 * side, &match) != OTP_OK;
  }
  const otp_window window = {sizeof window, narrowest, narrowest, 0, 0};
  otp_request requests[REQUESTS];
  otp_match matches[REQUESTS] = {OTP_MATCH_INIT};
  for (size_t i = 0; i < REQUESTS; i++) {
    requests[i] = (otp_request){sizeof requests[i], OTP_TOTP, key, code, 6, TIME, NULL, &window, 0, 6, 0};
  }
  failures += otp_verify_batch(requests, REQUESTS, matches) != OTP_OK;
  char made[9];
  failures += otp_totp(key, TIME, NULL, made) != OTP_OK;
  otp_key_destroy(key);
  return failures;
}

int main(int argc, char **argv) {
  if (argc < 5 || argc > 6 || strlen(argv[2]) != 2 * BYTES || strlen(argv[3]) != 6) return 64;
  uint8_t secret[BYTES];
  for (size_t i = 0; i < BYTES; i++) {
    const char digits[3] = {argv[2][2 * i], argv[2][2 * i + 1], 0};
    secret[i] = (uint8_t)strtoul(digits, NULL, 16);
  }
  int failures = verify((otp_hash)atoi(argv[1]), secret, argv[3], (unsigned)atoi(argv[4]));
  if (argc == 6) printf("%d bytes\n", leak(secret));
  return failures;
}
