#if defined(__linux__)
#define _GNU_SOURCE
#endif

#include "otp_system.h"

#include "otp_once.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include <openssl/crypto.h>
#include <openssl/rand.h>

int otp_random_private(uint8_t *bytes, size_t size) {
  if (size > INT_MAX) return 0;
  otp_defer_forks();
  const int is_filled = RAND_priv_bytes(bytes, (int)size) == 1;
  otp_allow_forks();
  return is_filled;
}

const char *otp_environment_backend(void) {
#if defined(__linux__)
  return secure_getenv("OTP_BACKEND");
#else
  return issetugid() ? NULL : getenv("OTP_BACKEND");
#endif
}

const char *otp_openssl_version(void) { return OpenSSL_version(OPENSSL_VERSION); }

int otp_keep_libcrypto(void) {
  static atomic_bool is_kept;
  CRYPTO_malloc_fn allocate;
  CRYPTO_realloc_fn resize;
  CRYPTO_free_fn release;
  CRYPTO_get_mem_functions(&allocate, &resize, &release);
  // libcrypto allocates when it is initialized, and refuses other functions from then on, even its own.
  const int is_first = CRYPTO_set_mem_functions(allocate, resize, release);
  if (OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL) == 1 && is_first) atomic_store(&is_kept, 1);
  return atomic_load(&is_kept);
}
