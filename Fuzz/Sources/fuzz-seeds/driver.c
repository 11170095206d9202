#include <stddef.h>
#include <stdint.h>

void otp_fuzz_seeds(const uint8_t *bytes, ptrdiff_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  otp_fuzz_seeds(bytes, (ptrdiff_t)size);
  return 0;
}
