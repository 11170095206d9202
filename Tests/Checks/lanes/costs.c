// The measured plan beside each of its kernels, in this process: for every hash and number of codes. It reports
// the worst ratio, and fails if a plan takes half as long again as one kernel, since machines are noisy.

#define _POSIX_C_SOURCE 199309L

#include <stdio.h>
#include <time.h>

#include "otp_lanes.h"

enum { ROUNDS = 200, CALLS = 8 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(void) {
  static const otp_midstates key;
  const double start = now();
  otp_lanes_measure();
  const double took = now() - start;
  double worst = 0;
  size_t worst_count = 0, counts = 0, beyond = 0;
  int worst_hash = 0;
  for (int hash = 0; hash < OTP_HASH_COUNT; hash++) {
    const otp_lane_plan *plan = otp_lanes_plan(OTP_LANES_FASTEST, (otp_kernel_hash)hash);
    const size_t kernels = otp_lanes_kernel_count(plan);
    for (size_t count = 1; count <= OTP_MAX_LANES; count++) {
      double of_plan = 1e18, of_kernel = 1e18;
      uint32_t values[OTP_MAX_LANES];
      for (int round = 0; round < ROUNDS; round++) {
        double begin = now();
        for (int call = 0; call < CALLS; call++) otp_lanes_key_values(plan, &key, (uint64_t)call, count, values);
        double time = now() - begin;
        if (time < of_plan) of_plan = time;
        const size_t kernel = (size_t)round % kernels;
        begin = now();
        for (int call = 0; call < CALLS; call++) {
          otp_lanes_kernel_key_values(plan, kernel, &key, (uint64_t)call, count, values);
        }
        time = now() - begin;
        if (time < of_kernel) of_kernel = time;
      }
      counts++;
      const double ratio = of_plan / of_kernel;
      if (ratio > 1.1) beyond++;
      if (ratio > worst) worst = ratio, worst_hash = hash, worst_count = count;
    }
  }
  printf(
      "costs: measured in %.0f us; of %zu plans, %zu take over 1.10 of the best single kernel; the worst %.2f "
      "(hash %d, %zu codes)\n",
      took / 1000, counts, beyond, worst, worst_hash, worst_count);
  return worst > 1.5;
}
