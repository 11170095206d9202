// Calls every function of otp.h with the arguments that need the most stack, for the programs that measure it; and runs
// threads on given stacks.

#ifndef STACK_CALLS_H
#define STACK_CALLS_H

#include <pthread.h>

#include "check.h"
#include "keyring_file.h"

enum { REQUESTS = 200, WINDOW = 10, LOOK_AHEAD = 1000, STEP = 60000000, TIME = 30 * STEP };

/// A record with its length.
typedef struct column {
  uint8_t bytes[OTP_RECORD_MAX];
  size_t len;
} column;

/// A long key is hashed first.
static const uint8_t long_secret[200] = {1, 2, 3};
static const char base32_text[] = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
static const char uri_text[] =
    "otpauth://hotp/ACME%20Co:john%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=ACME%20Co"
    "&algorithm=SHA512&digits=8&counter=5&image=https%3A%2F%2Fexample.com%2F%F0%9F%94%91";
static const char typed_text[] = " \xF0\x9D\x9F\x9A\xEF\xBC\x98\xD9\xA7 - 082\r\n";
static const otp_uri whole_uri = {sizeof whole_uri, OTP_TOTP,           OTP_SHA1, 6,         30, 0,    seed,
                                  sizeof seed,      "john@example.com", 16,       "ACME Co", 7,  NULL, 0};
static const otp_window widest = {sizeof widest, WINDOW, WINDOW, 0, 0};
/// 255 attempts are allowed in all, and each window is the widest.
static const otp_record_policy widest_policy = {sizeof widest_policy, 10, 10, 1500, 1000, 1000, 100, 0, 100, 0};
static const otp_named_key named_key = {
    sizeof named_key, "key", 3, (const uint8_t *)"0123456789abcdef0123456789abcdef", 32};
static const char *const wrong_codes[3] = {"000000", "000001", "000002"};

/// The calls' arguments: the hash, a key for it, a keyring with records, and room for their results.
static otp_hash hash = OTP_SHA1;
static otp_key *key, *new_key;
static otp_keyring *keyring, *new_keyring;
static column waiting, active, counted, written;
static char codes[3][9], code[9], text[OTP_URI_MAX + 1], memory[OTP_URI_MEMORY], path[32];
static char recovery[20 * (OTP_RECOVERY_CODE_LENGTH + 1)];
static const char *const typed_codes[3] = {codes[0], codes[1], codes[2]};
static size_t length;
static otp_request requests[REQUESTS];
static otp_match matches[REQUESTS];
static otp_uri uri;
static otp_library_info info;
static otp_answer answer = OTP_ANSWER_INIT;
static otp_diagnosis diagnosis;
static otp_record_details details;

static int made_key(otp_status status) {
  otp_key_destroy(new_key);
  return status == OTP_OK && new_key != NULL;
}
static int made_keyring(otp_status status) {
  otp_keyring_destroy(new_keyring);
  return status == OTP_OK && new_keyring != NULL;
}
static int accepted(otp_status status, const otp_match *match, uint64_t step) {
  return status == OTP_OK && match->result == OTP_ACCEPTED && match->step == step;
}
static int all_accepted(otp_status status) {
  for (size_t i = 0; i < REQUESTS; i++) {
    if (!accepted(status, &matches[i], STEP + WINDOW)) return 0;
  }
  return 1;
}
static const char *private_file(void) {
  strcpy(path, "/tmp/otp-keyring-XXXXXX");
  write_private_file(path, keyring_text);
  return path;
}
static int answered(otp_status status, otp_answer_kind kind) { return status == OTP_OK && answer.kind == kind; }

#define LENGTH(size) (length = (size), &length)
#define WHOSE keyring, "user 42", 7
#define READ(column) (column).bytes, (column).len
#define WRITE (written.len = sizeof written.bytes, written.bytes), &written.len

/// Each function's name; whether its call needs what `prepare` makes, and so cannot be the first of a process; and the
/// call. Last are those that destroy what the others use.
// clang-format off
#define CALLS(CALL)                                                                                                    \
  CALL(otp_status_string, 0, otp_status_string(OTP_OK) != NULL)                                                        \
  CALL(otp_version, 0, otp_version() != NULL)                                                                          \
  CALL(otp_self_test, 0, otp_self_test() == OTP_OK)                                                                    \
  CALL(otp_keep_libcrypto_at_exit, 0, otp_keep_libcrypto_at_exit() != OTP_INVALID_ARGUMENT)                            \
  CALL(otp_info, 0, otp_info((info.size = sizeof info, &info)) == OTP_OK)                                              \
  CALL(otp_key_create, 0, made_key(otp_key_create(hash, long_secret, sizeof long_secret, &new_key)))                   \
  CALL(otp_key_create_with_backend, 0,                                                                                 \
       made_key(otp_key_create_with_backend(OTP_BACKEND_STANDARD, hash, seed, sizeof seed, &new_key)))                 \
  CALL(otp_key_create_base32, 0, made_key(otp_key_create_base32(hash, base32_text, sizeof base32_text - 1, &new_key))) \
  CALL(otp_hotp, 1, otp_hotp(key, STEP + WINDOW, 6, code) == OTP_OK && strcmp(code, codes[0]) == 0)                    \
  CALL(otp_totp, 1, otp_totp(key, TIME + 30 * WINDOW, NULL, code) == OTP_OK && strcmp(code, codes[0]) == 0)            \
  CALL(otp_code_read_typed, 0,                                                                                         \
       otp_code_read_typed(typed_text, sizeof typed_text - 1, 6, code) == OTP_OK && strcmp(code, "287082") == 0)       \
  CALL(otp_totp_verify, 1,                                                                                             \
       accepted(otp_totp_verify(key, codes[0], 6, TIME, NULL, &widest, matches), matches, STEP + WINDOW))              \
  CALL(otp_totp_verify_secret, 1,                                                                                      \
       accepted(otp_totp_verify_secret(hash, seed, sizeof seed, codes[0], 6, TIME, NULL, &widest, matches), matches,   \
                STEP + WINDOW))                                                                                        \
  CALL(otp_hotp_verify, 1,                                                                                             \
       accepted(otp_hotp_verify(key, codes[0], 6, STEP, 6, LOOK_AHEAD, matches), matches, STEP + WINDOW))              \
  CALL(otp_hotp_resynchronize, 1,                                                                                      \
       accepted(otp_hotp_resynchronize(key, typed_codes, 3, STEP, 6, LOOK_AHEAD, matches), matches,                    \
                STEP + WINDOW + 2))                                                                                    \
  CALL(otp_verify_batch, 1, all_accepted(otp_verify_batch(requests, REQUESTS, matches)))                               \
  CALL(otp_secret_generate, 0, otp_secret_generate(hash, (uint8_t *)memory, LENGTH(sizeof memory)) == OTP_OK)          \
  CALL(otp_base32_encode, 0,                                                                                           \
       otp_base32_encode(long_secret, sizeof long_secret, OTP_BASE32_PADDING, text, LENGTH(sizeof text)) == OTP_OK)    \
  CALL(otp_base32_decode, 0,                                                                                           \
       otp_base32_decode(base32_text, sizeof base32_text - 1, 0, (uint8_t *)memory, LENGTH(sizeof memory), NULL) ==    \
               OTP_OK && memcmp(memory, seed, sizeof seed) == 0)                                                       \
  CALL(otp_uri_build, 0,                                                                                               \
       otp_uri_build(&whole_uri, OTP_URI_WRITE_DEFAULTS, text, LENGTH(sizeof text), NULL) == OTP_OK &&                 \
           strlen(text) == length)                                                                                     \
  CALL(otp_uri_parse, 0,                                                                                               \
       otp_uri_parse(uri_text, sizeof uri_text - 1, 0, (uri.size = sizeof uri, &uri), memory, sizeof memory, NULL) ==  \
               OTP_OK && memcmp(uri.secret, seed, sizeof seed) == 0)                                                   \
  CALL(otp_keyring_create, 0, made_keyring(otp_keyring_create(&named_key, 1, &new_keyring)))                           \
  CALL(otp_keyring_create_unsealed, 0, made_keyring(otp_keyring_create_unsealed(&new_keyring)))                        \
  CALL(otp_keyring_open, 0, made_keyring(otp_keyring_open(private_file(), &new_keyring)) && unlink(path) == 0)         \
  CALL(otp_record_enroll, 1, otp_record_enroll(WHOSE, NULL, READ(active), TIME, WRITE) == OTP_OK)                      \
  CALL(otp_record_recovery_codes, 1,                                                                                   \
       otp_record_recovery_codes(WHOSE, 20, TIME, recovery, sizeof recovery, WRITE) == OTP_OK)                         \
  CALL(otp_record_uri, 1,                                                                                              \
       otp_record_uri(WHOSE, READ(waiting), "ACME Co", 7, "john@example.com", 16, text, LENGTH(sizeof text)) ==        \
           OTP_OK)                                                                                                     \
  CALL(otp_record_confirm, 1,                                                                                          \
       answered(otp_record_confirm(WHOSE, READ(waiting), codes[0], 6, TIME, &widest_policy, WRITE, &answer),           \
                OTP_ANSWER_ENROLLED))                                                                                  \
  CALL(otp_record_verify, 1,                                                                                           \
       answered(otp_record_verify(WHOSE, READ(active), codes[0], 6, TIME, &widest_policy, WRITE, &answer),             \
                OTP_ANSWER_ACCEPTED))                                                                                  \
  CALL(otp_record_resynchronize, 1,                                                                                    \
       answered(otp_record_resynchronize(WHOSE, READ(active), wrong_codes, 3, TIME, &widest_policy, WRITE, &answer),   \
                OTP_ANSWER_REJECTED) &&                                                                                \
           answered(otp_record_resynchronize(WHOSE, READ(counted), wrong_codes, 3, TIME, &widest_policy, WRITE,        \
                                             &answer), OTP_ANSWER_REJECTED))                                           \
  CALL(otp_record_diagnose, 1,                                                                                         \
       otp_record_diagnose(WHOSE, READ(waiting), "000000", 6, TIME,                                                    \
                           (diagnosis.size = sizeof diagnosis, &diagnosis)) == OTP_OK)                                 \
  CALL(otp_record_unlock, 1, otp_record_unlock(WHOSE, READ(active), TIME, WRITE) == OTP_OK)                            \
  CALL(otp_record_spend, 1, otp_record_spend(WHOSE, READ(active), TIME, &widest_policy, WRITE) == OTP_OK)              \
  CALL(otp_record_reseal, 1, otp_record_reseal(WHOSE, READ(active), WRITE) == OTP_OK)                                  \
  CALL(otp_record_info, 1,                                                                                             \
       otp_record_info(WHOSE, READ(active), (details.size = sizeof details, &details)) == OTP_OK &&                    \
           details.kind == OTP_RECORD_TOTP)                                                                            \
  CALL(otp_keyring_destroy, 1, (otp_keyring_destroy(keyring), keyring = NULL, 1))                                      \
  CALL(otp_key_destroy, 1, (otp_key_destroy(key), key = NULL, 1))
// clang-format on

#define DEFINE(name, needs_key, call) \
  static int call_##name(void) { return call; }
CALLS(DEFINE)

typedef struct stack_call {
  const char *name;
  int (*make)(void);
  int needs_key;
} stack_call;

#define LIST(name, needs_key, call) {#name, call_##name, needs_key},
static const stack_call stack_calls[] = {CALLS(LIST)};
enum { STACK_CALLS = sizeof stack_calls / sizeof stack_calls[0] };

static int enroll(const otp_enrollment *enrollment, column *out) {
  out->len = sizeof out->bytes;
  return otp_record_enroll(WHOSE, enrollment, NULL, 0, TIME, out->bytes, &out->len) == OTP_OK;
}

/// Makes a key, codes and records for a hash. Returns false on failure.
static int prepare(otp_hash wanted) {
  hash = wanted;
  if (otp_key_create(hash, seed, sizeof seed, &key) != OTP_OK) return 0;
  for (size_t i = 0; i < 3; i++) {
    if (otp_hotp(key, STEP + WINDOW + i, 6, codes[i]) != OTP_OK) return 0;
  }
  matches[0].size = sizeof matches[0];
  for (size_t i = 0; i < REQUESTS; i++) {
    // Some requests are packed with others, and some have too many counters for that.
    const unsigned look_ahead = i % 9 == 8 ? LOOK_AHEAD : 10 + (unsigned)(i % 9);
    requests[i] = (otp_request){
        sizeof requests[i], i % 2 ? OTP_TOTP : OTP_HOTP, key, codes[0], 6, TIME, NULL, &widest, STEP, 6, look_ahead};
  }
  otp_enrollment enrollment = OTP_ENROLLMENT_INIT;
  enrollment.hash = hash;
  enrollment.secret = seed;
  enrollment.secret_len = sizeof seed;
  if (otp_keyring_create(&named_key, 1, &keyring) != OTP_OK || !enroll(&enrollment, &waiting)) return 0;
  enrollment.is_confirmed = 1;
  if (!enroll(&enrollment, &active)) return 0;
  enrollment.type = OTP_HOTP;
  return enroll(&enrollment, &counted);
}

/// Runs `body` on a thread with the given memory as its stack.
static int on_stack(void *lowest, size_t size, void *(*body)(void *), void *argument) {
  pthread_attr_t attributes;
  pthread_t thread;
  if (pthread_attr_init(&attributes) != 0 || pthread_attr_setstack(&attributes, lowest, size) != 0) return 0;
  return pthread_create(&thread, &attributes, body, argument) == 0 && pthread_join(thread, NULL) == 0;
}

#endif
