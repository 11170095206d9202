// OpenSSL's libcrypto, 3.0 or later. The engine calls it only through COTPSupport; the module Keyring calls its ciphers
// from Swift.

#include <openssl/evp.h>
#include <openssl/opensslv.h>

#if OPENSSL_VERSION_NUMBER < 0x30000000L
#error "swift-otp needs OpenSSL 3.0 or later"
#endif
