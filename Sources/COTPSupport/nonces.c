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

// The largest page of the architecture: a system's page of this block holds nothing else.
#if defined(__x86_64__)
#define PAGE_BYTES 4096
#else
#define PAGE_BYTES 65536
#endif

// Bytes that were drawn and are not used yet. A child finds zeros here: nothing was drawn, and no thread is at it.
static struct {
  _Alignas(PAGE_BYTES) atomic_flag is_held;
  size_t left;  // The first bytes, which were not used.
  uint8_t bytes[1024];
} drawn;

enum { WIPED_IN_CHILD = 1, KEPT_IN_CHILD };

static int wipe_in_child(unsigned question) {
  (void)question;
  // An emulator may ignore all advice, and say that it follows it.
  if (sysconf(_SC_PAGESIZE) <= PAGE_BYTES && madvise(&drawn, sizeof drawn, -1) != 0
      && madvise(&drawn, sizeof drawn, MADV_WIPEONFORK) == 0) {
    return WIPED_IN_CHILD;
  }
  return KEPT_IN_CHILD;
}

int otp_random_nonce(uint8_t *bytes, size_t size) {
  if (size > sizeof drawn.bytes || otp_once(OTP_ONCE_NONCES, wipe_in_child) != WIPED_IN_CHILD
      || atomic_flag_test_and_set_explicit(&drawn.is_held, memory_order_acquire)) {
    return otp_random_private(bytes, size);
  }
  if (drawn.left < size) {
    drawn.left = otp_random_private(drawn.bytes, sizeof drawn.bytes) ? sizeof drawn.bytes : 0;
  }
  const int is_drawn = drawn.left >= size;
  if (is_drawn) {
    drawn.left -= size;
    memcpy(bytes, drawn.bytes + drawn.left, size);
    otp_wipe(drawn.bytes + drawn.left, size);
  }
  atomic_flag_clear_explicit(&drawn.is_held, memory_order_release);
  return is_drawn;
}

#else

int otp_random_nonce(uint8_t *bytes, size_t size) { return otp_random_private(bytes, size); }

#endif
