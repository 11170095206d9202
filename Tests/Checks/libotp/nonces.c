// Nonces that are drawn in advance: each is wiped as it is used, and a child gets none of its parent's and does not
// wait, whatever its parent's threads were doing.

#define _DEFAULT_SOURCE
// The library has its own.
#define otp_random_nonce tested_nonce
#include "../../../Sources/COTPSupport/nonces.c"

#include <sys/wait.h>

#include "check.h"

enum { SIZE = 24, FRESH = sizeof drawn.bytes - SIZE };

static int is_zero(const void *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) {
    if (((const uint8_t *)bytes)[i] != 0) return 0;
  }
  return 1;
}

int main(void) {
  uint8_t nonces[100][SIZE];
  int status = -1;
  for (int i = 0; i < 100; i++) {
    expect(otp_random_nonce(nonces[i], SIZE) == 1);
    expect(is_zero(drawn.bytes + state.left, sizeof drawn.bytes - state.left));
    for (int j = 0; j < i; j++) expect(memcmp(nonces[i], nonces[j], SIZE) != 0);
  }
  const size_t left = state.left;
  expect(left > 0 && left < FRESH && !is_zero(drawn.bytes, left));
  // As if another thread was there.
  (void)atomic_flag_test_and_set(&state.is_held);
  expect(otp_random_nonce(nonces[0], SIZE) == 1 && state.left == left);
  const pid_t child = fork();
  if (child == 0) {
    expect(
        is_zero(&state, sizeof state) && is_zero(&drawn, sizeof drawn) && otp_random_nonce(nonces[1], SIZE) == 1
        && state.left == FRESH);
    _exit(failed);
  }
  expect(child > 0 && waitpid(child, &status, 0) == child && status == 0);
  return finish("nonces drawn in advance");
}
