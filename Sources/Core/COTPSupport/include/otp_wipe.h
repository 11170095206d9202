/// Erasing secrets, and comparing them.

#ifndef OTP_WIPE_H
#define OTP_WIPE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "otp_planted.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Overwrites `size` bytes with zeros. Never optimized away.
void otp_wipe(void *bytes, size_t size);

/// The same for a few bytes on a hot path, without a call: the compiler must assume that the zeros are read.
static inline void otp_wipe_inline(void *bytes, size_t size) {
  if (!OTP_IS_PLANTED(leaves_memory)) memset(bytes, 0, size);
  __asm__ __volatile__("" : : "r"(bytes) : "memory");
}

/// Clears the registers that a call may change, including the vector registers, in which a hash leaves its state. Code
/// that saves registers would write that state to memory; the dynamic linker does so on the first call of a function.
void otp_wipe_registers(void);

#define OTP_STACK_PIECE_BYTES 64

/// Clears those registers, and overwrites the next `depth` bytes of the stack, where the functions called so far may
/// have left key material. A library's temporaries (a message schedule, a spilled register) cannot be reached in any
/// other way. The depth must be a multiple of `OTP_STACK_PIECE_BYTES`.
void otp_wipe_stack(size_t depth);

/// A depth that covers libcrypto's frames and, on a first call, the dynamic linker's, which saves all vector registers.
#define OTP_LIBRARY_STACK_BYTES 8192

/// Depths that cover one of libcrypto's block transforms after its first call, which the known-answer tests make. The
/// one of SHA-512 for AVX2 aligns its frame of some 1,300 bytes to 2 KiB.
#define OTP_SHA512_STACK_BYTES 4096
#define OTP_SHA256_STACK_BYTES 2048

/// 1 if the two regions hold the same bytes, else 0: public, since that is what the caller asks.
///
/// Timing: depends only on `size`.
int otp_equal(const void *a, const void *b, size_t size);

#ifdef __cplusplus
}
#endif

#endif
