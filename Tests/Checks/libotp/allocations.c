// Making and verifying codes allocates nothing, right or wrong, counted by this program's own allocator, which the
// library and libcrypto also call.

// The allocation functions, which count.
#define _GNU_SOURCE
#include "../costs/Sources/CAllocations/allocations.c"
#include "call.h"

static int makes_or_verifies(const call *call) {
  static const char *const names[] = {"otp_hotp", "otp_totp", "otp_code", "otp_verify_batch"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (strncmp(call->name, names[i], strlen(names[i])) == 0) return 1;
  }
  return 0;
}

int main(void) {
  word a[MOST_PARAMETERS];
  size_t allocating = 0, quiet = 0;
  prepare_path();
  for (int each = OTP_SHA1; each <= OTP_SHA512; each++) {
    expect(prepare((otp_hash)each));
    for (size_t i = 0; i < CALLS; i++) {
      expect(make(&calls[i]));
      const size_t before = allocation_count();
      for (int round = 0; round < 10; round++) make(&calls[i]);
      const int is_quiet = allocation_count() == before;
      if (makes_or_verifies(&calls[i])) expect(is_quiet);
      quiet += is_quiet;
      allocating += !is_quiet;
    }
    for (size_t i = 0; i < MISTAKES; i++) {
      if (!makes_or_verifies(&calls[mistakes[i].call])) continue;
      set_up_wrong(&mistakes[i], a, 0);
      const size_t before = allocation_count();
      (void)calls[mistakes[i].call].make(a);
      expect(allocation_count() == before);
    }
  }
  // The control: other calls allocate.
  expect(allocating > 20 && quiet > 20);
  return finish("allocations");
}
