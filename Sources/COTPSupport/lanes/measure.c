// How long each kernel of a plan takes here, and the cheapest combination of calls for each number of codes.

#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 199309L
#endif

#include <time.h>

#include "plans.h"

// One sample is several calls, since reading the clock takes as long as half a code.
enum { SAMPLE_CALLS = 8, ROUNDS = 10, MOST_ATTEMPTS = 3 };

// In nanoseconds; 0 if there is no clock.
uint64_t otp_lanes_clock(void) {
  struct timespec time;
  if (clock_gettime(CLOCK_MONOTONIC, &time) != 0) return 0;
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

// Of a number of samples, the two that took the least time.
typedef struct fastest {
  uint64_t first, second;
} fastest;

static void note(fastest *times, uint64_t time) {
  if (time < times->first) {
    times->second = times->first;
    times->first = time;
  } else if (time < times->second) {
    times->second = time;
  }
}

static uint64_t sample(const lane_kernel *kernel, otp_clock *now) {
  // The time depends on no value.
  static const otp_midstates key;
  uint32_t values[OTP_MAX_LANES];
  const uint64_t start = now();
  for (uint64_t call = 0; call < SAMPLE_CALLS; call++) kernel->key_values(&key, call, values);
  return now() - start;
}

// Times all kernels of a plan in turn, so that disturbances meet all. Returns 0 if the clock or the machine is too
// irregular to tell: two rounds should agree on each kernel.
static int time_kernels(otp_lane_plan *plan, otp_clock *now) {
  for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    fastest clock = {UINT64_MAX, UINT64_MAX}, kernels[MAX_STEPS];
    for (size_t i = 0; i < plan->count; i++) kernels[i] = clock;
    // The first round warms up: a CPU may take 20 microseconds until it runs wide vectors at full speed.
    for (int round = 0; round <= ROUNDS; round++) {
      const uint64_t start = now();
      const uint64_t reading = now() - start;
      if (round > 0) note(&clock, reading);
      for (size_t i = 0; i < plan->count; i++) {
        const uint64_t time = sample(plan->steps[i].kernel, now);
        if (round > 0) note(&kernels[i], time);
      }
    }
    int is_regular = 1;
    for (size_t i = 0; i < plan->count; i++) {
      const fastest times = kernels[i];
      if (times.first <= clock.first || times.second - times.first > times.first / 4) is_regular = 0;
      plan->picoseconds[i] = (times.first - (is_regular ? clock.first : 0)) * 1000 / SAMPLE_CALLS;
    }
    if (is_regular) return 1;
  }
  return 0;
}

// Computes for each number of codes that are left which kernel comes next. Of combinations that cost the same, the one
// that begins with the widest kernel.
static void plan_calls(const otp_lane_plan *plan, uint8_t *next) {
  uint64_t costs[OTP_MAX_LANES + 1] = {0};
  next[0] = 0;
  for (size_t left = 1; left <= OTP_MAX_LANES; left++) {
    costs[left] = UINT64_MAX;
    for (size_t i = 0; i < plan->count; i++) {
      const size_t width = plan->steps[i].kernel->width;
      const uint64_t cost = plan->picoseconds[i] + (left > width ? costs[left - width] : 0);
      if (cost <= costs[left]) {
        costs[left] = cost;
        next[left] = (uint8_t)i;
      }
    }
  }
}

void otp_lanes_measure_plan(otp_lane_plan *plan, uint8_t *choices, otp_clock *now) {
  if (!time_kernels(plan, now)) return;
  plan_calls(plan, choices);
  plan->choices = choices;
}
