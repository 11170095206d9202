/// What the engine asks of the process: randomness, one environment variable, the library's version.

#ifndef OTP_SYSTEM_H
#define OTP_SYSTEM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Fills `bytes` from OpenSSL's private generator (RAND_priv_bytes). Returns 1, or 0 when it fails.
int otp_random_private(uint8_t *bytes, size_t size);

/// The value of OTP_BACKEND, or NULL where it is unset or the process runs with raised privileges.
const char *otp_environment_backend(void);

/// The version text of the libcrypto that is loaded, such as "OpenSSL 3.0.19 27 Jan 2026".
const char *otp_openssl_version(void);

/// Writes the comma-separated names of the CPU features that matter to an HMAC, such as "avx2,sha_ni", and a NUL into
/// `size` bytes, 64 or more. Returns the text's length.
size_t otp_cpu_features(char *text, size_t size);

/// Begins to fetch the line of the cache that has an address, and the next one. The address need not be valid.
static inline void otp_prefetch(const void *address) {
  __builtin_prefetch(address);
  __builtin_prefetch((const char *)address + 64);
}

#ifdef __cplusplus
}
#endif

#endif
