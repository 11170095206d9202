// The plans of each instruction set, and the fastest combination for this CPU.
//
// The figures for CPUs with SHA extensions were measured on an AMD EPYC (Zen 5), partly with prototypes of these
// kernels. For SHA-1, one code takes 45 ns with the extensions, and four side by side take some 30 ns each. One call of
// a vector kernel takes about 160 ns for 8 or 16 lanes of AVX-512, 220 to 260 for 32, and 450 for 16 lanes of AVX2,
// however many of the lanes are used. For SHA-256 these are 60 ns and 42 each, 300 for 8 or 16 lanes and 540 for 32.
// For SHA-512 they are 360 to 390 for 4 or 8 lanes and 670 for 16.
//
// The figures for CPUs with AVX-512 but no SHA extensions, Intel's before Ice Lake, were measured on a Xeon (Cascade
// Lake). For SHA-1, a call of 8, 16 and 32 lanes takes 209, 286 and 599 ns: two streams gain nothing there. For SHA-256
// it takes 470, 645 and 1,256; for SHA-512, 594, 826 and 1,588 for 4, 8 and 16 lanes. A code with libcrypto takes 206,
// 385 and 530. Two streams of AVX2 take 7 to 20 % longer than one on that Xeon, and 13 to 20 % less on that EPYC. The
// resulting choices are in Tests/Checks/lanes/choices.c.

#include "plans.h"

#include <stdatomic.h>

#include "../cpu.h"

#define LAST SIZE_MAX
// After the last of the list: only by measurement. (The second kernel may need to absorb keys.)
#define MEASURED 0

// clang-format off
#define PLANS(name, ...) static const otp_lane_plan name[OTP_HASH_COUNT] = {__VA_ARGS__}
#define PLAN(of, ...) \
  [OTP_KERNEL_HASH_##of] = {.hash = OTP_KERNEL_HASH_##of, \
                            .count = sizeof (plan_step[]){__VA_ARGS__} / sizeof(plan_step), \
                            .steps = {__VA_ARGS__}}

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

// One to three codes, and four at a time as long as that is the best.
#define SHA_NI(hash, most_in_4) \
  {&otp_##hash##_ni, 1}, {&otp_##hash##_ni_x2, 2}, {&otp_##hash##_ni_x3, 3}, {&otp_##hash##_ni_x4, most_in_4}

PLANS(sha_ni_plans,
      PLAN(SHA1, SHA_NI(sha1, LAST)),
      PLAN(SHA256, SHA_NI(sha256, LAST)),
      PLAN(SHA512, {&otp_portable_sha512_x2, LAST}));

PLANS(avx2_plans,
      PLAN(SHA1, {&otp_avx2_sha1_x8, LAST}),
      PLAN(SHA256, {&otp_avx2_sha256_x8, LAST}),
      PLAN(SHA512, {&otp_avx2_sha512_x4, LAST}));

// AVX2 on a CPU with SHA extensions, where they are faster than its vectors.
PLANS(avx2_plans_beside_sha_ni,
      PLAN(SHA1, SHA_NI(sha1, 12), {&otp_avx2_sha1_x16, LAST}),
      PLAN(SHA256, SHA_NI(sha256, LAST)),
      PLAN(SHA512, {&otp_avx2_sha512_x4, 4}, {&otp_avx2_sha512_x8, LAST}));

#define AVX512_SHA1(most_in_16) \
  {&otp_avx512_sha1_x8, 8}, {&otp_avx512_sha1_x16, most_in_16}, {&otp_avx512_sha1_x32, LAST}
#define AVX512_SHA256(most_in_16) \
  {&otp_avx512_sha256_x8, 8}, {&otp_avx512_sha256_x16, most_in_16}, {&otp_avx512_sha256_x32, LAST}
#define AVX512_SHA512(most_in_8) \
  {&otp_avx512_sha512_x4, 4}, {&otp_avx512_sha512_x8, most_in_8}, {&otp_avx512_sha512_x16, LAST}

PLANS(avx512_plans,
      PLAN(SHA1, AVX512_SHA1(16)),
      PLAN(SHA256, AVX512_SHA256(16)),
      PLAN(SHA512, AVX512_SHA512(8)));

// MARK: The combinations: which of a CPU's kernels compete, and which are used for how many codes if this CPU cannot be
// measured.

PLANS(avx2_combination,
      PLAN(SHA1, TRANSFORM(sha1) {&otp_avx2_sha1_x8, LAST}, {&otp_avx2_sha1_x16, MEASURED}),
      PLAN(SHA256, TRANSFORM(sha256) {&otp_avx2_sha256_x8, LAST}),
      PLAN(SHA512, TRANSFORM(sha512) {&otp_avx2_sha512_x4, LAST}, {&otp_avx2_sha512_x8, MEASURED}));

PLANS(avx2_and_sha_ni_combination,
      PLAN(SHA1, SHA_NI(sha1, 12), {&otp_avx2_sha1_x16, LAST}, {&otp_avx2_sha1_x8, MEASURED}),
      PLAN(SHA256, SHA_NI(sha256, LAST), {&otp_avx2_sha256_x8, MEASURED}),
      PLAN(SHA512, TRANSFORM(sha512) {&otp_avx2_sha512_x4, 4}, {&otp_avx2_sha512_x8, LAST}));

PLANS(avx512_combination,
      PLAN(SHA1, TRANSFORM(sha1) {&otp_avx512_sha1_x8, 8}, {&otp_avx512_sha1_x16, LAST},
           {&otp_avx512_sha1_x32, MEASURED}),
      PLAN(SHA256, TRANSFORM(sha256) AVX512_SHA256(24)),
      PLAN(SHA512, TRANSFORM(sha512) AVX512_SHA512(12)));

PLANS(avx512_and_sha_ni_combination,
      PLAN(SHA1, SHA_NI(sha1, 4), AVX512_SHA1(19)),
      PLAN(SHA256, SHA_NI(sha256, 6), AVX512_SHA256(21)),
      PLAN(SHA512, TRANSFORM(sha512) AVX512_SHA512(9)));

PLANS(sha_ni_combination,
      PLAN(SHA1, SHA_NI(sha1, LAST)),
      PLAN(SHA256, SHA_NI(sha256, LAST)),
      PLAN(SHA512, TRANSFORM(sha512) {&otp_portable_sha512_x2, LAST}));

#endif

#if defined(__AARCH64EL__)

// Not measured: they were only run under an emulator. By the latencies that ARM publishes for its cores, a code takes
// less time with these rounds than in a lane of NEON.
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
    [OTP_LANES_FIXED] = {"fixed", "lanes-fixed", always, NULL},
};

static const otp_lane_plan *fixed_plans(void) {
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
#if defined(__x86_64__)
  if (set == OTP_LANES_AVX2 && otp_cpu_has_avx2() && otp_cpu_has_sha_ni()) return avx2_plans_beside_sha_ni;
#endif
  if (set == OTP_LANES_FASTEST || set == OTP_LANES_FIXED) return fixed_plans();
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

// MARK: The plans as measured, once in a process. They are never written again once they are ready.

static otp_lane_plan measured[OTP_HASH_COUNT];
static uint8_t choices[OTP_HASH_COUNT][OTP_MAX_LANES + 1];
static atomic_int is_ready;

static const otp_lane_plan *measured_plan(otp_kernel_hash hash) {
  return atomic_load_explicit(&is_ready, memory_order_acquire) ? &measured[hash] : NULL;
}

void otp_lanes_measure(void) {
  if (measured_plan(OTP_KERNEL_HASH_SHA1) != NULL) return;
  for (otp_kernel_hash hash = 0; hash < OTP_HASH_COUNT; hash++) {
    measured[hash] = fixed_plans()[hash];
    otp_lanes_measure_plan(&measured[hash], choices[hash], otp_lanes_clock);
  }
  atomic_store_explicit(&is_ready, 1, memory_order_release);
}

const otp_lane_plan *otp_lanes_plan(otp_lane_set set, otp_kernel_hash hash) {
  const otp_lane_plan *as_measured = set == OTP_LANES_FASTEST ? measured_plan(hash) : NULL;
  if (as_measured != NULL) return as_measured;
  const otp_lane_plan *plans = plans_of(set);
  return plans == NULL ? NULL : &plans[hash];
}

otp_lane_set otp_lane_plan_set(const otp_lane_plan *plan) {
  // Until it is measured, the fastest combination is the fixed one.
  if (plan == measured_plan(plan->hash)) return OTP_LANES_FASTEST;
  for (otp_lane_set set = 0; set < OTP_LANES_FASTEST; set++) {
    if (plan == otp_lanes_plan(set, plan->hash)) return set;
  }
  return OTP_LANES_FIXED;
}

otp_kernel_hash otp_lane_plan_hash(const otp_lane_plan *plan) { return plan->hash; }
