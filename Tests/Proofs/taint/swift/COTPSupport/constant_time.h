// In place of otp_constant_time.h: the same barrier, but a declassification that stays visible as a call.

#include <stddef.h>
#include <stdint.h>

static inline uint64_t otp_value_barrier(uint64_t value) {
  __asm__("" : "+r"(value));
  return value;
}

uint64_t otp_declassify(uint64_t value);
void otp_declassify_bytes(const void *bytes, size_t size);
