// Which kernel is used for how many codes.

#ifndef OTP_LANES_PLANS_H
#define OTP_LANES_PLANS_H

#include <stdatomic.h>

#include "kernel.h"

#define MAX_KERNELS 8

// A plan as measured.
typedef struct otp_lane_choice {
  // The index of the kernel for each number of codes that are left.
  uint8_t kernel_for[OTP_MAX_LANES + 1];
  // How long a call of each kernel takes.
  uint64_t picoseconds[MAX_KERNELS];
} otp_lane_choice;

struct otp_lane_plan {
  otp_kernel_hash hash;
  size_t count;
  // From narrow to wide. The second of several, or the first, must be able to absorb keys.
  const lane_kernel *kernels[MAX_KERNELS];
  // What was measured, or NULL until then. This is NULL if the plan is never measured.
  _Atomic(const otp_lane_choice *) *choice;
};

// A clock in nanoseconds.
typedef uint64_t otp_clock(void);
otp_clock otp_lanes_clock;

// Times the plan's kernels and computes the cheapest calls for each number of codes. Returns 0 if the clock or the
// machine does not allow that.
int otp_lanes_measure_plan(const otp_lane_plan *plan, otp_lane_choice *choice, otp_clock *now);

#endif
