/// Memory on the stack: more than Swift's temporary allocations take from it, and not zeroed first, as variables are.

#ifndef OTP_SCRATCH_H
#define OTP_SCRATCH_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define OTP_SCRATCH_BYTES 5120

/// Calls `body` with `OTP_SCRATCH_BYTES` bytes, aligned for any type, that are gone when it returns, and returns what
/// it returns. The bytes' previous contents are undefined, and nothing is wiped.
int otp_with_scratch(int (*body)(void *context, void *scratch), void *context);

/// Touches the next `size` bytes of the stack, from the top, a kilobyte at a time. If the stack ends among them, the
/// process ends at the guard page, instead of writing to whatever memory lies below it.
///
/// A function that takes more than a page of the stack calls this first, and takes it by a size that is known only
/// when it runs: the size returned, or the compiler would take it at once. `-fstack-clash-protection` does the same,
/// but a package that asks for it cannot be depended on.
size_t otp_probe_stack(size_t size);

#ifdef __cplusplus
}
#endif

#endif
