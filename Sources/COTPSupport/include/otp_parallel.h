/// Work on several threads, for callers who ask for it. Nothing else in the engine starts a thread.

#ifndef OTP_PARALLEL_H
#define OTP_PARALLEL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The most parts that work is split into.
#define OTP_MAX_PARTS 256

/// Calls `body` once for each part, 0 to `parts` - 1, each on a thread of its own but part 0, which is the caller's;
/// where a thread cannot be started, the caller does its part. Returns when all are done: 1 if every call returned 1,
/// else 0.
int otp_in_parallel(size_t parts, int (*body)(void *context, size_t part), void *context);

#ifdef __cplusplus
}
#endif

#endif
