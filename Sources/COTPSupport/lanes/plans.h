// Which kernel is used for how many codes.

#ifndef OTP_LANES_PLANS_H
#define OTP_LANES_PLANS_H

#include "kernel.h"

#define MAX_STEPS 7

typedef struct plan_step {
  const lane_kernel *kernel;
  // The most codes for which this kernel is the best. Ignored in the last step.
  size_t up_to;
} plan_step;

struct otp_lane_plan {
  otp_kernel_hash hash;
  size_t count;
  plan_step steps[MAX_STEPS];
};

#endif
