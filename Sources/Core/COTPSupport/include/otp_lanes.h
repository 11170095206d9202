/// One-time passwords in lanes: many counters, of one key or of many, side by side in vector registers.
///
/// The inner and outer pads of HMAC (RFC 2104, section 2) each fill one block, so the state after each of them, its
/// *midstate*, is a constant of the key. A one-time password's message has 8 bytes, so its tag takes two blocks from
/// the midstates: that of the counter and that of the digest.
///
/// Machines differ in how many lanes a register holds and how many registers' worth a CPU can overlap. For each
/// instruction set and hash there are kernels of one or more widths, and a *plan* says which kernel is used for how
/// many codes.
///
/// Timing, of every function: depends only on the plan, the number of codes and the sizes of texts.
///
/// All memory that held key material is wiped on return, including the stack and the registers that a kernel used.

#ifndef OTP_LANES_H
#define OTP_LANES_H

#include <stddef.h>
#include <stdint.h>

#include "otp_hash.h"

#ifdef __cplusplus
extern "C" {
#endif

/// An instruction set that kernels are written for: a row of the table in plans.c, from narrow to wide.
typedef enum otp_lane_set {
  /// libcrypto's own block transforms, one code at a time. OpenSSL 3 deprecates them; a build without its deprecated
  /// functions (`OPENSSL_NO_DEPRECATED_3_0`) lacks this set.
  OTP_LANES_LIBCRYPTO,
  /// 128-bit vectors, for which the compiler chooses the instructions: SSE2, NEON.
  OTP_LANES_PORTABLE,
  /// The SHA extensions of x86-64: the CPU's own SHA-1 and SHA-256 rounds, for up to four codes at a time.
  /// SHA-512 is as in the portable set.
  OTP_LANES_SHA_NI,
  /// 256-bit vectors.
  OTP_LANES_AVX2,
  /// 512-bit vectors, and 256-bit ones for small numbers of codes.
  OTP_LANES_AVX512,
  /// ARMv8's SHA-1 and SHA-256 rounds, for one or two codes at a time. SHA-512 is as in the portable set.
  OTP_LANES_SHA_ARM,
  /// The same, and ARMv8.2's SHA-512 rounds.
  OTP_LANES_SHA512_ARM,
  /// All of this CPU's kernels, of which `otp_lanes_measure` finds the fastest combination for each number of codes.
  OTP_LANES_FASTEST,
} otp_lane_set;

#define OTP_LANE_SET_COUNT 8

/// The most lanes that a kernel has.
#define OTP_MAX_LANES 32

/// A key's midstates: eight words of the inner one, then eight of the outer one, each word of the hash's size and in
/// native byte order (for SHA-1, the last three of each eight are 0). A hash with 32-bit words uses only the first 64
/// bytes, and memory for it may end there.
typedef union otp_midstates {
  uint32_t words_32[16];
  uint64_t words_64[16];
} otp_midstates;

/// One lane's work: a counter of a key.
typedef struct otp_lane {
  const otp_midstates *key;
  uint64_t counter;
} otp_lane;

/// Which kernel is used for how many codes, for one set and hash.
typedef struct otp_lane_plan otp_lane_plan;

/// The set's name, such as "avx512", or "fastest" for the combination.
const char *otp_lane_set_name(otp_lane_set set);

/// The name of the backend that uses the set, such as "lanes-avx512".
const char *otp_lane_set_backend_name(otp_lane_set set);

/// The widest set that this CPU and operating system can run: what `OTP_LANES_FASTEST` uses for many codes.
otp_lane_set otp_lanes_widest(void);

/// Times the kernels of OTP_LANES_FASTEST for a hash, once in a process, some 0.2 ms, and changes its plan to the
/// fastest calls. It may be in use by other threads. Until then, and if the clock or the machine is too irregular, each
/// number of codes takes one call of the narrowest kernel that has the lanes.
///
/// The choice depends on nothing but time, and on no key.
void otp_lanes_measure(otp_kernel_hash hash);

/// The plan of a set for a hash, in static memory; NULL if this build, CPU or operating system lacks the set.
const otp_lane_plan *otp_lanes_plan(otp_lane_set set, otp_kernel_hash hash);

/// Counts codes that are about to be computed. If the plan is one of OTP_LANES_FASTEST, it is measured after some
/// thousands: a short process would lose by it.
void otp_lanes_count_codes(const otp_lane_plan *plan, size_t codes);

/// The set and the hash of a plan.
otp_lane_set otp_lane_plan_set(const otp_lane_plan *plan);
otp_kernel_hash otp_lane_plan_hash(const otp_lane_plan *plan);

/// Computes the midstates of a key of any size.
void otp_lanes_prepare(const otp_lane_plan *plan, const uint8_t *secret, size_t size, otp_midstates *midstates);

/// Writes the truncated values (RFC 4226, section 5.3) of `count` consecutive counters of one key, wrapping from 2^64-1
/// to 0.
void otp_lanes_key_values(
    const otp_lane_plan *plan, const otp_midstates *key, uint64_t first, size_t count, uint32_t *values);

/// Writes the truncated values of `count` lanes, each with a key and a counter of its own.
void otp_lanes_values(const otp_lane_plan *plan, const otp_lane *lanes, size_t count, uint32_t *values);

/// Writes the tag of any message: 20, 32 or 64 bytes.
void otp_lanes_message_tag(
    const otp_lane_plan *plan, const otp_midstates *midstates, const uint8_t *message, size_t size, uint8_t *tag);

/// How long a call of a kernel takes, in picoseconds, 0 if it was not measured; and which kernel comes next if this
/// many codes are left.
uint64_t otp_lanes_kernel_picoseconds(const otp_lane_plan *plan, size_t kernel);
size_t otp_lanes_kernel_for(const otp_lane_plan *plan, size_t left);

/// How many kernels the plan has, from narrow to wide, and how many codes one of them computes at once.
size_t otp_lanes_kernel_count(const otp_lane_plan *plan);
size_t otp_lanes_kernel_width(const otp_lane_plan *plan, size_t kernel);

/// As `otp_lanes_key_values` and `otp_lanes_values`, but with one given kernel of the plan whatever the count: for
/// known-answer tests, which must cover every lane of every kernel.
void otp_lanes_kernel_key_values(
    const otp_lane_plan *plan, size_t kernel, const otp_midstates *key, uint64_t first, size_t count, uint32_t *values);
void otp_lanes_kernel_values(
    const otp_lane_plan *plan, size_t kernel, const otp_lane *lanes, size_t count, uint32_t *values);

/// Writes the tag of a message, 20, 32 or 64 bytes, by OpenSSL's own hash functions, which need no provider and so do
/// not initialize libcrypto, a millisecond; or by `EVP_MAC`, in a build without OpenSSL's deprecated functions. It
/// wipes nothing: for known-answer tests. Returns 1, or 0 on failure.
int otp_openssl_tag(
    otp_kernel_hash hash, const uint8_t *secret, size_t size, const uint8_t *message, size_t message_size,
    uint8_t *tag);

#ifdef __cplusplus
}
#endif

#endif
