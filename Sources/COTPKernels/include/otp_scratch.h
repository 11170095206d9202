/// Memory on the stack: more than Swift's temporary allocations take from it, and not zeroed first, as variables are.

#ifndef OTP_SCRATCH_H
#define OTP_SCRATCH_H

#ifdef __cplusplus
extern "C" {
#endif

#define OTP_SCRATCH_BYTES 32768

/// Calls `body` with `OTP_SCRATCH_BYTES` bytes, aligned for any type, that are gone when it returns. Nothing is written
/// to them, before or after.
void otp_with_scratch(void (*body)(void *context, void *scratch), void *context);

#ifdef __cplusplus
}
#endif

#endif
