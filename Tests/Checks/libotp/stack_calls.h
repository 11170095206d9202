// Calls every function of otp.h with the arguments that need the most stack, for the programs that measure it; and runs
// threads on given stacks.

#ifndef STACK_CALLS_H
#define STACK_CALLS_H

#include <pthread.h>
#include <stdlib.h>

#include "check.h"
#include "stack_record_calls.h"

enum { REQUESTS = 200, WINDOW = 10, LOOK_AHEAD = 1000, TIME = 30 * 100 };

/// A long key is hashed first.
static const uint8_t long_secret[200] = {1, 2, 3};
static const char base32_text[] = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
static const char uri_text[] =
    "otpauth://hotp/ACME%20Co:john%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=ACME%20Co"
    "&algorithm=SHA512&digits=8&counter=5&image=https%3A%2F%2Fexample.com%2F%F0%9F%94%91";

/// The calls' arguments: the hash, a key for it, and room for their results.
static otp_hash hash = OTP_SHA1;
static otp_key *key;
static char codes[3][9];
static otp_request requests[REQUESTS];
static otp_match matches[REQUESTS];
static char text[OTP_URI_MAX + 1], memory[OTP_URI_MEMORY];
static otp_library_info info;

static const otp_window widest = {sizeof widest, WINDOW, WINDOW, 0, 0};

static int ok_key(otp_status status, otp_key *made) {
  otp_key_destroy(made);
  return status == OTP_OK && made != NULL;
}
static int call_key_create(void) {
  otp_key *made = NULL;
  const otp_status status = otp_key_create(hash, long_secret, sizeof long_secret, &made);
  return ok_key(status, made);
}
static int call_key_create_base32(void) {
  otp_key *made = NULL;
  const otp_status status = otp_key_create_base32(hash, base32_text, strlen(base32_text), &made);
  return ok_key(status, made);
}
static int call_key_create_with_backend(void) {
  otp_key *made = NULL;
  const otp_status status = otp_key_create_with_backend(OTP_BACKEND_STANDARD, hash, seed, sizeof seed, &made);
  return ok_key(status, made);
}
static int call_key_destroy(void) {
  otp_key_destroy(key);
  key = NULL;
  return 1;
}
static int call_hotp(void) {
  char code[9];
  return otp_hotp(key, 100 + WINDOW, 6, code) == OTP_OK && strcmp(code, codes[0]) == 0;
}
static int call_totp(void) {
  char code[9];
  return otp_totp(key, TIME + 30 * WINDOW, NULL, code) == OTP_OK && strcmp(code, codes[0]) == 0;
}
static int call_code_read_typed(void) {
  static const char typed[] = " \xF0\x9D\x9F\x9A\xEF\xBC\x98\xD9\xA7 - 082\r\n";
  char code[9];
  return otp_code_read_typed(typed, sizeof typed - 1, 6, code) == OTP_OK && strcmp(code, "287082") == 0;
}
static int accepted(otp_status status, const otp_match *match, uint64_t step) {
  return status == OTP_OK && match->result == OTP_ACCEPTED && match->step == step;
}
static int call_totp_verify(void) {
  return accepted(otp_totp_verify(key, codes[0], 6, TIME, NULL, &widest, matches), matches, 100 + WINDOW);
}
static int call_totp_verify_secret(void) {
  return accepted(
      otp_totp_verify_secret(hash, seed, sizeof seed, codes[0], 6, TIME, NULL, &widest, matches), matches,
      100 + WINDOW);
}
static int call_hotp_verify(void) {
  return accepted(otp_hotp_verify(key, codes[0], 6, 100, 6, LOOK_AHEAD, matches), matches, 100 + WINDOW);
}
static int call_hotp_resynchronize(void) {
  const char *const typed[3] = {codes[0], codes[1], codes[2]};
  return accepted(otp_hotp_resynchronize(key, typed, 3, 100, 6, LOOK_AHEAD, matches), matches, 102 + WINDOW);
}
static int call_verify_batch(void) {
  if (otp_verify_batch(requests, REQUESTS, matches) != OTP_OK) return 0;
  for (size_t i = 0; i < REQUESTS; i++) {
    if (!accepted(OTP_OK, &matches[i], 100 + WINDOW)) return 0;
  }
  return 1;
}
static int call_secret_generate(void) {
  size_t length = sizeof memory;
  return otp_secret_generate(hash, (uint8_t *)memory, &length) == OTP_OK;
}
static int call_base32_encode(void) {
  size_t length = sizeof text;
  return otp_base32_encode(long_secret, sizeof long_secret, OTP_BASE32_PADDING, text, &length) == OTP_OK;
}
static int call_base32_decode(void) {
  size_t length = sizeof memory;
  return otp_base32_decode(base32_text, strlen(base32_text), 0, (uint8_t *)memory, &length, NULL) == OTP_OK
      && memcmp(memory, seed, sizeof seed) == 0;
}
static int call_uri_build(void) {
  otp_uri uri = OTP_URI_INIT;
  uri.secret = seed;
  uri.secret_len = sizeof seed;
  uri.account = "john@example.com";
  uri.account_len = strlen(uri.account);
  uri.issuer = "ACME Co";
  uri.issuer_len = strlen(uri.issuer);
  size_t length = sizeof text;
  return otp_uri_build(&uri, OTP_URI_WRITE_DEFAULTS, text, &length, NULL) == OTP_OK && strlen(text) == length;
}
static int call_uri_parse(void) {
  otp_uri uri = OTP_URI_INIT;
  return otp_uri_parse(uri_text, strlen(uri_text), 0, &uri, memory, sizeof memory, NULL) == OTP_OK
      && memcmp(uri.secret, seed, sizeof seed) == 0;
}
static int call_info(void) {
  info.size = sizeof info;
  return otp_info(&info) == OTP_OK;
}
static int call_self_test(void) { return otp_self_test() == OTP_OK; }
static int call_keep_libcrypto_at_exit(void) { return otp_keep_libcrypto_at_exit() != OTP_INVALID_ARGUMENT; }
static int call_status_string(void) { return otp_status_string(OTP_OK) != NULL; }
static int call_version(void) { return otp_version() != NULL; }

typedef struct stack_call {
  const char *name;
  int (*make)(void);
  /// Whether a call needs what `prepare` makes, and so cannot be the first of a process.
  int needs_key;
} stack_call;

static const stack_call stack_calls[] = {
    {"otp_status_string", call_status_string, 0},
    {"otp_version", call_version, 0},
    {"otp_self_test", call_self_test, 0},
    {"otp_keep_libcrypto_at_exit", call_keep_libcrypto_at_exit, 0},
    {"otp_info", call_info, 0},
    {"otp_key_create", call_key_create, 0},
    {"otp_key_create_with_backend", call_key_create_with_backend, 0},
    {"otp_key_create_base32", call_key_create_base32, 0},
    {"otp_hotp", call_hotp, 1},
    {"otp_totp", call_totp, 1},
    {"otp_code_read_typed", call_code_read_typed, 0},
    {"otp_totp_verify", call_totp_verify, 1},
    {"otp_totp_verify_secret", call_totp_verify_secret, 1},
    {"otp_hotp_verify", call_hotp_verify, 1},
    {"otp_hotp_resynchronize", call_hotp_resynchronize, 1},
    {"otp_verify_batch", call_verify_batch, 1},
    {"otp_secret_generate", call_secret_generate, 0},
    {"otp_base32_encode", call_base32_encode, 0},
    {"otp_base32_decode", call_base32_decode, 0},
    {"otp_uri_build", call_uri_build, 0},
    {"otp_uri_parse", call_uri_parse, 0},
    {"otp_keyring_create", call_keyring_create, 0},
    {"otp_keyring_create_unsealed", call_keyring_create_unsealed, 0},
    {"otp_keyring_open", call_keyring_open, 0},
    {"otp_record_enroll", call_record_enroll, 1},
    {"otp_record_recovery_codes", call_record_recovery_codes, 1},
    {"otp_record_uri", call_record_uri, 1},
    {"otp_record_confirm", call_record_confirm, 1},
    {"otp_record_verify", call_record_verify, 1},
    {"otp_record_resynchronize", call_record_resynchronize, 1},
    {"otp_record_diagnose", call_record_diagnose, 1},
    {"otp_record_unlock", call_record_unlock, 1},
    {"otp_record_spend", call_record_spend, 1},
    {"otp_record_reseal", call_record_reseal, 1},
    {"otp_record_info", call_record_info, 1},
    // Last, since they destroy what the others use.
    {"otp_keyring_destroy", call_keyring_destroy, 1},
    {"otp_key_destroy", call_key_destroy, 1},
};
enum { STACK_CALLS = sizeof stack_calls / sizeof stack_calls[0] };

/// Makes a key and codes for a hash. Returns false on failure.
static int prepare(otp_hash wanted) {
  hash = wanted;
  if (otp_key_create(hash, seed, sizeof seed, &key) != OTP_OK) return 0;
  for (size_t i = 0; i < 3; i++) {
    if (otp_hotp(key, 100 + WINDOW + i, 6, codes[i]) != OTP_OK) return 0;
  }
  matches[0].size = sizeof matches[0];
  for (size_t i = 0; i < REQUESTS; i++) {
    // Some requests are packed with others, and some have too many counters for that.
    const unsigned look_ahead = i % 9 == 8 ? LOOK_AHEAD : 10 + (unsigned)(i % 9);
    requests[i] = (otp_request){
        sizeof requests[i], i % 2 ? OTP_TOTP : OTP_HOTP, key, codes[0], 6, TIME, NULL, &widest, 100, 6, look_ahead};
  }
  return prepare_records(hash, codes[0]);
}

/// Runs `body` on a thread with the given memory as its stack.
static int on_stack(void *lowest, size_t size, void *(*body)(void *), void *argument) {
  pthread_attr_t attributes;
  pthread_t thread;
  if (pthread_attr_init(&attributes) != 0 || pthread_attr_setstack(&attributes, lowest, size) != 0) return 0;
  return pthread_create(&thread, &attributes, body, argument) == 0 && pthread_join(thread, NULL) == 0;
}

#endif
