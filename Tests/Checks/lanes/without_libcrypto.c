// Stand-ins for what the kernels need of libcrypto, for an architecture without an installed libcrypto.

#include <openssl/crypto.h>

void OPENSSL_cleanse(void *bytes, size_t size) {
  volatile unsigned char *byte = bytes;
  while (size-- > 0) *byte++ = 0;
}

int CRYPTO_memcmp(const void *a, const void *b, size_t size) {
  int difference = 0;
  for (size_t i = 0; i < size; i++) difference |= ((const unsigned char *)a)[i] ^ ((const unsigned char *)b)[i];
  return difference;
}
