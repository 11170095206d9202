/* libotp: this engine as a C library (make libotp). */
#include <otp.h>

#include "adapter.h"
#include "libotp_uri.h"

static const char *done(otp_status status) { return status == OTP_OK ? NULL : "refused"; }

static const char *verdict(otp_status status, const otp_match *match, char *out) {
  if (match->result == OTP_ACCEPTED) sprintf(out, "accepted %" PRIu64, match->step);
  else strcpy(out, match->result == OTP_REPLAYED ? "replayed" : "rejected");
  return done(status);
}

static int verify(unsigned window) {
  static otp_key *key;
  if (key == NULL) otp_key_create(OTP_SHA1, (const uint8_t *)"12345678901234567890", 20, &key);
  const otp_window steps = {sizeof steps, window, window, 0, 0};
  otp_match match = OTP_MATCH_INIT;
  return otp_totp_verify(key, "000001", 6, 1111111109, NULL, &steps, &match) != OTP_OK || match.result != OTP_REJECTED;
}

/* `rest` is the words after the key. */
static const char *ask(const char *operation, otp_key *key, const otp_totp_params *params, char **rest, char *out) {
  otp_match match = OTP_MATCH_INIT;
  if (strcmp(operation, "totp") == 0) return done(otp_totp(key, signed_number(rest[0]), params, out));
  if (*operation != 'v') return done(otp_hotp(key, number(rest[0]), params->digits, out));
  const size_t length = bytes(rest[0]);
  const unsigned first = (unsigned)number(rest[2]);
  if (strcmp(operation, "verify-hotp") == 0)
    return verdict(otp_hotp_verify(key, rest[0], length, number(rest[1]), params->digits, first, &match), &match, out);
  const otp_window window = {sizeof window, first, (unsigned)number(rest[3]), *rest[4] != '-', number(rest[4])};
  return verdict(otp_totp_verify(key, rest[0], length, signed_number(rest[1]), params, &window, &match), &match, out);
}

static const char *answer(const char *operation, char **words, char *out) {
  if (strcmp(operation, "hello") == 0) return sprintf(out, "libotp %s", otp_version()) > 0 ? NULL : "crashed";
  if (strcmp(operation, "time") == 0) return measure(verify, words, out), NULL;
  if (strcmp(operation, "uri-build") == 0) return write_uri(words, out);
  if (strncmp(operation, "uri-", 4) == 0) return read_uri(words, out, operation[4] == 'c');
  if (strcmp(operation, "hmac") == 0) return "cannot";
  const int is_timed = strstr(operation, "totp") != NULL, is_code = strcmp(operation, "base32-code") == 0;
  uint8_t secret[LINE];
  char *word = words[is_timed ? 4 : is_code ? 3 : strstr(operation, "base32") != NULL ? 0 : 2];
  size_t length = bytes(word), count = sizeof secret;
  const unsigned flags = *operation == 's' ? OTP_BASE32_STRICT : 0;
  if (strstr(operation, "base32") == NULL) memcpy(secret, word, count = length);
  else if (otp_base32_decode(word, length, flags, secret, &count, NULL) != OTP_OK) return "refused";
  if (strstr(operation, "base32") != NULL && !is_code) return hexadecimal(out, (char *)secret, count), NULL;
  otp_key *key = NULL;
  const otp_totp_params params = {
      sizeof params, (unsigned)number(words[1]), is_timed ? signed_number(words[2]) : 30,
      is_timed ? signed_number(words[3]) : 0};
  otp_key_create(hash_of(words[0]), secret, count, &key);
  const char *other = ask(operation, key, &params, words + (is_timed ? 5 : is_code ? 2 : 3), out);
  otp_key_destroy(key);
  return other;
}
