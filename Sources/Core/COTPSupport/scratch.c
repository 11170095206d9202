#include "otp_scratch.h"

#include "otp_wipe.h"

// Less than a guard page, which is at least a page.
#define STEP_BYTES 1024

__attribute__((noinline)) size_t otp_probe_stack(size_t size) {
  for (size_t done = 0; done < size; done += STEP_BYTES) {
    volatile unsigned char *lowest = __builtin_alloca(STEP_BYTES);
    *lowest = 0;
  }
  // The compiler does not know the size from here on.
  __asm__("" : "+r"(size));
  return size;
}

// Covers the frames of a batch, apart from those of the kernels, which wipe their own.
#define BODY_STACK_BYTES 1024

int otp_with_scratch(int (*body)(void *context, void *scratch), void *context) {
  const size_t size = otp_probe_stack(OTP_SCRATCH_BYTES);
  _Alignas(64) unsigned char scratch[size];
  const int result = body(context, scratch);
  // A request in one of its frames holds a submitted code.
  otp_wipe_stack(BODY_STACK_BYTES);
  return result;
}
