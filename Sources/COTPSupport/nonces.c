#if defined(__linux__)
#define _GNU_SOURCE
#endif

#include "otp_once.h"
#include "otp_system.h"
#include "otp_wipe.h"

#include <stdatomic.h>
#include <unistd.h>

#include <sys/mman.h>

#if defined(MADV_WIPEONFORK)

// The largest page of the architecture: a system's page holds one of the two below, and nothing else.
#if defined(__x86_64__)
#define PAGE_BYTES 4096
#else
#define PAGE_BYTES 65536
#endif

// A child finds zeros in both: nothing was drawn, and no thread is here. (Two, since only the bytes are secret.)
static struct {
  _Alignas(PAGE_BYTES) atomic_int is_held;
  size_t left;  // How many of the first bytes were drawn and are not used yet.
} state;
static struct {
  _Alignas(PAGE_BYTES) uint8_t bytes[1024];
} drawn;

enum { WIPED_IN_CHILD = 1, KEPT_IN_CHILD };

static int wipe_in_child(unsigned question) {
  (void)question;
  // An emulator may ignore all advice, and say that it follows it.
  const int is_wiped = sysconf(_SC_PAGESIZE) <= PAGE_BYTES && madvise(&state, sizeof state, -1) != 0
      && madvise(&state, sizeof state, MADV_WIPEONFORK) == 0 && madvise(&drawn, sizeof drawn, MADV_WIPEONFORK) == 0;
  return is_wiped ? WIPED_IN_CHILD : KEPT_IN_CHILD;
}

int otp_random_nonce(uint8_t *bytes, size_t size) {
  if (size > sizeof drawn.bytes || otp_once(OTP_ONCE_NONCES, wipe_in_child) != WIPED_IN_CHILD
      || atomic_exchange_explicit(&state.is_held, 1, memory_order_acquire)) {
    return otp_random_private(bytes, size);
  }
  size_t left = state.left;
  if (left < size) left = otp_random_private(drawn.bytes, sizeof drawn.bytes) ? sizeof drawn.bytes : 0;
  const int is_drawn = left >= size;
  if (is_drawn) {
    left -= size;
    memcpy(bytes, drawn.bytes + left, size);
    otp_wipe(drawn.bytes + left, size);
  }
  state.left = left;
  if (atomic_exchange_explicit(&state.is_held, 0, memory_order_acq_rel)) return is_drawn;
  // A signal handler has forked, and this is the child: what was copied may be the zeros that it found.
  state.left = 0;
  return otp_random_private(bytes, size);
}

#else

int otp_random_nonce(uint8_t *bytes, size_t size) { return otp_random_private(bytes, size); }

#endif
