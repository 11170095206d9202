// The plans of each instruction set, and the fastest combination for this CPU.
//
// Where a plan mixes sets, its numbers were measured on an AMD EPYC of the Zen 5 generation: a SHA-1 code of its own
// instructions costs 40 ns, and one call of a vector kernel 160 ns for 8 or 16 lanes and 210 for 32, whatever number of
// them is used. For SHA-256 these are 45, 295 and 490 ns.

#include "plans.h"

#include "../cpu.h"

#define LAST SIZE_MAX

#define PLANS(name, ...) static const otp_lane_plan name[OTP_HASH_SHA512 + 1] = {__VA_ARGS__}
#define PLAN(of, number, ...) [OTP_HASH_##of] = {OTP_HASH_##of, number, {__VA_ARGS__}}

PLANS(portable_plans,
      PLAN(SHA1, 1, {&otp_portable_sha1_x4, LAST}),
      PLAN(SHA256, 1, {&otp_portable_sha256_x4, LAST}),
      PLAN(SHA512, 1, {&otp_portable_sha512_x2, LAST}));

#if defined(__x86_64__)

PLANS(sha_ni_plans,
      PLAN(SHA1, 1, {&otp_sha1_ni, LAST}),
      PLAN(SHA256, 1, {&otp_sha256_ni, LAST}),
      PLAN(SHA512, 1, {&otp_portable_sha512_x2, LAST}));

PLANS(avx2_plans,
      PLAN(SHA1, 1, {&otp_avx2_sha1_x8, LAST}),
      PLAN(SHA256, 1, {&otp_avx2_sha256_x8, LAST}),
      PLAN(SHA512, 1, {&otp_avx2_sha512_x4, LAST}));

PLANS(avx2_and_sha_ni_plans,
      PLAN(SHA1, 2, {&otp_sha1_ni, 5}, {&otp_avx2_sha1_x8, LAST}),
      PLAN(SHA256, 1, {&otp_sha256_ni, LAST}),
      PLAN(SHA512, 1, {&otp_avx2_sha512_x4, LAST}));

PLANS(avx512_plans,
      PLAN(SHA1, 3, {&otp_avx512_sha1_x8, 8}, {&otp_avx512_sha1_x16, 31}, {&otp_avx512_sha1_x32, LAST}),
      PLAN(SHA256, 3, {&otp_avx512_sha256_x8, 8}, {&otp_avx512_sha256_x16, 31}, {&otp_avx512_sha256_x32, LAST}),
      PLAN(SHA512, 2, {&otp_avx512_sha512_x4, 4}, {&otp_avx512_sha512_x8, LAST}));

PLANS(avx512_and_sha_ni_plans,
      PLAN(SHA1, 4, {&otp_sha1_ni, 3}, {&otp_avx512_sha1_x8, 8}, {&otp_avx512_sha1_x16, 31}, {&otp_avx512_sha1_x32, LAST}),
      PLAN(SHA256, 4, {&otp_sha256_ni, 5}, {&otp_avx512_sha256_x8, 8}, {&otp_avx512_sha256_x16, 31},
           {&otp_avx512_sha256_x32, LAST}),
      PLAN(SHA512, 2, {&otp_avx512_sha512_x4, 4}, {&otp_avx512_sha512_x8, LAST}));

#endif

const char *otp_lane_set_name(otp_lane_set set) {
  switch (set) {
    case OTP_LANES_PORTABLE: return "portable";
    case OTP_LANES_SHA_NI: return "sha-ni";
    case OTP_LANES_AVX2: return "avx2";
    case OTP_LANES_AVX512: return "avx512";
    case OTP_LANES_FASTEST: return "fastest";
  }
  return "";
}

otp_lane_set otp_lanes_widest(void) {
  if (otp_cpu_has_avx512()) return OTP_LANES_AVX512;
  if (otp_cpu_has_avx2()) return OTP_LANES_AVX2;
  return otp_cpu_has_sha_ni() ? OTP_LANES_SHA_NI : OTP_LANES_PORTABLE;
}

static const otp_lane_plan *plans_of(otp_lane_set set) {
  switch (set) {
    case OTP_LANES_PORTABLE: return portable_plans;
#if defined(__x86_64__)
    case OTP_LANES_SHA_NI: return otp_cpu_has_sha_ni() ? sha_ni_plans : NULL;
    case OTP_LANES_AVX2: return otp_cpu_has_avx2() ? avx2_plans : NULL;
    case OTP_LANES_AVX512: return otp_cpu_has_avx512() ? avx512_plans : NULL;
    case OTP_LANES_FASTEST:
      if (otp_cpu_has_avx512()) return otp_cpu_has_sha_ni() ? avx512_and_sha_ni_plans : avx512_plans;
      if (otp_cpu_has_avx2()) return otp_cpu_has_sha_ni() ? avx2_and_sha_ni_plans : avx2_plans;
      return otp_cpu_has_sha_ni() ? sha_ni_plans : portable_plans;
#else
    case OTP_LANES_FASTEST: return portable_plans;
    default: return NULL;
#endif
  }
  return NULL;
}

const otp_lane_plan *otp_lanes_plan(otp_lane_set set, otp_hash hash) {
  const otp_lane_plan *plans = plans_of(set);
  return plans == NULL ? NULL : &plans[hash];
}
