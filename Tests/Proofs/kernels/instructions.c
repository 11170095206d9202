// Executes the instructions whose definitions the proofs use, on random operands, and prints each with its operands and
// its result in hexadecimal: NAME IMMEDIATE OPERAND... = RESULT. The lowest byte is first.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 20261125;

// xorshift64*, as Vigna published it.
static uint64_t next(void) {
  state ^= state >> 12, state ^= state << 25, state ^= state >> 27;
  return state * 0x2545f4914f6cdd1d;
}

static void fill(void *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) ((uint8_t *)bytes)[i] = (uint8_t)(next() >> 56);
}

static void print(const void *bytes, size_t size) {
  putchar(' ');
  for (size_t i = 0; i < size; i++) printf("%02x", ((const uint8_t *)bytes)[i]);
}

#define SHOW(name, immediate, count, result)                         \
  {                                                                  \
    const __typeof__(result) found = result;                         \
    printf("%s %d", name, immediate);                                \
    for (int i = 0; i < (count); i++) print(&v[i], sizeof v[i]);     \
    fputs(" =", stdout), print(&found, sizeof found), putchar('\n'); \
  }

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

__attribute__((target("sha,ssse3"))) static void execute(void) {
  __m128i v[3];
  fill(v, sizeof v);
  SHOW("sha1rnds4", 0, 2, _mm_sha1rnds4_epu32(v[0], v[1], 0))
  SHOW("sha1rnds4", 1, 2, _mm_sha1rnds4_epu32(v[0], v[1], 1))
  SHOW("sha1rnds4", 2, 2, _mm_sha1rnds4_epu32(v[0], v[1], 2))
  SHOW("sha1rnds4", 3, 2, _mm_sha1rnds4_epu32(v[0], v[1], 3))
  SHOW("sha1nexte", -1, 2, _mm_sha1nexte_epu32(v[0], v[1]))
  SHOW("sha1msg1", -1, 2, _mm_sha1msg1_epu32(v[0], v[1]))
  SHOW("sha1msg2", -1, 2, _mm_sha1msg2_epu32(v[0], v[1]))
  SHOW("sha256rnds2", -1, 3, _mm_sha256rnds2_epu32(v[0], v[1], v[2]))
  SHOW("sha256msg1", -1, 2, _mm_sha256msg1_epu32(v[0], v[1]))
  SHOW("sha256msg2", -1, 2, _mm_sha256msg2_epu32(v[0], v[1]))
  SHOW("pshufb", -1, 2, _mm_shuffle_epi8(v[0], v[1]))
}

#define TABLE(table) SHOW("ternary", table, 3, _mm256_ternarylogic_epi32(v[0], v[1], v[2], table))

__attribute__((target("avx512f,avx512vl"))) static void execute_ternary(void) {
  __m256i v[3];
  fill(v, sizeof v);
  TABLE(0xe8) TABLE(0x96) TABLE(0xca) TABLE(0xd8) TABLE(0x01) TABLE(0x10) TABLE(0x80) TABLE(0x37)
}

static void execute_all(int rounds) {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  const int has_sha = __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (ebx >> 29 & 1) != 0;
  const int has_ternary = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl");
  for (int i = 0; i < rounds; i++) {
    if (has_sha) execute();
    if (has_ternary) execute_ternary();
  }
}

#else

#include <arm_neon.h>

__attribute__((target("+sha2"))) static void execute(void) {
  uint32x4_t v[3];
  fill(v, sizeof v);
  SHOW("sha1c", -1, 3, vsha1cq_u32(v[0], vgetq_lane_u32(v[1], 0), v[2]))
  SHOW("sha1p", -1, 3, vsha1pq_u32(v[0], vgetq_lane_u32(v[1], 0), v[2]))
  SHOW("sha1m", -1, 3, vsha1mq_u32(v[0], vgetq_lane_u32(v[1], 0), v[2]))
  SHOW("sha1h", -1, 1, vsha1h_u32(vgetq_lane_u32(v[0], 0)))
  SHOW("sha1su0", -1, 3, vsha1su0q_u32(v[0], v[1], v[2]))
  SHOW("sha1su1", -1, 2, vsha1su1q_u32(v[0], v[1]))
  SHOW("sha256h", -1, 3, vsha256hq_u32(v[0], v[1], v[2]))
  SHOW("sha256h2", -1, 3, vsha256h2q_u32(v[0], v[1], v[2]))
  SHOW("sha256su0", -1, 2, vsha256su0q_u32(v[0], v[1]))
  SHOW("sha256su1", -1, 3, vsha256su1q_u32(v[0], v[1], v[2]))
}

__attribute__((target("+sha3"))) static void execute_wide(void) {
  uint64x2_t v[3];
  fill(v, sizeof v);
  SHOW("sha512h", -1, 3, vsha512hq_u64(v[0], v[1], v[2]))
  SHOW("sha512h2", -1, 3, vsha512h2q_u64(v[0], v[1], v[2]))
  SHOW("sha512su0", -1, 2, vsha512su0q_u64(v[0], v[1]))
  SHOW("sha512su1", -1, 3, vsha512su1q_u64(v[0], v[1], v[2]))
}

static void execute_all(int rounds) {
  for (int i = 0; i < rounds; i++) {
    execute();
    execute_wide();
  }
}

#endif

int main(int count, char **arguments) {
  execute_all(count > 1 ? atoi(arguments[1]) : 100);
  return 0;
}
