// A kernel: one call does the work of as many lanes as it is wide.

#ifndef OTP_LANES_KERNEL_H
#define OTP_LANES_KERNEL_H

#include <openssl/opensslconf.h>

#include "../include/otp_lanes.h"

typedef struct lane_kernel {
  size_t width;
  // How much stack to wipe after it: its own frame and, if it calls a library's function, the dynamic linker's.
  size_t stack_bytes;
  // Consecutive counters of one key. Writes `width` values.
  void (*key_values)(const otp_midstates *key, uint64_t first, uint32_t *values);
  // A key and a counter for each lane. Reads `width` lanes, writes as many values.
  void (*lane_values)(const otp_lane *lanes, uint32_t *values);
  // Compresses one block per lane: `states` has the first state word of every lane, then the second, and so on;
  // `blocks` has the message words likewise. Wipes nothing.
  void (*compress)(void *states, const void *blocks);
  // The midstates of a key that is padded to a block. NULL if `compress` is as fast.
  void (*absorb_key)(const uint8_t *padded_key, otp_midstates *midstates);
} lane_kernel;

#if !defined(OPENSSL_NO_DEPRECATED_3_0)
extern const lane_kernel otp_transform_sha1, otp_transform_sha256, otp_transform_sha512;
#endif
extern const lane_kernel otp_portable_sha1_x4, otp_portable_sha256_x4, otp_portable_sha512_x2;
#if defined(__x86_64__)
extern const lane_kernel otp_sha1_ni, otp_sha1_ni_x2, otp_sha1_ni_x3, otp_sha1_ni_x4;
extern const lane_kernel otp_sha256_ni, otp_sha256_ni_x2, otp_sha256_ni_x3, otp_sha256_ni_x4;
extern const lane_kernel otp_avx2_sha1_x8, otp_avx2_sha1_x16, otp_avx2_sha256_x8;
extern const lane_kernel otp_avx2_sha512_x4, otp_avx2_sha512_x8;
extern const lane_kernel otp_avx512_sha1_x8, otp_avx512_sha1_x16, otp_avx512_sha1_x32;
extern const lane_kernel otp_avx512_sha256_x8, otp_avx512_sha256_x16, otp_avx512_sha256_x32;
extern const lane_kernel otp_avx512_sha512_x4, otp_avx512_sha512_x8, otp_avx512_sha512_x16;
#endif
#if defined(__AARCH64EL__)
extern const lane_kernel otp_arm_sha1_x1, otp_arm_sha1_x2, otp_arm_sha256_x1, otp_arm_sha256_x2;
extern const lane_kernel otp_arm_sha512_x1, otp_arm_sha512_x2;
#endif

#endif
