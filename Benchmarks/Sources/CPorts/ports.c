#include "ports.h"

#if defined(__x86_64__)

#include <stdint.h>

#define UNROLLED _Pragma("clang loop unroll(full)")

// This many operations of each kind, `parts` times in a loop of `loops`, on registers in turn: when a register is used
// again, its last result has long been available.
#define MIX(name, vector_bytes, target_set, registers, add, logic, rotate)              \
  typedef uint64_t name##_vector __attribute__((vector_size(vector_bytes)));            \
  static inline __attribute__((always_inline, target(target_set))) void name(           \
      size_t loops, size_t parts, size_t additions, size_t logical, size_t rotations) { \
    name##_vector x[registers] = {{0}}, y = {0};                                        \
    _Pragma("clang loop unroll(disable)") for (size_t done = 0; done < loops; done++) { \
      size_t n = 0;                                                                     \
      UNROLLED for (size_t part = 0; part < parts; part++) {                            \
        UNROLLED for (size_t i = 0; i < additions; i++, n++) {                          \
          __asm__ __volatile__(add : "+v"(x[n % registers]) : "v"(y));                  \
        }                                                                               \
        UNROLLED for (size_t i = 0; i < logical; i++, n++) {                            \
          __asm__ __volatile__(logic : "+v"(x[n % registers]) : "v"(y));                \
        }                                                                               \
        UNROLLED for (size_t i = 0; i < rotations; i++, n++) {                          \
          __asm__ __volatile__(rotate : "+v"(x[n % registers]) : "v"(y));               \
        }                                                                               \
      }                                                                                 \
    }                                                                                   \
  }

#define AVX512 "avx512f,avx512vl"
#define TERNARY "vpternlogd $0x96, %1, %1, %0"
MIX(mix_512_32, 64, AVX512, 24, "vpaddd %1, %0, %0", TERNARY, "vprold $5, %0, %0")
MIX(mix_512_64, 64, AVX512, 24, "vpaddq %1, %0, %0", TERNARY, "vprolq $5, %0, %0")
MIX(mix_256_32, 32, "avx2", 12, "vpaddd %1, %0, %0", "vpxor %1, %0, %0", "vpslld $5, %0, %0")
MIX(mix_256_64, 32, "avx2", 12, "vpaddq %1, %0, %0", "vpxor %1, %0, %0", "vpsllq $5, %0, %0")

// Rounds, the schedule's words, and the sums at a block's end. With AVX-512 a function of three operands and a sum of
// three are one operation each.
static __attribute__((noinline, target(AVX512))) void block_512(int hash) {
  switch (hash) {
    case 1:
      mix_512_32(20, 4, 4, 1, 2);
      mix_512_32(16, 4, 0, 2, 1);
      mix_512_32(1, 1, 5, 0, 0);
      break;
    case 256:
      mix_512_32(16, 4, 7, 4, 6);
      mix_512_32(12, 4, 3, 2, 6);
      mix_512_32(1, 1, 8, 0, 0);
      break;
    default:
      mix_512_64(20, 4, 7, 4, 6);
      mix_512_64(16, 4, 3, 2, 6);
      mix_512_64(1, 1, 8, 0, 0);
  }
}

// With AVX2 a rotation is three operations: two shifts and one to combine them. Choice is three operations, majority
// three as well, plus one reused from the round before, and parity two.
static __attribute__((noinline, target("avx2"))) void block_256(int hash) {
  switch (hash) {
    case 1:
      mix_256_32(10, 4, 4, 5, 4);
      mix_256_32(10, 4, 4, 4, 4);
      mix_256_32(16, 4, 0, 4, 2);
      mix_256_32(1, 1, 5, 0, 0);
      break;
    case 256:
      mix_256_32(16, 4, 7, 16, 12);
      mix_256_32(12, 4, 3, 8, 10);
      mix_256_32(1, 1, 8, 0, 0);
      break;
    default:
      mix_256_64(20, 4, 7, 16, 12);
      mix_256_64(16, 4, 3, 8, 10);
      mix_256_64(1, 1, 8, 0, 0);
  }
}

static int has_avx512(void) { return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"); }

size_t ports_lanes(int hash) {
  const size_t word_bytes = hash == 512 ? 8 : 4;
  return (has_avx512() ? 64 : __builtin_cpu_supports("avx2") ? 32 : 0) / word_bytes;
}

void ports_block(int hash) {
  if (has_avx512()) {
    block_512(hash);
  } else {
    block_256(hash);
  }
}

#else

size_t ports_lanes(int hash) {
  (void)hash;
  return 0;
}

void ports_block(int hash) { (void)hash; }

#endif
