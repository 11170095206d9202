#include "cpu.h"

#include <stdatomic.h>
#include <stdio.h>

#include "otp_system.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

#if defined(__x86_64__)

// The SHA extensions, and AVX, which their kernels clear registers by. Compilers' own look-up does not know the former.
// The instruction is asked once a process: under a hypervisor it takes tens of microseconds.
int otp_cpu_has_sha_ni(void) {
  enum { UNKNOWN, ABSENT, PRESENT };
  static _Atomic int known = UNKNOWN;
  int answer = atomic_load_explicit(&known, memory_order_relaxed);
  if (answer == UNKNOWN) {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    const int has = __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (ebx >> 29 & 1) != 0;
    answer = has && __builtin_cpu_supports("avx") ? PRESENT : ABSENT;
    atomic_store_explicit(&known, answer, memory_order_relaxed);
  }
  return answer == PRESENT;
}

int otp_cpu_has_avx2(void) { return __builtin_cpu_supports("avx2") != 0; }

int otp_cpu_has_avx512(void) { return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"); }

#else

int otp_cpu_has_sha_ni(void) { return 0; }
int otp_cpu_has_avx2(void) { return 0; }
int otp_cpu_has_avx512(void) { return 0; }

#endif

typedef struct feature {
  const char *name;
  int present;
} feature;

size_t otp_cpu_features(char *text, size_t size) {
#if defined(__x86_64__)
  const feature features[] = {
      {"sse2", 1},
      {"ssse3", __builtin_cpu_supports("ssse3") != 0},
      {"avx2", otp_cpu_has_avx2()},
      {"avx512f", __builtin_cpu_supports("avx512f") != 0},
      {"avx512vl", __builtin_cpu_supports("avx512vl") != 0},
      {"sha_ni", otp_cpu_has_sha_ni()},
  };
#elif defined(__aarch64__) && defined(__linux__)
  const unsigned long capabilities = getauxval(AT_HWCAP);
  const feature features[] = {
      {"neon", 1},
      {"sha1", (capabilities & HWCAP_SHA1) != 0},
      {"sha2", (capabilities & HWCAP_SHA2) != 0},
      {"sha512", (capabilities & HWCAP_SHA512) != 0},
  };
#else
  const feature features[] = {{"", 0}};
#endif
  size_t length = 0;
  for (size_t i = 0; i < sizeof features / sizeof features[0]; i++) {
    if (!features[i].present) continue;
    const int written = snprintf(text + length, size - length, "%s%s", length == 0 ? "" : ",", features[i].name);
    if (written < 0 || (size_t)written >= size - length) break;
    length += (size_t)written;
  }
  text[length] = 0;
  return length;
}
