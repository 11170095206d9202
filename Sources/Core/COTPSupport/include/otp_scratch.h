/// Memory on the stack: more than Swift's temporary allocations can take from it, and not zeroed first as variables
/// are.

#ifndef OTP_SCRATCH_H
#define OTP_SCRATCH_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define OTP_SCRATCH_BYTES 5120

/// Calls `body` with `OTP_SCRATCH_BYTES` bytes, aligned for any type and valid until it returns, and returns its
/// result. The initial contents of the bytes are undefined, and nothing is wiped.
int otp_with_scratch(int (*body)(void *context, void *scratch), void *context);

/// Touches the next `size` bytes of the stack, from the top, one kilobyte at a time. If the stack ends among them, the
/// process ends at the guard page instead of writing to memory below it.
///
/// A function that takes more than a page of the stack must call this first and use the returned size, which is known
/// only at run time; otherwise the compiler would reserve the memory before the call. `-fstack-clash-protection` does
/// the same, but other packages cannot depend on a package with unsafe flags.
size_t otp_probe_stack(size_t size);

#ifdef __cplusplus
}
#endif

#endif
