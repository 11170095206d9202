#include "peer_libotp.h"

#include <dlfcn.h>

static struct {
  __typeof__(&otp_key_create) key_create;
  __typeof__(&otp_key_destroy) key_destroy;
  __typeof__(&otp_hotp) hotp;
  __typeof__(&otp_totp_verify) totp_verify;
  __typeof__(&otp_totp_verify_secret) totp_verify_secret;
  __typeof__(&otp_verify_batch) verify_batch;
} functions;

int peer_libotp_load(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return 0;
  *(void **)&functions.key_create = dlsym(library, "otp_key_create");
  *(void **)&functions.key_destroy = dlsym(library, "otp_key_destroy");
  *(void **)&functions.hotp = dlsym(library, "otp_hotp");
  *(void **)&functions.totp_verify = dlsym(library, "otp_totp_verify");
  *(void **)&functions.totp_verify_secret = dlsym(library, "otp_totp_verify_secret");
  *(void **)&functions.verify_batch = dlsym(library, "otp_verify_batch");
  return functions.key_create && functions.key_destroy && functions.hotp && functions.totp_verify
      && functions.totp_verify_secret && functions.verify_batch;
}

otp_status peer_libotp_key_create(otp_hash hash, const uint8_t *secret, size_t secret_len, otp_key **out) {
  return functions.key_create(hash, secret, secret_len, out);
}

void peer_libotp_key_destroy(otp_key *key) { functions.key_destroy(key); }

otp_status peer_libotp_hotp(const otp_key *key, uint64_t counter, unsigned digits, char out[9]) {
  return functions.hotp(key, counter, digits, out);
}

otp_status peer_libotp_totp_verify(
    const otp_key *key, const char *code, size_t code_len, int64_t unix_time, const otp_totp_params *params,
    const otp_window *window, otp_match *out) {
  return functions.totp_verify(key, code, code_len, unix_time, params, window, out);
}

otp_status peer_libotp_totp_verify_secret(
    otp_hash hash, const uint8_t *secret, size_t secret_len, const char *code, size_t code_len, int64_t unix_time,
    const otp_totp_params *params, const otp_window *window, otp_match *out) {
  return functions.totp_verify_secret(hash, secret, secret_len, code, code_len, unix_time, params, window, out);
}

otp_status peer_libotp_verify_batch(const otp_request *requests, size_t count, otp_match *results) {
  return functions.verify_batch(requests, count, results);
}
