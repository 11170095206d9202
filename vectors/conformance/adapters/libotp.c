/* libotp: this engine as a C library (make libotp). */
#include "adapter.h"

#include <otp.h>

enum { MOST = 1000 };

/* The verifications since the last batch, with what they point to. */
static otp_request requests[MOST];
static otp_totp_params params_of_requests[MOST];
static otp_window windows_of_requests[MOST];
static size_t request_count;

/* The first two are mistakes of this program, not of what it was asked. */
static const char *done(otp_status status) {
  if (status == OTP_INVALID_ARGUMENT || status == OTP_OUTPUT_TOO_SHORT) return "crashed";
  return status == OTP_OK ? NULL : "refused";
}

static otp_hash hash_of(const char *name) {
  return strcmp(name, "SHA1") == 0 ? OTP_SHA1 : strcmp(name, "SHA256") == 0 ? OTP_SHA256 : OTP_SHA512;
}

static otp_key *key_of(const char *hash, const char *secret, size_t length) {
  otp_key *key = NULL;
  if (otp_key_create(hash_of(hash), (const uint8_t *)secret, length, &key) != OTP_OK) exit(1);
  return key;
}

/* DIGITS PERIOD T0 */
static otp_totp_params params_of(char **words) {
  const otp_totp_params params = {
      sizeof params, (unsigned)number(words[0]), signed_number(words[1]), signed_number(words[2])};
  return params;
}

static const char *hotp(char **words, char *out) {
  otp_key *key = key_of(words[0], words[2], bytes(words[2]));
  const otp_status status = otp_hotp(key, number(words[3]), (unsigned)number(words[1]), out);
  otp_key_destroy(key);
  return done(status);
}

static const char *totp(char **words, char *out) {
  const otp_totp_params params = params_of(words + 1);
  otp_key *key = key_of(words[0], words[4], bytes(words[4]));
  const otp_status status = otp_totp(key, signed_number(words[5]), &params, out);
  otp_key_destroy(key);
  return done(status);
}

/* Writes an outcome, and returns where it ends. */
static char *write_match(char *out, const otp_match *match, char separator) {
  if (match->result == OTP_ACCEPTED)
    return out + sprintf(out, "accepted%c%" PRIu64 "%c%" PRId64, separator, match->step, separator, match->offset);
  return out + sprintf(out, match->result == OTP_REPLAYED ? "replayed" : "rejected");
}

/* Remembers a request. Its key and its code live until the batch. */
static otp_request *remembered(otp_type type, otp_key *key, char *code) {
  const size_t length = bytes(code);
  char *copy = (char *)malloc(length + 1);
  if (request_count == MOST || copy == NULL) exit(1);
  otp_request *it = &requests[request_count++];
  it->size = sizeof *it;
  it->type = type;
  it->key = key;
  it->code = (const char *)memcpy(copy, code, length + 1);
  it->code_len = length;
  return it;
}

static const char *verify_hotp(char **words, char *out) {
  otp_match match = OTP_MATCH_INIT;
  otp_request *it = remembered(OTP_HOTP, key_of(words[0], words[2], bytes(words[2])), words[3]);
  it->digits = (unsigned)number(words[1]);
  it->counter = number(words[4]);
  it->look_ahead = (unsigned)number(words[5]);
  const otp_status status =
      otp_hotp_verify(it->key, it->code, it->code_len, it->counter, it->digits, it->look_ahead, &match);
  write_match(out, &match, ' ');
  return done(status);
}

static const char *verify_totp(char **words, char *out) {
  otp_match match = OTP_MATCH_INIT, with_secret = OTP_MATCH_INIT;
  otp_totp_params *params = &params_of_requests[request_count];
  otp_window *window = &windows_of_requests[request_count];
  const size_t length = bytes(words[4]);
  otp_request *it = remembered(OTP_TOTP, key_of(words[0], words[4], length), words[5]);
  *params = params_of(words + 1);
  window->size = sizeof *window;
  window->behind = (unsigned)number(words[7]);
  window->ahead = (unsigned)number(words[8]);
  window->has_after = *words[9] != '-';
  window->after = number(words[9]);
  it->unix_time = signed_number(words[6]);
  it->params = params;
  it->window = window;
  const otp_status status = otp_totp_verify(it->key, it->code, it->code_len, it->unix_time, params, window, &match);
  const otp_status other = otp_totp_verify_secret(
      hash_of(words[0]), (const uint8_t *)words[4], length, it->code, it->code_len, it->unix_time, params, window,
      &with_secret);
  if (other != status || memcmp(&match, &with_secret, sizeof match) != 0) return "crashed otp_totp_verify_secret";
  write_match(out, &match, ' ');
  return done(status);
}

static const char *batch(char **words, char *out) {
  static otp_match matches[MOST];
  (void)words;
  matches[0].size = sizeof matches[0];
  const otp_status status = otp_verify_batch(requests, request_count, matches);
  for (size_t i = 0; i < request_count; i++) {
    if (i > 0) *out++ = ' ';
    out = write_match(out, &matches[i], ':');
    otp_key_destroy((otp_key *)requests[i].key);
    free((char *)requests[i].code);
  }
  request_count = 0;
  return done(status);
}

static const char *decode(char *word, unsigned flags, char *out) {
  static uint8_t decoded[LINE];
  size_t count = sizeof decoded;
  const size_t length = bytes(word);
  const otp_status status = otp_base32_decode(word, length, flags, decoded, &count, NULL);
  if (status == OTP_OK) hexadecimal(out, (const char *)decoded, count);
  return done(status);
}

static const char *base32(char **words, char *out) { return decode(words[0], 0, out); }

static const char *strict_base32(char **words, char *out) { return decode(words[0], OTP_BASE32_STRICT, out); }

static const char *base32_encode(char **words, char *out) {
  static char text[LINE];
  size_t length = sizeof text;
  const size_t count = bytes(words[0]);
  const otp_status status = otp_base32_encode((const uint8_t *)words[0], count, 0, text, &length);
  if (status == OTP_OK && strlen(text) != length) return "crashed length";
  hexadecimal(out, text, length);
  return done(status);
}

static const char *base32_code(char **words, char *out) {
  otp_key *key = NULL;
  const size_t length = bytes(words[3]);
  otp_status status = otp_key_create_base32(hash_of(words[0]), words[3], length, &key);
  if (status == OTP_OK) status = otp_hotp(key, number(words[2]), (unsigned)number(words[1]), out);
  otp_key_destroy(key);
  return done(status);
}

static const char *parse(char *word, otp_uri *uri, char *memory) {
  otp_error_info error = OTP_ERROR_INFO_INIT;
  const otp_uri empty = OTP_URI_INIT;
  const size_t length = bytes(word);
  *uri = empty;
  const otp_status status = otp_uri_parse(word, length, 0, uri, memory, OTP_URI_MEMORY, &error);
  return error.position != SIZE_MAX && error.position > length ? "crashed position" : done(status);
}

static const char *uri_parse(char **words, char *out) {
  static const char *const hashes[] = {"", "SHA1", "SHA256", "SHA512"};
  char memory[OTP_URI_MEMORY];
  otp_uri uri;
  const char *other = parse(words[0], &uri, memory);
  if (other != NULL) return other;
  const struct {
    const char *name, *value;
    size_t length;
  } texts[] = {
      {"issuer", uri.issuer, uri.issuer_len},
      {"labelIssuer", uri.label_issuer, uri.label_issuer_len},
      {"account", uri.account, uri.account_len},
      {"secret", (const char *)uri.secret, uri.secret_len}};
  out += sprintf(out, "type=%s", uri.type == OTP_HOTP ? "hotp" : "totp");
  for (size_t i = 0; i < 4; i++) {
    out += sprintf(out, " %s=", texts[i].name);
    if (texts[i].value == NULL) strcpy(out, "-");
    else hexadecimal(out, texts[i].value, texts[i].length);
    out += strlen(out);
  }
  out += sprintf(out, " algorithm=%s digits=%u ", hashes[uri.hash], uri.digits);
  if (uri.type == OTP_HOTP) sprintf(out, "counter=%" PRIu64, uri.counter);
  else sprintf(out, "period=%" PRId64, uri.period);
  return NULL;
}

static const char *uri_code(char **words, char *out) {
  char memory[OTP_URI_MEMORY];
  otp_uri uri;
  const char *other = parse(words[0], &uri, memory);
  if (other != NULL) return other;
  otp_key *key = NULL;
  const otp_totp_params params = {sizeof params, uri.digits, uri.period, 0};
  otp_status status = otp_key_create(uri.hash, uri.secret, uri.secret_len, &key);
  if (status == OTP_OK && uri.type == OTP_HOTP) status = otp_hotp(key, uri.counter, uri.digits, out);
  else if (status == OTP_OK) status = otp_totp(key, signed_number(words[1]), &params, out);
  otp_key_destroy(key);
  return done(status);
}

static const char *uri_build(char **words, char *out) {
  static char text[OTP_URI_MAX + 1];
  otp_uri uri = OTP_URI_INIT;
  size_t length = sizeof text;
  uri.type = strcmp(words[0], "hotp") == 0 ? OTP_HOTP : OTP_TOTP;
  if (*words[1] != '-') {
    uri.issuer_len = bytes(words[1]);
    uri.issuer = words[1];
  }
  uri.account_len = bytes(words[2]);
  uri.account = words[2];
  uri.secret_len = bytes(words[3]);
  uri.secret = (const uint8_t *)words[3];
  uri.hash = hash_of(words[4]);
  uri.digits = (unsigned)number(words[5]);
  if (uri.type == OTP_HOTP) uri.counter = number(words[6]);
  else uri.period = signed_number(words[6]);
  const otp_status status = otp_uri_build(&uri, 0, text, &length, NULL);
  if (status == OTP_OK && strlen(text) != length) return "crashed length";
  if (status == OTP_OK) hexadecimal(out, text, length);
  return done(status);
}

#include "libotp_records.h"

static const char *hello(char **words, char *out) {
  (void)words;
  sprintf(out, "libotp %s", otp_version());
  return NULL;
}

static const char *answer(const char *operation, char **words, char *out) {
  static const struct {
    const char *name;
    const char *(*answer)(char **words, char *out);
  } operations[] = {
      {"hello", hello},
      {"hotp", hotp},
      {"totp", totp},
      {"verify-hotp", verify_hotp},
      {"verify-totp", verify_totp},
      {"batch", batch},
      {"base32", base32},
      {"strict-base32", strict_base32},
      {"base32-encode", base32_encode},
      {"base32-code", base32_code},
      {"uri-parse", uri_parse},
      {"uri-code", uri_code},
      {"uri-build", uri_build},
      {"record-totp", record_totp},
      {"record-hotp", record_hotp},
      {"submit", submit},
      {"unlock", unlock}};
  for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
    if (strcmp(operation, operations[i].name) == 0) return operations[i].answer(words, out);
  }
  return "cannot";
}
