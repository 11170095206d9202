// Nonces that are drawn in advance: each is wiped as it is used, and a child gets none of its parent's and does not
// wait, whatever its parent's threads were doing, also if a signal handler has forked it amid a draw.

#define _DEFAULT_SOURCE
#include <sys/wait.h>
#include <unistd.h>

#include "otp_wipe.h"

#include "check.h"

/// The child that is forked as a nonce is wiped, if one is; -1 if none was.
static pid_t amid = -1;
static int forks_amid;

static void wipe_and_fork(void *bytes, size_t size) {
  otp_wipe(bytes, size);
  if (forks_amid) amid = fork();
  forks_amid = 0;
}

// The library has its own.
#define otp_random_nonce tested_nonce
#define otp_wipe wipe_and_fork
#include "../../../Sources/COTPSupport/nonces.c"

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
  state.is_held = 1;
  expect(otp_random_nonce(nonces[0], SIZE) == 1 && state.left == left);
  const pid_t child = fork();
  if (child == 0) {
    expect(
        is_zero(&state, sizeof state) && is_zero(&drawn, sizeof drawn) && otp_random_nonce(nonces[1], SIZE) == 1
        && state.left == FRESH);
    _exit(failed);
  }
  expect(child > 0 && waitpid(child, &status, 0) == child && status == 0);
  state.is_held = 0;
  forks_amid = 1;
  memset(nonces[0], 0, SIZE);
  expect(otp_random_nonce(nonces[0], SIZE) == 1 && amid >= 0 && !is_zero(nonces[0], SIZE));
  if (amid == 0) {
    expect(state.left == 0 && !state.is_held);
    expect(otp_random_nonce(nonces[1], SIZE) == 1 && !is_zero(nonces[1], SIZE) && state.left == FRESH);
    _exit(failed);
  }
  expect(state.left == left - SIZE && waitpid(amid, &status, 0) == amid && status == 0);
  return finish("nonces drawn in advance");
}
