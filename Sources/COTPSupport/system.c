#if defined(__linux__)
#define _GNU_SOURCE
#endif

#include "otp_system.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include <openssl/crypto.h>
#include <openssl/rand.h>

int otp_random_private(uint8_t *bytes, size_t size) {
  if (size > INT_MAX) return 0;
  return RAND_priv_bytes(bytes, (int)size) == 1;
}

const char *otp_environment_backend(void) {
#if defined(__linux__)
  return secure_getenv("OTP_BACKEND");
#else
  return issetugid() ? NULL : getenv("OTP_BACKEND");
#endif
}

const char *otp_openssl_version(void) { return OpenSSL_version(OPENSSL_VERSION); }
