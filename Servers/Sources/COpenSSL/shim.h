// OpenSSL's libcrypto, for scrypt and SHA-256.

#include <openssl/crypto.h>
#include <openssl/evp.h>
