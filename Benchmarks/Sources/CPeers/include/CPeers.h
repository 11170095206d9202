/// The implementations that the engine is compared with, each called as its users would. None of them compares or scans
/// in constant time unless its own library does.

#ifndef CPEERS_H
#define CPEERS_H

#include "peer_ipsec_mb.h"
#include "peer_liboath.h"
#include "peer_libotp.h"
#include "peer_openssl.h"

/// Waits until all earlier instructions have completed, so that what is measured next does not overlap with them.
static inline void peer_fence(void) {
#if defined(__x86_64__)
  __asm__ __volatile__("lfence" : : : "memory");
#elif defined(__aarch64__)
  __asm__ __volatile__("isb" : : : "memory");
#endif
}

#endif
