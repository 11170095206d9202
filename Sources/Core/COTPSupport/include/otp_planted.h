/// Faults that a check plants on purpose, to verify that they are detected. They exist only in builds with OTP_CHECKS,
/// where the environment variable OTP_PLANTED chooses one for the process:
///
///     lane:WIDTH:LANE   that lane of every kernel of that width is wrong by one bit (Tests/Checks/lanes)
///     memory, stack     memory, or the stack and the registers, are not wiped (Tests/Checks/wiping)
///     without:NAME,...  these names of `otp_cpu_features` count as absent (Tests/Checks/cpus)
///
/// The same builds tell valgrind what is declassified (Tests/Checks/constant-time). No other build may define
/// OTP_CHECKS.

#ifndef OTP_PLANTED_H
#define OTP_PLANTED_H

#if defined(OTP_CHECKS)

#include <stddef.h>

typedef struct otp_planted_faults {
  size_t wrong_width, wrong_lane;  // No kernel is 0 lanes wide.
  _Bool leaves_memory, leaves_stack;
  const char *hidden_features;  // The names, or NULL.
} otp_planted_faults;

/// Set once, before `main`.
extern otp_planted_faults otp_planted;

/// Whether a feature of the CPU is hidden.
int otp_planted_hides(const char *feature);

#define OTP_IS_PLANTED(fault) (otp_planted.fault)
#define OTP_IS_HIDDEN(feature) otp_planted_hides(feature)
#else
#define OTP_IS_PLANTED(fault) 0
#define OTP_IS_HIDDEN(feature) 0
#endif

#endif
