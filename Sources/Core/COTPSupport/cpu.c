#include "cpu.h"

#include <stdatomic.h>
#include <stdio.h>

#include "otp_planted.h"
#include "otp_system.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#elif defined(__aarch64__) && defined(__APPLE__)
#include <sys/sysctl.h>
#endif

// MARK: The features, by name.

typedef struct feature {
  const char *name;
  int (*is_present)(void);
} feature;

#define FEATURE(name, answer) \
  static int has_##name(void) { return !OTP_IS_HIDDEN(#name) && (answer); }

#if defined(__x86_64__)

// The SHA extensions, and AVX, which their kernels use to clear registers. `__builtin_cpu_supports` does not know the
// former.
static int asks_for_sha_ni(void) {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (ebx >> 29 & 1) != 0 && __builtin_cpu_supports("avx");
}

FEATURE(sse2, 1)
FEATURE(ssse3, __builtin_cpu_supports("ssse3") != 0)
FEATURE(avx2, __builtin_cpu_supports("avx2") != 0)
FEATURE(avx512f, __builtin_cpu_supports("avx512f") != 0)
FEATURE(avx512vl, __builtin_cpu_supports("avx512vl") != 0)
FEATURE(sha_ni, asks_for_sha_ni())
static const feature features[] = {
    {"sse2", has_sse2},       {"ssse3", has_ssse3},       {"avx2", has_avx2},
    {"avx512f", has_avx512f}, {"avx512vl", has_avx512vl}, {"sha_ni", has_sha_ni},
};

#elif defined(__aarch64__)

#if defined(__linux__)
#define SAYS(capability, name) ((getauxval(AT_HWCAP) & (capability)) != 0)
#elif defined(__APPLE__)
static int says(const char *name) {
  int value = 0;
  size_t size = sizeof value;
  return sysctlbyname(name, &value, &size, NULL, 0) == 0 && value != 0;
}
#define SAYS(capability, name) says("hw.optional.arm.FEAT_" name)
#else
#define SAYS(capability, name) 0
#endif

FEATURE(neon, 1)
FEATURE(sha1, SAYS(HWCAP_SHA1, "SHA1"))
FEATURE(sha2, SAYS(HWCAP_SHA2, "SHA256"))
FEATURE(sha3, SAYS(HWCAP_SHA3, "SHA3"))
FEATURE(sha512, SAYS(HWCAP_SHA512, "SHA512"))
static const feature features[] = {
    {"neon", has_neon}, {"sha1", has_sha1}, {"sha2", has_sha2}, {"sha3", has_sha3}, {"sha512", has_sha512},
};

#else

static const feature features[] = {{"", NULL}};

#endif

// MARK: What the kernels need.

// Found out once per process: under a hypervisor, CPUID takes tens of microseconds. A race is harmless.
typedef enum answer { UNKNOWN, ABSENT, PRESENT } answer;

#define KNOWN(name, found)                                           \
  int otp_cpu_has_##name(void) {                                     \
    static _Atomic answer known = UNKNOWN;                           \
    answer now = atomic_load_explicit(&known, memory_order_relaxed); \
    if (now == UNKNOWN) {                                            \
      now = (found) ? PRESENT : ABSENT;                              \
      atomic_store_explicit(&known, now, memory_order_relaxed);      \
    }                                                                \
    return now == PRESENT;                                           \
  }

#if defined(__x86_64__)
KNOWN(sha_ni, has_sha_ni())
KNOWN(avx2, has_avx2())
KNOWN(avx512, has_avx512f() && has_avx512vl())
#else
int otp_cpu_has_sha_ni(void) { return 0; }
int otp_cpu_has_avx2(void) { return 0; }
int otp_cpu_has_avx512(void) { return 0; }
#endif

#if defined(__AARCH64EL__)
KNOWN(sha_arm, has_sha1() && has_sha2())
KNOWN(sha512_arm, has_sha1() && has_sha2() && has_sha3() && has_sha512())
#else
int otp_cpu_has_sha_arm(void) { return 0; }
int otp_cpu_has_sha512_arm(void) { return 0; }
#endif

size_t otp_cpu_features(char *text, size_t size) {
  size_t length = 0;
  for (size_t i = 0; i < sizeof features / sizeof features[0]; i++) {
    if (features[i].is_present == NULL || !features[i].is_present()) continue;
    const int written = snprintf(text + length, size - length, "%s%s", length == 0 ? "" : ",", features[i].name);
    if (written < 0 || (size_t)written >= size - length) break;
    length += (size_t)written;
  }
  text[length] = 0;
  return length;
}
