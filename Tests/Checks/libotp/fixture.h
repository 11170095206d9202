// What the arguments of a valid call of each function point to, under the names of the parameters. They need the most
// stack: the widest windows, a whole batch.

#ifndef FIXTURE_H
#define FIXTURE_H

#include <stdlib.h>
#include <unistd.h>

#include "check.h"

enum { REQUESTS = 200, WINDOW = 10, LOOK_AHEAD = 1000, STEP = 60000000, TIME = 30 * STEP };

/// A record with its length.
typedef struct column {
  uint8_t bytes[OTP_RECORD_MAX];
  size_t len;
} column;

/// A keyring's file, as the Swift keyring writes it: the key "new", which seals, begins with the byte 2, and "old" with
/// the byte 1.
static const char keyring_text[] =
    "{\"format\":\"otp-keyring/1\",\"active\":\"new\",\"keys\":[\n"
    "{\"name\":\"old\",\"key\":\"AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\"},\n"
    "{\"name\":\"new\",\"key\":\"AgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\"}],\n"
    "\"hashKey\":\"AwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\",\n"
    "\"sha256\":\"41c5ba07c576d2c2dddb864b4b74c98641b2cfdf262e0954dfbd6de09c89a9ad\"}\n";

/// Writes a file that only its owner may read, and sets `path`, a template for mkstemp().
static inline void write_private_file(char *path, const char *text) {
  const int file = mkstemp(path);
  expect(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text) && close(file) == 0);
}

static otp_hash hash = OTP_SHA1;
static otp_key *key;
static otp_keyring *keyring;
/// RFC 4226's secret first, and a subject; both long enough for every length that is refused.
static uint8_t secret[1100], subject[1100] = "user 42";
static const size_t secret_len = sizeof seed, subject_len = 7;
static const uint8_t *const bytes = secret;
static const size_t len = 200;
static const char text[] = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
static const size_t text_len = sizeof text - 1;
static const char uri_text[] =
    "otpauth://hotp/ACME%20Co:john%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=ACME%20Co"
    "&algorithm=SHA512&digits=8&counter=5&image=https%3A%2F%2Fexample.com%2F%F0%9F%94%91";
static const char issuer[] = "ACME Co", account[] = "john@example.com";
static const size_t issuer_len = sizeof issuer - 1, account_len = sizeof account - 1;
static const otp_uri whole_uri = {sizeof whole_uri, OTP_TOTP, OTP_SHA1,    6,      30,         0,    secret,
                                  sizeof seed,      account,  account_len, issuer, issuer_len, NULL, 0};
static const otp_uri *const uri = &whole_uri;
static const otp_totp_params standard_params = OTP_TOTP_PARAMS_INIT;
static const otp_totp_params *const params = &standard_params;
static const otp_window widest = {sizeof widest, WINDOW, WINDOW, 0, 0};
static const otp_window *const window = &widest;
/// Each window is the widest, and 100 attempts are allowed.
static const otp_record_policy widest_policy = {sizeof widest_policy, 10, 10, 1500, 1000, 1000, 100, 0, 100, 0};
static const otp_record_policy *const policy = &widest_policy;
static const otp_named_key named_key = {
    sizeof named_key, "key, with more bytes than a name may have", 3,
    (const uint8_t *)"0123456789abcdef0123456789abcdef0123456789abcdef", 32};
static const otp_named_key *const keys = &named_key;
static otp_enrollment to_enroll = OTP_ENROLLMENT_INIT;
static const otp_enrollment *const enrollment = &to_enroll;
static otp_request requests[REQUESTS];

/// Three codes in a row, and the first of them as a person may type it.
static char code_texts[3][9], typed[32];
static const char *const codes[3] = {code_texts[0], code_texts[1], code_texts[2]};
static const char *const code = code_texts[0];
static const size_t code_len = 6;
static size_t typed_len;

/// A pending TOTP record, an active one, an active HOTP record, which expects the first code, and recovery codes.
static column pending, active, counted, listed;
static const uint8_t *const record = active.bytes, *const previous = active.bytes;
#define record_len active.len
#define previous_len active.len
static char path[32];

static inline otp_keyring *new_keyring(void) {
  otp_keyring *made = NULL;
  return otp_keyring_create(keys, 1, &made) == OTP_OK ? made : NULL;
}

static inline int enroll(column *out) {
  out->len = sizeof out->bytes;
  return otp_record_enroll(keyring, subject, subject_len, enrollment, NULL, 0, TIME - 30, out->bytes, &out->len)
      == OTP_OK;
}

static inline void remove_path(void) { unlink(path); }

/// The keyring's file, which `otp_keyring_open` needs.
static inline void prepare_path(void) {
  strcpy(path, "/tmp/otp-keyring-XXXXXX");
  write_private_file(path, keyring_text);
  atexit(remove_path);
}

/// Makes a key, codes and records for a hash. Returns false on failure.
static inline int prepare(otp_hash wanted) {
  hash = wanted;
  memcpy(secret, seed, sizeof seed);
  memset(secret + sizeof seed, 1, sizeof secret - sizeof seed);
  otp_key_destroy(key);
  otp_keyring_destroy(keyring);
  keyring = new_keyring();
  if (keyring == NULL || otp_key_create(hash, secret, secret_len, &key) != OTP_OK) return 0;
  for (size_t i = 0; i < 3; i++) {
    if (otp_hotp(key, STEP + WINDOW + i, 6, code_texts[i]) != OTP_OK) return 0;
  }
  // Full-width digits, with a hyphen.
  typed_len = 0;
  for (size_t i = 0; i < 6; i++) {
    typed_len += (size_t)sprintf(typed + typed_len, "%s\xEF\xBC%c", i == 3 ? "-" : "", code[i] + 0x60);
  }
  for (size_t i = 0; i < REQUESTS; i++) {
    // Some requests are packed with others, and some have too many counters for that.
    const unsigned look_ahead = i % 9 == 8 ? LOOK_AHEAD : 10 + (unsigned)(i % 9);
    requests[i] = (otp_request){
        sizeof requests[i], i % 2 ? OTP_HOTP : OTP_TOTP, key, code, 6, TIME, params, window, STEP, 6, look_ahead};
  }
  to_enroll = (otp_enrollment)OTP_ENROLLMENT_INIT;
  to_enroll.hash = hash;
  to_enroll.secret = secret;
  to_enroll.secret_len = secret_len;
  if (!enroll(&pending)) return 0;
  to_enroll.is_confirmed = 1;
  if (!enroll(&active)) return 0;
  to_enroll.type = OTP_HOTP;
  to_enroll.counter = STEP;
  const int is_ready = enroll(&counted);
  to_enroll.type = OTP_TOTP;
  char recovery_codes[OTP_RECOVERY_CODE_LENGTH + 1];
  listed.len = sizeof listed.bytes;
  return is_ready
      && otp_record_recovery_codes(
             keyring, subject, subject_len, 1, NULL, 0, TIME - 30, recovery_codes, sizeof recovery_codes, listed.bytes,
             &listed.len)
      == OTP_OK;
}

#endif
