/// liboath of OATH Toolkit, loaded if it is installed.

#ifndef PEER_LIBOATH_H
#define PEER_LIBOATH_H

#include <stddef.h>
#include <stdint.h>

/// 1 if the library was found and initialized.
int peer_liboath_load(void);

/// The code at a time, as text. Returns 1, or 0 on failure.
int peer_liboath_totp(int hash, const uint8_t *secret, size_t size, int64_t time, unsigned digits, char *code);

/// Its own validation over `window` steps of 30 seconds on each side. Returns the offset's size, or a negative number.
int peer_liboath_validate_totp(
    int hash, const uint8_t *secret, size_t size, int64_t time, size_t window, const char *code);

/// Its own validation of a counter and `window` after it. Returns the offset, or a negative number.
int peer_liboath_validate_hotp(const uint8_t *secret, size_t size, uint64_t counter, size_t window, const char *code);

/// Decodes base32 into memory that it allocates and releases. Returns the number of bytes.
size_t peer_liboath_decode_base32(const char *text, size_t size);

#endif
