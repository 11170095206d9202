#include "otp_constant_time.h"
#include "otp_wipe.h"

#include <openssl/crypto.h>
#include <string.h>

void otp_wipe(void *bytes, size_t size) {
  if (!OTP_IS_PLANTED(leaves_memory)) OPENSSL_cleanse(bytes, size);
}

#if defined(__has_attribute)
#if __has_attribute(zero_call_used_regs)
#define ZERO_GENERAL_REGISTERS __attribute__((zero_call_used_regs("all-gpr")))
#endif
#endif
#if !defined(ZERO_GENERAL_REGISTERS)
#define ZERO_GENERAL_REGISTERS
#endif

#if defined(__x86_64__)

#define CLEAR(number) "pxor %%xmm" #number ", %%xmm" #number "\n\t"
#define CLEAR_WIDE(number) "vpxord %%zmm" #number ", %%zmm" #number ", %%zmm" #number "\n\t"
// clang-format off
#define LOW(clear) \
  clear(0) clear(1) clear(2) clear(3) clear(4) clear(5) clear(6) clear(7) clear(8) clear(9) clear(10) clear(11) \
  clear(12) clear(13) clear(14) clear(15)
#define HIGH(clear) \
  clear(16) clear(17) clear(18) clear(19) clear(20) clear(21) clear(22) clear(23) clear(24) clear(25) clear(26) \
  clear(27) clear(28) clear(29) clear(30) clear(31)

// Each register over its whole width: libc copies memory with the widest that the CPU has.
static void wipe_vector_registers(void) {
  if (__builtin_cpu_supports("avx512f")) __asm__ __volatile__(HIGH(CLEAR_WIDE) : : : "memory");
  if (__builtin_cpu_supports("avx")) {
    __asm__ __volatile__("vzeroall" : : : "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
                         "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
  } else {
    __asm__ __volatile__(LOW(CLEAR) : : : "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
                         "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
  }
}

// clang-format on

#elif defined(__aarch64__)

#define CLEAR(number) "movi v" #number ".2d, #0\n\t"
#define CLEAR_HIGH(number) "mov v" #number ".d[1], xzr\n\t"

// A call preserves only the low halves of v8 to v15, so only their high halves are cleared.
static void wipe_vector_registers(void) {
  __asm__ __volatile__(CLEAR(0) CLEAR(1) CLEAR(2) CLEAR(3) CLEAR(4) CLEAR(5) CLEAR(6) CLEAR(7) CLEAR(16) CLEAR(17)
                           CLEAR(18) CLEAR(19) CLEAR(20) CLEAR(21) CLEAR(22) CLEAR(23) CLEAR(24) CLEAR(25) CLEAR(26)
                               CLEAR(27) CLEAR(28) CLEAR(29) CLEAR(30) CLEAR(31) CLEAR_HIGH(8) CLEAR_HIGH(9)
                                   CLEAR_HIGH(10) CLEAR_HIGH(11) CLEAR_HIGH(12) CLEAR_HIGH(13) CLEAR_HIGH(14)
                                       CLEAR_HIGH(15)
                       :
                       :
                       : "memory", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18", "v19", "v20",
                         "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31");
}

#else

static void wipe_vector_registers(void) {}

#endif

__attribute__((noinline)) ZERO_GENERAL_REGISTERS void otp_wipe_registers(void) {
  if (!OTP_IS_PLANTED(leaves_stack)) wipe_vector_registers();
}

// In pieces: a call of memset for several kilobytes takes several times as long.
static inline void wipe_pieces(unsigned char *bytes, size_t size) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) {
    for (size_t i = 0; i < size; i += OTP_STACK_PIECE_BYTES) {
      __asm__ __volatile__("vpxord %%zmm31, %%zmm31, %%zmm31\n\tvmovdqu64 %%zmm31, (%0)" : : "r"(bytes + i) : "memory");
    }
    return;
  }
#endif
  for (size_t i = 0; i < size; i += OTP_STACK_PIECE_BYTES) otp_wipe_inline(bytes + i, OTP_STACK_PIECE_BYTES);
}

// Less than a guard page, which is at least a page, by more than the rest of a frame.
#define STEP_BYTES 3072

// Not inlined: its frame must start where those of its caller's earlier callees did. Registers first, since wiping
// memory may be a call.
__attribute__((noinline)) void otp_wipe_stack(size_t depth) {
  if (OTP_IS_PLANTED(leaves_stack)) return;
  otp_wipe_registers();
  // In adjacent steps from the top, so that a guard page is hit and not skipped.
  while (depth > 0) {
    const size_t step = depth < STEP_BYTES ? depth : STEP_BYTES;
    wipe_pieces(__builtin_alloca(step), step);
    depth -= step;
  }
}

int otp_equal(const void *a, const void *b, size_t size) {
  uint64_t difference = 0;
  // libcrypto compares one byte at a time.
  for (; size >= 8; size -= 8, a = (const uint8_t *)a + 8, b = (const uint8_t *)b + 8) {
    uint64_t left, right;
    memcpy(&left, a, 8);
    memcpy(&right, b, 8);
    // Else the compiler may end at the first difference.
    difference = otp_value_barrier(difference | (left ^ right));
  }
  return (int)otp_declassify((difference == 0) & (CRYPTO_memcmp(a, b, size) == 0));
}
