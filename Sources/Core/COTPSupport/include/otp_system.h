/// What the engine needs from the process: randomness, an environment variable, the version of libcrypto, the CPU's
/// features.

#ifndef OTP_SYSTEM_H
#define OTP_SYSTEM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Fills `bytes` from OpenSSL's private generator (RAND_priv_bytes). Returns 1, or 0 if it fails.
int otp_random_private(uint8_t *bytes, size_t size);

/// The value of OTP_BACKEND, or NULL if it is unset or the process runs with raised privileges.
const char *otp_environment_backend(void);

/// Asks libcrypto not to release its memory as the process exits. Returns 1 if it will not, or 0 if it had already been
/// initialized, and may have arranged to.
int otp_keep_libcrypto(void);

/// The version text of the loaded libcrypto, such as "OpenSSL 3.0.19 27 Jan 2026".
const char *otp_openssl_version(void);

/// Writes the names of the CPU features that matter to HMAC, separated by commas, such as "avx2,sha_ni", and a NUL into
/// `size` bytes, 64 or more. Returns the text's length.
size_t otp_cpu_features(char *text, size_t size);

/// Prefetches the cache line of an address, which need not be valid.
static inline void otp_prefetch(const void *address) { __builtin_prefetch(address); }

#ifdef __cplusplus
}
#endif

#endif
