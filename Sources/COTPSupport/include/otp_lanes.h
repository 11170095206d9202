/// One-time passwords in lanes: many counters, of one key or of many, side by side in vector registers.
///
/// Everything starts from midstates (see otp_midstate.h), and every code is two blocks: the counter's and the digest's.
/// What differs between machines is how many lanes a register holds and how many of them a CPU overlaps: for each
/// instruction set and hash there are kernels of one or more widths, and a *plan* says which serves how many codes.
///
/// Timing, of every function: depends on the plan, the number of codes and the sizes of texts alone.
///
/// Whatever held key material is wiped on return, the stack and the registers that a kernel used included.

#ifndef OTP_LANES_H
#define OTP_LANES_H

#include <stddef.h>
#include <stdint.h>

#include "otp_hash.h"
#include "otp_midstate.h"

#ifdef __cplusplus
extern "C" {
#endif

/// An instruction set that kernels are written for.
typedef enum otp_lane_set {
  /// 128-bit vectors of whatever the compiler makes of them: SSE2, NEON.
  OTP_LANES_PORTABLE = 0,
  /// The CPU's own SHA-1 and SHA-256 rounds, a code at a time. SHA-512 is as in the portable set.
  OTP_LANES_SHA_NI = 1,
  /// 256-bit vectors.
  OTP_LANES_AVX2 = 2,
  /// 512-bit vectors, and 256-bit ones for a few codes.
  OTP_LANES_AVX512 = 3,
  /// ARMv8's SHA-1 and SHA-256 rounds, one or two codes at a time. SHA-512 is as in the portable set.
  OTP_LANES_SHA_ARM = 4,
  /// The same and ARMv8.2's SHA-512 rounds.
  OTP_LANES_SHA512_ARM = 5,
  /// Of all that this CPU has, what was measured to be the fastest for each number of codes.
  OTP_LANES_FASTEST = 6,
} otp_lane_set;

#define OTP_LANE_SET_COUNT 7

/// The most lanes that a kernel has.
#define OTP_MAX_LANES 32

/// One lane's work: a counter of a key.
typedef struct otp_lane {
  const otp_midstates *key;
  uint64_t counter;
} otp_lane;

/// Which kernel serves how many codes, for one hash.
typedef struct otp_lane_plan otp_lane_plan;

/// The set's name, such as "avx512"; "fastest" is the combination.
const char *otp_lane_set_name(otp_lane_set set);

/// The widest set that this CPU and operating system can run: what `OTP_LANES_FASTEST` uses for many codes.
otp_lane_set otp_lanes_widest(void);

/// The plan of a set for a hash, which lives for ever; NULL where this build, CPU or operating system has not the set.
const otp_lane_plan *otp_lanes_plan(otp_lane_set set, otp_kernel_hash hash);

/// Computes the midstates of a key of any size.
void otp_lanes_prepare(const otp_lane_plan *plan, const uint8_t *secret, size_t size, otp_midstates *midstates);

/// Writes the truncated values (RFC 4226, section 5.3) of `count` consecutive counters of one key; 0 follows 2^64-1.
void otp_lanes_key_values(
    const otp_lane_plan *plan, const otp_midstates *key, uint64_t first, size_t count, uint32_t *values);

/// Writes the truncated values of `count` lanes, each with a key and a counter of its own.
void otp_lanes_values(const otp_lane_plan *plan, const otp_lane *lanes, size_t count, uint32_t *values);

/// Writes the tag of any message: 20, 32 or 64 bytes.
void otp_lanes_message_tag(
    const otp_lane_plan *plan, const otp_midstates *midstates, const uint8_t *message, size_t size, uint8_t *tag);

/// How many kernels the plan has, narrow to wide, and how many codes one computes at once.
size_t otp_lanes_kernel_count(const otp_lane_plan *plan);
size_t otp_lanes_kernel_width(const otp_lane_plan *plan, size_t kernel);

/// As `otp_lanes_key_values` and `otp_lanes_values`, by one kernel of the plan whatever the count: for known-answer
/// tests, which must see every lane of every kernel.
void otp_lanes_kernel_key_values(const otp_lane_plan *plan, size_t kernel, const otp_midstates *key, uint64_t first,
                                 size_t count, uint32_t *values);
void otp_lanes_kernel_values(
    const otp_lane_plan *plan, size_t kernel, const otp_lane *lanes, size_t count, uint32_t *values);

/// The bare compression of one block a lane by one kernel of the plan: what bounds all the rest. `states` holds each
/// state word of every lane, word by word, and `blocks` each message word likewise. Wipes nothing. Returns 1, or 0 for
/// a kernel that makes nothing but codes.
int otp_lanes_compress(const otp_lane_plan *plan, size_t kernel, void *states, const void *blocks);

#ifdef __cplusplus
}
#endif

#endif
