/// Barriers for constant-time code, and the only exit from it.

#ifndef OTP_CONSTANT_TIME_H
#define OTP_CONSTANT_TIME_H

#include <stddef.h>
#include <stdint.h>

#if defined(OTP_CHECKS)
#include <valgrind/memcheck.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// Returns `value`, but hides it from the optimizer, which then cannot turn a mask into a branch.
static inline uint64_t otp_value_barrier(uint64_t value) {
#if !defined(OTP_WITHOUT_BARRIERS)  // MemorySanitizer would consider the result initialized.
  __asm__("" : "+r"(value));
#endif
  return value;
}

#if defined(OTP_CHECKS)
/// How many secret values have been declassified. If a check of the verifier sees none, the taint was lost on the way.
extern unsigned otp_secret_declassifications;
#endif

/// Returns `value`, which is public from here on. A build with OTP_CHECKS tells valgrind so.
static inline uint64_t otp_declassify(uint64_t value) {
#if defined(OTP_CHECKS)
  uint64_t secret_bits = 0;
  (void)VALGRIND_GET_VBITS(&value, &secret_bits, sizeof value);
  otp_secret_declassifications += secret_bits != 0;
  (void)VALGRIND_MAKE_MEM_DEFINED(&value, sizeof value);
#endif
  // In every build, so that the optimizer cannot use what it knows of the secret beyond this point.
  return otp_value_barrier(value);
}

/// The same for bytes in memory.
static inline void otp_declassify_bytes(const void *bytes, size_t size) {
#if defined(OTP_CHECKS)
  (void)VALGRIND_MAKE_MEM_DEFINED(bytes, size);
#else
  (void)bytes;
  (void)size;
#endif
}

#ifdef __cplusplus
}
#endif

#endif
