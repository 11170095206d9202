/// This repository's own C library, loaded at run time, as called by servers that are not written in Swift.

#ifndef PEER_LIBOTP_H
#define PEER_LIBOTP_H

#include "../../../../Sources/COTP/otp.h"

/// 1 if the library at `path` was found and has every measured function.
int peer_libotp_load(const char *path);

// Each calls the library's function of that name through a pointer, as a lazily bound program would.

otp_status peer_libotp_key_create(otp_hash hash, const uint8_t *secret, size_t secret_len, otp_key **out);

void peer_libotp_key_destroy(otp_key *key);

otp_status peer_libotp_hotp(const otp_key *key, uint64_t counter, unsigned digits, char out[9]);

otp_status peer_libotp_totp_verify(
    const otp_key *key, const char *code, size_t code_len, int64_t unix_time, const otp_totp_params *params,
    const otp_window *window, otp_match *out);

otp_status peer_libotp_totp_verify_secret(
    otp_hash hash, const uint8_t *secret, size_t secret_len, const char *code, size_t code_len, int64_t unix_time,
    const otp_totp_params *params, const otp_window *window, otp_match *out);

otp_status peer_libotp_verify_batch(const otp_request *requests, size_t count, otp_match *results);

#endif
