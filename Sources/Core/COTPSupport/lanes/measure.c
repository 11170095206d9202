// How long each kernel of a plan takes here, and the cheapest combination of calls for each number of codes.

#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 199309L
#endif

#include <time.h>

#include "plans.h"

// A sample is as many calls as fill this many grains of the clock, so that it is right within 2 %.
enum { GRAINS = 50, MOST_CALLS = 64, ROUNDS = 10, MOST_ATTEMPTS = 3 };

// In nanoseconds; 0 if there is no clock.
uint64_t otp_lanes_clock(void) {
  struct timespec time;
  if (clock_gettime(CLOCK_MONOTONIC, &time) != 0) return 0;
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

// The least time that the clock can tell from none: its grain, or how long reading it takes. 0 if it seems to stand
// still.
static uint64_t grain(otp_clock *now) {
  uint64_t least = 0;
  for (int i = 0; i < 100; i++) {
    const uint64_t start = now(), time = now() - start;
    if (time > 0 && (least == 0 || time < least)) least = time;
  }
  return least;
}

static uint64_t sample(const lane_kernel *kernel, uint64_t calls, otp_clock *now) {
  // The time depends on no value.
  static const otp_midstates key;
  uint32_t values[OTP_MAX_LANES];
  const uint64_t start = now();
  for (uint64_t call = 0; call < calls; call++) kernel->key_values(&key, call, values);
  return now() - start;
}

// Of a number of samples, the two that took the least time; and of how many calls each is.
typedef struct timing {
  uint64_t calls, first, second;
} timing;

static void note(timing *times, uint64_t time) {
  if (time < times->first) {
    times->second = times->first;
    times->first = time;
  } else if (time < times->second) {
    times->second = time;
  }
}

// Times all kernels of a plan in turn, so that disturbances meet all. Returns 0 if the clock is too coarse, or the
// clock or the machine too irregular: two rounds should agree on each kernel.
static int time_kernels(const otp_lane_plan *plan, uint64_t *picoseconds, otp_clock *now) {
  const uint64_t least = GRAINS * grain(now);
  int is_regular = 0;
  for (int attempt = 0; least > 0 && !is_regular && attempt < MOST_ATTEMPTS; attempt++) {
    timing kernels[MAX_KERNELS];
    for (size_t i = 0; i < plan->count; i++) {
      // The first calls warm up: a CPU may take 20 microseconds until it runs wide vectors at full speed.
      uint64_t calls = 1;
      (void)sample(plan->kernels[i], 4, now);
      while (sample(plan->kernels[i], calls, now) < least + least / 2) {
        calls *= 2;
        if (calls > MOST_CALLS) return 0;
      }
      kernels[i] = (timing){calls, UINT64_MAX, UINT64_MAX};
    }
    for (int round = 0; round < ROUNDS; round++) {
      for (size_t i = 0; i < plan->count; i++) note(&kernels[i], sample(plan->kernels[i], kernels[i].calls, now));
    }
    is_regular = 1;
    for (size_t i = 0; i < plan->count; i++) {
      const timing times = kernels[i];
      if (times.first < least || times.second - times.first > times.first / 4) is_regular = 0;
      picoseconds[i] = times.first * 1000 / times.calls;
    }
  }
  return is_regular;
}

// Computes for each number of codes that are left which kernel comes next. Of combinations that cost the same, the one
// that begins with the widest kernel.
static void plan_calls(const otp_lane_plan *plan, const uint64_t *picoseconds, uint8_t *next) {
  uint64_t costs[OTP_MAX_LANES + 1] = {0};
  next[0] = 0;
  for (size_t left = 1; left <= OTP_MAX_LANES; left++) {
    costs[left] = UINT64_MAX;
    for (size_t i = 0; i < plan->count; i++) {
      const size_t width = plan->kernels[i]->width;
      const uint64_t cost = picoseconds[i] + (left > width ? costs[left - width] : 0);
      if (cost <= costs[left]) {
        costs[left] = cost;
        next[left] = (uint8_t)i;
      }
    }
  }
}

int otp_lanes_measure_plan(const otp_lane_plan *plan, otp_lane_choice *choice, otp_clock *now) {
  if (!time_kernels(plan, choice->picoseconds, now)) return 0;
  plan_calls(plan, choice->picoseconds, choice->kernel_for);
  return 1;
}
