/// The CPU's cycle counter, read after all earlier instructions have completed.

#ifndef CCYCLES_H
#define CCYCLES_H

#include <stdint.h>

static inline uint64_t cycles_now(void) {
#if defined(__x86_64__)
  uint32_t low, high;
  __asm__ __volatile__("mfence\n\tlfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
  return (uint64_t)high << 32 | low;
#elif defined(__aarch64__)
  uint64_t count;
  __asm__ __volatile__("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(count) : : "memory");
  return count;
#else
  return 0;
#endif
}

#endif
