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
  __asm__("" : "+r"(value));
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
#if defined(__x86_64__) && defined(__ELF__)
  // And for the proof about machine code: where this is, and the register. Not loaded, and no instruction.
  __asm__("661:\t.pushsection .debug_otp_declassified, \"\", @progbits\n\t.quad 661b\n\t.asciz \"%0\"\n\t.popsection"
          : "+r"(value));
  return value;
#else
  return otp_value_barrier(value);
#endif
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
