// Compares the models of the SHA extensions with the instructions themselves, on a CPU that has them. With
// SHA_BY_MODELS defined, it only stands for such a CPU: the extensions, and this CPU's other features.

#include "cpu.h"
#include "sha_models.h"

#if defined(SHA_BY_MODELS)

int otp_cpu_has_sha_ni(void) { return 1; }
int otp_cpu_has_avx2(void) { return __builtin_cpu_supports("avx2") != 0; }
int otp_cpu_has_avx512(void) { return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"); }
int otp_cpu_has_sha_arm(void) { return 0; }
int otp_cpu_has_sha512_arm(void) { return 0; }

#else

#include <stdio.h>
#include <string.h>

#include "random.h"

static size_t failures;

static void expect(__m128i model, __m128i instruction, const char *name) {
  if (memcmp(&model, &instruction, sizeof model) == 0) return;
  if (failures++ < 10) printf("models: %s differs from the instruction\n", name);
}

__attribute__((target("sha"))) static void compare(__m128i x, __m128i y, __m128i z) {
  expect(model_sha1rnds4(x, y, 0), _mm_sha1rnds4_epu32(x, y, 0), "sha1rnds4, 0");
  expect(model_sha1rnds4(x, y, 1), _mm_sha1rnds4_epu32(x, y, 1), "sha1rnds4, 1");
  expect(model_sha1rnds4(x, y, 2), _mm_sha1rnds4_epu32(x, y, 2), "sha1rnds4, 2");
  expect(model_sha1rnds4(x, y, 3), _mm_sha1rnds4_epu32(x, y, 3), "sha1rnds4, 3");
  expect(model_sha1nexte(x, y), _mm_sha1nexte_epu32(x, y), "sha1nexte");
  expect(model_sha1msg1(x, y), _mm_sha1msg1_epu32(x, y), "sha1msg1");
  expect(model_sha1msg2(x, y), _mm_sha1msg2_epu32(x, y), "sha1msg2");
  expect(model_sha256rnds2(x, y, z), _mm_sha256rnds2_epu32(x, y, z), "sha256rnds2");
  expect(model_sha256msg1(x, y), _mm_sha256msg1_epu32(x, y), "sha256msg1");
  expect(model_sha256msg2(x, y), _mm_sha256msg2_epu32(x, y), "sha256msg2");
}

int main(void) {
  if (!otp_cpu_has_sha_ni()) {
    puts("models: this CPU lacks the SHA extensions; the models are checked only against OpenSSL's results");
    return 0;
  }
  uint64_t random = 20261122;
  for (int i = 0; i < 100000; i++) {
    __m128i operands[3];
    fill_random(&random, (uint8_t *)operands, sizeof operands);
    compare(operands[0], operands[1], operands[2]);
  }
  printf("models: 100000 random operands of each instruction: %zu differ\n", failures);
  return failures != 0;
}

#endif
