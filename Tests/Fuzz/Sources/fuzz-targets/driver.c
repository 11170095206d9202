#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

void otp_fuzz(const char *target, const uint8_t *bytes, ptrdiff_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static const char *target;
  if (target == NULL) target = getenv("OTP_FUZZ_TARGET");
  otp_fuzz(target, bytes, (ptrdiff_t)size);
  return 0;
}
