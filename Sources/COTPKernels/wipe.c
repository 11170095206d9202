#include "otp_wipe.h"

#include <openssl/crypto.h>

void otp_wipe(void *bytes, size_t size) { OPENSSL_cleanse(bytes, size); }

// Not inlined: its frame must start where its callers' callees had theirs. 4 KiB covers libcrypto's deepest frames
// below an HMAC (seen with Tests/Checks/wiping).
__attribute__((noinline)) void otp_wipe_stack(void) {
  unsigned char frame[4096];
  otp_wipe_inline(frame, sizeof frame);
}

int otp_equal(const void *a, const void *b, size_t size) { return CRYPTO_memcmp(a, b, size) == 0; }
