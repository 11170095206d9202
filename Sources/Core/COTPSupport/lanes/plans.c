// The plans of each instruction set, and of the combination of this CPU's kernels.
//
// No list says which kernel is the best for how many codes, since CPUs differ by factors. Three codes of SHA-1 take
// 134 ns side by side by the SHA extensions of a Zen 4, 438 by those of an Emerald Rapids, on which a call for eight in
// AVX-512 takes 319 (Zen 4: 186). 24 codes take 20 % less by a call for 16 and one for 8 than by one for 32 there, and
// a third more on a Zen 5. A list within a tenth of the best would have to know each model, and be wrong about the
// next.

#include "plans.h"

#include "../cpu.h"
#include "../include/otp_once.h"

// clang-format off
#define PLAN(of, slot, ...) \
  [OTP_KERNEL_HASH_##of] = {.hash = OTP_KERNEL_HASH_##of, \
                            .count = sizeof (const lane_kernel *[]){__VA_ARGS__} / sizeof(const lane_kernel *), \
                            .kernels = {__VA_ARGS__}, \
                            .choice = slot}

// A row's plans, with the kernels for each hash; and plans that are measured.
#define PLANS(name, sha1, sha256, sha512) \
  static const otp_lane_plan name[OTP_HASH_COUNT] = { \
      PLAN(SHA1, NULL, sha1), PLAN(SHA256, NULL, sha256), PLAN(SHA512, NULL, sha512)}
#define MEASURED_PLANS(name, sha1, sha256, sha512) \
  static const otp_lane_plan name[OTP_HASH_COUNT] = { \
      PLAN(SHA1, &choices[0], sha1), PLAN(SHA256, &choices[1], sha256), PLAN(SHA512, &choices[2], sha512)}

static _Atomic(const otp_lane_choice *) choices[OTP_HASH_COUNT];

// Kernels, from narrow to wide. First, libcrypto's transforms, for one code.
#if defined(OPENSSL_NO_DEPRECATED_3_0)
#define TRANSFORM(name)
#else
#define TRANSFORM(name) &otp_transform_##name,
#endif
#define PORTABLE(hash, lanes) &otp_portable_##hash##_##lanes,
#define NI(hash) &otp_##hash##_ni, &otp_##hash##_ni_x2, &otp_##hash##_ni_x3, &otp_##hash##_ni_x4,
#define AVX2_SHA1 &otp_avx2_sha1_x8, &otp_avx2_sha1_x16,
#define AVX2_SHA256 &otp_avx2_sha256_x8,
#define AVX2_SHA512 &otp_avx2_sha512_x4, &otp_avx2_sha512_x8,
#define AVX512_SHA1 &otp_avx512_sha1_x8, &otp_avx512_sha1_x16, &otp_avx512_sha1_x32,
#define AVX512_SHA256 &otp_avx512_sha256_x8, &otp_avx512_sha256_x16, &otp_avx512_sha256_x32,
#define AVX512_SHA512 &otp_avx512_sha512_x4, &otp_avx512_sha512_x8, &otp_avx512_sha512_x16,
#define ARM(hash) &otp_arm_##hash##_x1, &otp_arm_##hash##_x2,

// MARK: One instruction set; then all of a CPU's kernels that can be the fastest, by its widest set.

#if !defined(OPENSSL_NO_DEPRECATED_3_0)
PLANS(libcrypto_plans, TRANSFORM(sha1), TRANSFORM(sha256), TRANSFORM(sha512));
#endif
PLANS(portable_plans, PORTABLE(sha1, x4), PORTABLE(sha256, x4), PORTABLE(sha512, x2));
MEASURED_PLANS(portable_combination, TRANSFORM(sha1) PORTABLE(sha1, x4), TRANSFORM(sha256) PORTABLE(sha256, x4),
               TRANSFORM(sha512) PORTABLE(sha512, x2));

#if defined(__x86_64__)

PLANS(sha_ni_plans, NI(sha1), NI(sha256), PORTABLE(sha512, x2));
PLANS(avx2_plans, AVX2_SHA1, AVX2_SHA256, AVX2_SHA512);
PLANS(avx512_plans, AVX512_SHA1, AVX512_SHA256, AVX512_SHA512);

MEASURED_PLANS(sha_ni_combination, NI(sha1), NI(sha256), TRANSFORM(sha512) PORTABLE(sha512, x2));
MEASURED_PLANS(avx2_combination, TRANSFORM(sha1) AVX2_SHA1, TRANSFORM(sha256) AVX2_SHA256,
               TRANSFORM(sha512) AVX2_SHA512);
MEASURED_PLANS(avx2_and_sha_ni_combination, NI(sha1) AVX2_SHA1, NI(sha256) AVX2_SHA256, TRANSFORM(sha512) AVX2_SHA512);
MEASURED_PLANS(avx512_combination, TRANSFORM(sha1) AVX512_SHA1, TRANSFORM(sha256) AVX512_SHA256,
               TRANSFORM(sha512) AVX512_SHA512);
MEASURED_PLANS(avx512_and_sha_ni_combination, NI(sha1) AVX512_SHA1, NI(sha256) AVX512_SHA256,
               TRANSFORM(sha512) AVX512_SHA512);

#endif

#if defined(__AARCH64EL__)

// No kernels of NEON beside these: they were only run under an emulator, and by the latencies that ARM publishes for
// its cores, a code takes less time with these rounds than in a lane.
PLANS(sha_arm_plans, ARM(sha1), ARM(sha256), PORTABLE(sha512, x2));
PLANS(sha512_arm_plans, ARM(sha1), ARM(sha256), ARM(sha512));
MEASURED_PLANS(sha_arm_combination, ARM(sha1), ARM(sha256), TRANSFORM(sha512) PORTABLE(sha512, x2));
MEASURED_PLANS(sha512_arm_combination, ARM(sha1), ARM(sha256), ARM(sha512));

#endif
// clang-format on

// MARK: The table of sets. docs/architecture.md says how to add one.

typedef struct set_row {
  const char *name, *backend_name;
  int (*is_present)(void);
  // Three, one for each hash. NULL if this build lacks the set.
  const otp_lane_plan *plans;
} set_row;

static int always(void) { return 1; }

#if defined(__x86_64__)
#define X86_64(plans) plans
#else
#define X86_64(plans) NULL
#endif
#if defined(__AARCH64EL__)
#define ARM64(plans) plans
#else
#define ARM64(plans) NULL
#endif
#if defined(OPENSSL_NO_DEPRECATED_3_0)
#define LIBCRYPTO NULL
#else
#define LIBCRYPTO libcrypto_plans
#endif

static const set_row sets[OTP_LANE_SET_COUNT] = {
    [OTP_LANES_LIBCRYPTO] = {"libcrypto", "midstate", always, LIBCRYPTO},
    [OTP_LANES_PORTABLE] = {"portable", "lanes-portable", always, portable_plans},
    [OTP_LANES_SHA_NI] = {"sha-ni", "lanes-sha-ni", otp_cpu_has_sha_ni, X86_64(sha_ni_plans)},
    [OTP_LANES_AVX2] = {"avx2", "lanes-avx2", otp_cpu_has_avx2, X86_64(avx2_plans)},
    [OTP_LANES_AVX512] = {"avx512", "lanes-avx512", otp_cpu_has_avx512, X86_64(avx512_plans)},
    [OTP_LANES_SHA_ARM] = {"sha-arm", "lanes-sha-arm", otp_cpu_has_sha_arm, ARM64(sha_arm_plans)},
    [OTP_LANES_SHA512_ARM] = {"sha512-arm", "lanes-sha512-arm", otp_cpu_has_sha512_arm, ARM64(sha512_arm_plans)},
    [OTP_LANES_FASTEST] = {"fastest", "lanes", always, NULL},
};

static const otp_lane_plan *combination(void) {
#if defined(__x86_64__)
  if (otp_cpu_has_avx512()) return otp_cpu_has_sha_ni() ? avx512_and_sha_ni_combination : avx512_combination;
  if (otp_cpu_has_avx2()) return otp_cpu_has_sha_ni() ? avx2_and_sha_ni_combination : avx2_combination;
  if (otp_cpu_has_sha_ni()) return sha_ni_combination;
#elif defined(__AARCH64EL__)
  if (otp_cpu_has_sha512_arm()) return sha512_arm_combination;
  if (otp_cpu_has_sha_arm()) return sha_arm_combination;
#endif
  return portable_combination;
}

static const otp_lane_plan *plans_of(otp_lane_set set) {
  if (set == OTP_LANES_FASTEST) return combination();
  return sets[set].is_present() ? sets[set].plans : NULL;
}

const char *otp_lane_set_name(otp_lane_set set) { return sets[set].name; }

const char *otp_lane_set_backend_name(otp_lane_set set) { return sets[set].backend_name; }

otp_lane_set otp_lanes_widest(void) {
  otp_lane_set widest = OTP_LANES_PORTABLE;
  for (otp_lane_set set = OTP_LANES_PORTABLE; set < OTP_LANES_FASTEST; set++) {
    if (plans_of(set) != NULL) widest = set;
  }
  return widest;
}

const otp_lane_plan *otp_lanes_plan(otp_lane_set set, otp_kernel_hash hash) {
  const otp_lane_plan *plans = plans_of(set);
  return plans == NULL ? NULL : &plans[hash];
}

otp_lane_set otp_lane_plan_set(const otp_lane_plan *plan) {
  for (otp_lane_set set = 0; set < OTP_LANES_FASTEST; set++) {
    if (plan == otp_lanes_plan(set, plan->hash)) return set;
  }
  return OTP_LANES_FASTEST;
}

otp_kernel_hash otp_lane_plan_hash(const otp_lane_plan *plan) { return plan->hash; }

// MARK: Measuring, once in a process. A choice is never written again once it is used.

static int measure(unsigned question) {
  static otp_lane_choice measured[OTP_HASH_COUNT];
  const otp_kernel_hash hash = (otp_kernel_hash)(question - OTP_ONCE_PLANS);
  if (otp_lanes_measure_plan(&combination()[hash], &measured[hash], otp_lanes_clock)) {
    atomic_store_explicit(&choices[hash], &measured[hash], memory_order_release);
  }
  return 1;
}

void otp_lanes_measure(otp_kernel_hash hash) { (void)otp_once(OTP_ONCE_PLANS + hash, measure); }

void otp_lanes_count_codes(const otp_lane_plan *plan, size_t codes) {
  // Threads that count at once may lose some. So many codes take about as long as measuring.
  enum { ENOUGH = 4096 };
  static _Atomic size_t counts[OTP_HASH_COUNT];
  if (plan->choice == NULL) return;
  const size_t count = atomic_load_explicit(&counts[plan->hash], memory_order_relaxed);
  if (count >= ENOUGH) return;
  atomic_store_explicit(&counts[plan->hash], count + codes, memory_order_relaxed);
  if (count + codes >= ENOUGH) otp_lanes_measure(plan->hash);
}
