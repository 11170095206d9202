// Which kernel is used for how many codes.

#ifndef OTP_LANES_PLANS_H
#define OTP_LANES_PLANS_H

#include "kernel.h"

#define MAX_STEPS 10

typedef struct plan_step {
  const lane_kernel *kernel;
  // The most codes for which this kernel is the best, by a list made elsewhere. The kernels after one without a limit
  // are used only where they are measured to be the best.
  size_t up_to;
} plan_step;

struct otp_lane_plan {
  otp_kernel_hash hash;
  size_t count;
  plan_step steps[MAX_STEPS];
  // The step for each number of codes that are left, up to OTP_MAX_LANES, as measured; NULL if the list decides.
  const uint8_t *choices;
  // How long a call of each kernel takes here; 0 if it was not measured.
  uint64_t picoseconds[MAX_STEPS];
};

// A clock in nanoseconds.
typedef uint64_t otp_clock(void);
otp_clock otp_lanes_clock;

// Times the plan's kernels and writes the best calls for each number of codes to `choices`, which the plan then uses
// instead of its list, unless the clock or the machine is too irregular.
void otp_lanes_measure_plan(otp_lane_plan *plan, uint8_t *choices, otp_clock *now);

#endif
