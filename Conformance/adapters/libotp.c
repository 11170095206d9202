/* libotp: this engine as a C library (make libotp). */
#include <otp.h>

#include "adapter.h"

static otp_hash hash_of(const char *name) {
  return strcmp(name, "SHA1") == 0 ? OTP_SHA1 : strcmp(name, "SHA256") == 0 ? OTP_SHA256 : OTP_SHA512;
}

static otp_key *key_of(const char *hash, char *secret) {
  otp_key *key = NULL;
  const size_t count = bytes(secret);
  otp_key_create(hash_of(hash), (const uint8_t *)secret, count, &key);
  return key;
}

static int verify(unsigned window) {
  static otp_key *key;
  if (key == NULL) otp_key_create(OTP_SHA1, (const uint8_t *)"12345678901234567890", 20, &key);
  const otp_window steps = {sizeof steps, window, window, 0, 0};
  otp_match match = OTP_MATCH_INIT;
  return otp_totp_verify(key, "000001", 6, 59, NULL, &steps, &match) != OTP_OK || match.result != OTP_REJECTED;
}

static const char *verdict(otp_status status, const otp_match *match, char *out) {
  if (status != OTP_OK) return "refused";
  if (match->result == OTP_ACCEPTED) sprintf(out, "accepted %" PRIu64, match->step);
  else strcpy(out, match->result == OTP_REPLAYED ? "replayed" : "rejected");
  return NULL;
}

#include "libotp_uri.h"

static const char *answer(const char *operation, char **words, char *out) {
  if (strcmp(operation, "hello") == 0) return sprintf(out, "libotp %s", otp_version()) > 0 ? NULL : "crashed";
  if (strcmp(operation, "time") == 0) return measure(verify, words, out), NULL;
  if (strcmp(operation, "uri-build") == 0) return write_uri(words, out);
  if (strncmp(operation, "uri-", 4) == 0) return read_uri(words, out, operation[4] == 'c');
  uint8_t secret[LINE];
  size_t count = sizeof secret;
  const int is_code = strcmp(operation, "base32-code") == 0, is_strict = *operation == 's';
  if (strstr(operation, "base32") != NULL) {
    char *encoded = words[is_code ? 3 : 0];
    const size_t length = bytes(encoded);
    if (otp_base32_decode(encoded, length, is_strict ? OTP_BASE32_STRICT : 0, secret, &count, NULL) != OTP_OK) return "refused";
    if (!is_code) return hexadecimal(out, (char *)secret, count), NULL;
  }
  if (strcmp(operation, "hmac") == 0) return "cannot";
  const int is_timed = strstr(operation, "totp") != NULL;
  char **rest = words + (is_timed ? 5 : 3);
  otp_key *key = is_code ? NULL : key_of(words[0], words[is_timed ? 4 : 2]);
  if (is_code) otp_key_create(hash_of(words[0]), secret, count, &key);
  otp_totp_params params = {sizeof params, (unsigned)number(words[1]), 0, 0};
  otp_match match = OTP_MATCH_INIT;
  const char *other;
  if (is_timed) params.period = signed_number(words[2]), params.t0 = signed_number(words[3]);
  if (is_code) other = otp_hotp(key, number(words[2]), params.digits, out) == OTP_OK ? NULL : "refused";
  else if (strcmp(operation, "hotp") == 0) other = otp_hotp(key, number(*rest), params.digits, out) == OTP_OK ? NULL : "refused";
  else if (strcmp(operation, "totp") == 0) other = otp_totp(key, signed_number(*rest), &params, out) == OTP_OK ? NULL : "refused";
  else {
    const size_t length = bytes(rest[0]);
    otp_status status;
    if (is_timed) {
      const otp_window window = {sizeof window, (unsigned)number(rest[2]), (unsigned)number(rest[3]), *rest[4] != '-', number(rest[4])};
      status = otp_totp_verify(key, rest[0], length, signed_number(rest[1]), &params, &window, &match);
    } else {
      status = otp_hotp_verify(key, rest[0], length, number(rest[1]), params.digits, (unsigned)number(rest[2]), &match);
    }
    other = verdict(status, &match, out);
  }
  otp_key_destroy(key);
  return other;
}
