// The plans of each instruction set, and the fastest combination for this CPU.
//
// Where a plan mixes sets, its numbers were measured on an AMD EPYC of the Zen 5 generation: a SHA-1 code of its own
// instructions costs 45 ns, and one call of a vector kernel 165 ns for 8 or 16 lanes and 220 for 32, whatever number of
// them is used. For SHA-256 these are 60 and 310 ns, and for SHA-512 390 ns for 4 or 8 lanes, a transform of
// libcrypto's 130.
//
// How many codes by SHA-1 are worth 32 lanes of AVX-512 depends on the CPU. On that EPYC, 20 to 31 codes took 383 ns by
// two calls of 16 lanes and 311 by one of 32; 17 to 19 are 16 lanes and up to three codes by the CPU's own
// instructions. On an Intel Xeon of the Cascade Lake generation, 17 to 31 codes took 645 ns by two calls of 16 lanes
// and 758 by one of 32, and 32 to 256 codes took 6 to 18 % longer by 32 lanes. It stands for the CPUs that have AVX-512
// without the SHA extensions, Intel's before Ice Lake: their plan does without 32 lanes. What all this comes to is in
// Tests/Checks/lanes/choices.c.

#include "plans.h"

#include "../cpu.h"

#define LAST SIZE_MAX

#define PLANS(name, ...) static const otp_lane_plan name[OTP_HASH_COUNT] = {__VA_ARGS__}
#define PLAN(of, ...) \
  [OTP_KERNEL_HASH_##of] = {OTP_KERNEL_HASH_##of, sizeof (plan_step[]){__VA_ARGS__} / sizeof(plan_step), {__VA_ARGS__}}

#if defined(OPENSSL_NO_DEPRECATED_3_0)
#define TRANSFORM(name)
#else
// libcrypto's transforms for one code.
#define TRANSFORM(name) {&otp_transform_##name, 1},
#endif

// MARK: One instruction set.

#if !defined(OPENSSL_NO_DEPRECATED_3_0)
PLANS(libcrypto_plans,
      PLAN(SHA1, {&otp_transform_sha1, LAST}),
      PLAN(SHA256, {&otp_transform_sha256, LAST}),
      PLAN(SHA512, {&otp_transform_sha512, LAST}));
#endif

PLANS(portable_plans,
      PLAN(SHA1, {&otp_portable_sha1_x4, LAST}),
      PLAN(SHA256, {&otp_portable_sha256_x4, LAST}),
      PLAN(SHA512, {&otp_portable_sha512_x2, LAST}));

#if defined(__x86_64__)

PLANS(sha_ni_plans,
      PLAN(SHA1, {&otp_sha1_ni, LAST}),
      PLAN(SHA256, {&otp_sha256_ni, LAST}),
      PLAN(SHA512, {&otp_portable_sha512_x2, LAST}));

PLANS(avx2_plans,
      PLAN(SHA1, {&otp_avx2_sha1_x8, LAST}),
      PLAN(SHA256, {&otp_avx2_sha256_x8, LAST}),
      PLAN(SHA512, {&otp_avx2_sha512_x4, LAST}));

#define AVX512_SHA1(most_in_16) \
  {&otp_avx512_sha1_x8, 8}, {&otp_avx512_sha1_x16, most_in_16}, {&otp_avx512_sha1_x32, LAST}
#define AVX512_SHA256 {&otp_avx512_sha256_x8, 8}, {&otp_avx512_sha256_x16, LAST}
#define AVX512_SHA512 {&otp_avx512_sha512_x4, 4}, {&otp_avx512_sha512_x8, LAST}

PLANS(avx512_plans, PLAN(SHA1, AVX512_SHA1(16)), PLAN(SHA256, AVX512_SHA256), PLAN(SHA512, AVX512_SHA512));

// MARK: The fastest of several.

PLANS(avx2_combination,
      PLAN(SHA1, TRANSFORM(sha1) {&otp_avx2_sha1_x8, LAST}),
      PLAN(SHA256, TRANSFORM(sha256) {&otp_avx2_sha256_x8, LAST}),
      PLAN(SHA512, TRANSFORM(sha512) {&otp_avx2_sha512_x4, LAST}));

PLANS(avx2_and_sha_ni_combination,
      PLAN(SHA1, {&otp_sha1_ni, 5}, {&otp_avx2_sha1_x8, LAST}),
      PLAN(SHA256, {&otp_sha256_ni, LAST}),
      PLAN(SHA512, TRANSFORM(sha512) {&otp_avx2_sha512_x4, LAST}));

PLANS(avx512_combination,
      PLAN(SHA1, TRANSFORM(sha1) {&otp_avx512_sha1_x8, 8}, {&otp_avx512_sha1_x16, LAST}),
      PLAN(SHA256, TRANSFORM(sha256) AVX512_SHA256),
      PLAN(SHA512, TRANSFORM(sha512) AVX512_SHA512));

PLANS(avx512_and_sha_ni_combination,
      PLAN(SHA1, {&otp_sha1_ni, 3}, AVX512_SHA1(19)),
      PLAN(SHA256, {&otp_sha256_ni, 5}, AVX512_SHA256),
      PLAN(SHA512, TRANSFORM(sha512) AVX512_SHA512));

PLANS(sha_ni_combination,
      PLAN(SHA1, {&otp_sha1_ni, LAST}),
      PLAN(SHA256, {&otp_sha256_ni, LAST}),
      PLAN(SHA512, TRANSFORM(sha512) {&otp_portable_sha512_x2, LAST}));

#endif

#if defined(__AARCH64EL__)

// Not measured: they ran under an emulator. By the latencies that ARM publishes for its cores, a code by these rounds
// takes less time than NEON's lanes take for each of theirs.
#define SHA_ARM(hash) {&otp_arm_##hash##_x1, 1}, {&otp_arm_##hash##_x2, LAST}

PLANS(sha_arm_plans,
      PLAN(SHA1, SHA_ARM(sha1)),
      PLAN(SHA256, SHA_ARM(sha256)),
      PLAN(SHA512, {&otp_portable_sha512_x2, LAST}));

PLANS(sha512_arm_plans, PLAN(SHA1, SHA_ARM(sha1)), PLAN(SHA256, SHA_ARM(sha256)), PLAN(SHA512, SHA_ARM(sha512)));

PLANS(sha_arm_combination,
      PLAN(SHA1, SHA_ARM(sha1)),
      PLAN(SHA256, SHA_ARM(sha256)),
      PLAN(SHA512, TRANSFORM(sha512) {&otp_portable_sha512_x2, LAST}));

PLANS(sha512_arm_combination,
      PLAN(SHA1, SHA_ARM(sha1)),
      PLAN(SHA256, SHA_ARM(sha256)),
      PLAN(SHA512, SHA_ARM(sha512)));

#endif

PLANS(portable_combination,
      PLAN(SHA1, TRANSFORM(sha1) {&otp_portable_sha1_x4, LAST}),
      PLAN(SHA256, TRANSFORM(sha256) {&otp_portable_sha256_x4, LAST}),
      PLAN(SHA512, TRANSFORM(sha512) {&otp_portable_sha512_x2, LAST}));

// MARK: The table of sets. CONTRIBUTING.md says how to add one.

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

static const otp_lane_plan *fastest_plans(void) {
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
  if (set == OTP_LANES_FASTEST) return fastest_plans();
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
  otp_lane_set set = 0;
  while (set < OTP_LANES_FASTEST && plan != otp_lanes_plan(set, plan->hash)) set++;
  return set;
}

otp_kernel_hash otp_lane_plan_hash(const otp_lane_plan *plan) { return plan->hash; }
