// Prints otp_info()'s fields as words, the self-test's status, and a code: for checks on other CPUs.

#include <stdio.h>

#include "check.h"

static const char *result(otp_known_answer found) {
  switch (found) {
    case OTP_KNOWN_ANSWER_PASSED: return "passed";
    case OTP_KNOWN_ANSWER_FAILED: return "failed";
    case OTP_KNOWN_ANSWER_ABSENT: return "absent";
  }
  return "unknown";
}

int main(void) {
  const otp_status tested = otp_self_test();
  otp_library_info info = {.size = sizeof info};
  expect(otp_info(&info) == OTP_OK);
  printf(
      "features=%s set=%s backend=%s lanes=%s midstate=%s evp=%s self-test=%d", info.cpu_features, info.instruction_set,
      info.backend, result(info.lanes), result(info.midstate), result(info.evp), (int)tested);
  otp_key *key = seed_key();
  char code[9] = "none";
  if (key != NULL) expect(otp_hotp(key, 1, 6, code) == OTP_OK);
  printf(" code=%s\n", code);
  otp_key_destroy(key);
  return failed != 0;
}
