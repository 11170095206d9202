// Overlapping memory: a function's inputs may overlap its outputs, but two of its outputs may not overlap each other.
// And lengths that no memory has.

#include <stdlib.h>

#include "check.h"

enum { ROOM = 512, TEXT = 160, MIDDLE = 200 };

/// The greatest possible length.
#define LONGEST (SIZE_MAX / 512)

static void fill(uint8_t *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) bytes[i] = (uint8_t)(i * 37 + 11);
}

/// Encodes and decodes within one buffer, with the output at every distance from the input, 0 included.
static void base32_in_place(void) {
  for (size_t count = 0; count <= 65; count += count < 22 ? 1 : 5) {
    uint8_t bytes[80], again[80];
    char text[TEXT];
    size_t length = sizeof text;
    fill(bytes, count);
    expect(otp_base32_encode(bytes, count, OTP_BASE32_PADDING, text, &length) == OTP_OK);
    for (int distance = -130; distance <= 130; distance++) {
      union {
        uint8_t bytes[ROOM];
        char text[ROOM];
      } buffer;
      memset(&buffer, 0x5A, sizeof buffer);
      memcpy(buffer.bytes + MIDDLE, bytes, count);
      size_t written = TEXT;
      expect(
          otp_base32_encode(buffer.bytes + MIDDLE, count, OTP_BASE32_PADDING, buffer.text + MIDDLE + distance, &written)
          == OTP_OK);
      expect(written == length && memcmp(buffer.text + MIDDLE + distance, text, length + 1) == 0);

      memset(&buffer, 0x5A, sizeof buffer);
      memcpy(buffer.text + MIDDLE, text, length);
      written = sizeof again;
      expect(
          otp_base32_decode(buffer.text + MIDDLE, length, 0, buffer.bytes + MIDDLE + distance, &written, NULL)
          == OTP_OK);
      expect(written == count && memcmp(buffer.bytes + MIDDLE + distance, bytes, count) == 0);
    }
  }
  // The length variable lies among the bytes to encode.
  union {
    size_t length;
    uint8_t bytes[sizeof(size_t)];
  } both, copy;
  both.length = copy.length = TEXT;
  char text[TEXT], expected[TEXT];
  size_t length = sizeof expected;
  expect(otp_base32_encode(copy.bytes, sizeof copy, 0, expected, &length) == OTP_OK);
  expect(otp_base32_encode(both.bytes, sizeof both, 0, text, &both.length) == OTP_OK && strcmp(text, expected) == 0);
}

static void keys_in_place(void) {
  // The key's pointer is written over its secret.
  union {
    uint8_t secret[20];
    otp_key *key;
  } both;
  char code[9];
  memcpy(both.secret, seed, sizeof seed);
  expect(otp_key_create(OTP_SHA1, both.secret, sizeof seed, &both.key) == OTP_OK);
  expect(otp_hotp(both.key, 1, 6, code) == OTP_OK && strcmp(code, seed_codes[1]) == 0);
  otp_key_destroy(both.key);
  union {
    char text[32];
    otp_key *key;
  } spelled;
  memcpy(spelled.text, "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", 32);
  expect(otp_key_create_base32(OTP_SHA1, spelled.text, 32, &spelled.key) == OTP_OK);
  expect(otp_hotp(spelled.key, 1, 6, code) == OTP_OK && strcmp(code, seed_codes[1]) == 0);
  otp_key_destroy(spelled.key);
}

static void verifications_in_place(const otp_key *key) {
  union {
    otp_match match;
    otp_window window;
    otp_totp_params params;
    char bytes[64];
    uint8_t secret[20];
  } both;
  memset(&both, 0, sizeof both);
  // The code lies in the outcome's memory, after its size.
  both.match.size = sizeof both.match;
  memcpy(both.bytes + 16, seed_codes[5], 6);
  expect(otp_totp_verify(key, both.bytes + 16, 6, 150, NULL, NULL, &both.match) == OTP_OK);
  expect(both.match.result == OTP_ACCEPTED && both.match.step == 5);
  memcpy(both.bytes + 16, seed_codes[5], 6);
  expect(otp_hotp_verify(key, both.bytes + 16, 6, 5, 6, 0, &both.match) == OTP_OK && both.match.step == 5);
  memcpy(both.bytes + 16, seed_codes[5], 6);
  const char *codes[2] = {both.bytes + 16, seed_codes[6]};
  both.bytes[22] = '\0';
  expect(otp_hotp_resynchronize(key, codes, 2, 5, 6, 0, &both.match) == OTP_OK && both.match.step == 6);
  // The typed text is where the code is written.
  memcpy(both.bytes, " 254-676\n", 9);
  expect(otp_code_read_typed(both.bytes, 9, 6, both.bytes) == OTP_OK && strcmp(both.bytes, seed_codes[5]) == 0);
  memcpy(both.bytes + 3, "254 676", 7);
  expect(otp_code_read_typed(both.bytes + 3, 7, 6, both.bytes) == OTP_OK && strcmp(both.bytes, seed_codes[5]) == 0);
  // The window and the parameters: structures as large as the outcome, and smaller.
  memset(&both, 0, sizeof both);
  both.window = (otp_window){sizeof both.match, 3, 0, 0, 0};
  expect(otp_totp_verify(key, seed_codes[2], 6, 150, NULL, &both.window, &both.match) == OTP_OK);
  expect(both.match.result == OTP_ACCEPTED && both.match.offset == -3);
  memset(&both, 0, sizeof both);
  both.params = (otp_totp_params){sizeof both.match, 6, 15, 0};
  expect(otp_totp_verify(key, seed_codes[5], 6, 75, &both.params, NULL, &both.match) == OTP_OK);
  expect(both.match.result == OTP_ACCEPTED && both.match.step == 5);
  both.params = (otp_totp_params){sizeof both.params, 6, 15, 0};
  expect(otp_totp(key, 75, &both.params, both.bytes) == OTP_OK && strcmp(both.bytes, seed_codes[5]) == 0);
}

static void batches(const otp_key *key) {
  enum { COUNT = 3 };
  union {
    otp_request requests[COUNT];
    otp_match results[2 * COUNT];
  } both, before;
  memset(&both, 0, sizeof both);
  for (size_t i = 0; i < COUNT; i++) {
    both.requests[i] = (otp_request){sizeof both.requests[i], OTP_HOTP, key, seed_codes[5], 6, 0, NULL, NULL, 5, 6, 0};
  }
  before = both;
  expect(otp_verify_batch(both.requests, COUNT, both.results) == OTP_INVALID_ARGUMENT);
  expect(memcmp(&both, &before, sizeof both) == 0);
  otp_match *inside = (otp_match *)&both.requests[COUNT - 1];
  expect(otp_verify_batch(both.requests, COUNT, inside) == OTP_INVALID_ARGUMENT);
  expect(memcmp(&both, &before, sizeof both) == 0);

  // What some requests point to overlaps the results: those requests fail, and the others do not.
  union {
    otp_match results[6];
    char bytes[6 * sizeof(otp_match)];
  } out;
  memset(&out, 0, sizeof out);
  otp_request requests[6];
  for (size_t i = 0; i < 6; i++) {
    requests[i] = (otp_request){sizeof requests[i], OTP_TOTP, key, seed_codes[5], 6, 150, NULL, NULL, 0, 0, 0};
  }
  out.results[0].size = sizeof out.results[0];
  requests[1].code = out.bytes + sizeof out - 1;
  requests[2].code = (const char *)&out - 5;
  requests[3].params = (const otp_totp_params *)&out.results[4];
  requests[4].window = (const otp_window *)&out.results[1];
  expect(otp_verify_batch(requests, 6, out.results) == OTP_OK);
  for (size_t i = 0; i < 6; i++) {
    const int is_apart = i == 0 || i == 5;
    expect(out.results[i].status == (is_apart ? OTP_OK : OTP_INVALID_ARGUMENT));
    expect(out.results[i].result == (is_apart ? OTP_ACCEPTED : OTP_REJECTED));
    expect(out.results[i].size == sizeof out.results[i]);
  }
  // No requests: no argument is read.
  expect(otp_verify_batch(NULL, 0, NULL) == OTP_OK);
  expect(otp_verify_batch(both.requests, 0, both.results) == OTP_OK);
}

static void uris_in_place(void) {
  static const char account[] = "alice smith", issuer[] = "ACME Co";
  otp_uri uri = OTP_URI_INIT;
  char expected[ROOM];
  uri.secret = seed;
  uri.secret_len = sizeof seed;
  uri.account = account;
  uri.account_len = strlen(account);
  uri.issuer = issuer;
  uri.issuer_len = strlen(issuer);
  size_t length = sizeof expected;
  expect(otp_uri_build(&uri, 0, expected, &length, NULL) == OTP_OK);
  for (size_t place = 0; place < 100; place++) {
    // The fields, then the structure itself, lie where the URI is written.
    union {
      otp_uri uri;
      char text[ROOM];
      uint8_t bytes[ROOM];
    } buffer;
    memset(&buffer, 0, sizeof buffer);
    uri.secret = memcpy(buffer.bytes + 150 + place, seed, sizeof seed);
    uri.account = memcpy(buffer.text + 180 + place, account, strlen(account));
    uri.issuer = memcpy(buffer.text + 200 + place, issuer, strlen(issuer));
    buffer.uri = uri;
    size_t written = 400;
    expect(otp_uri_build(&buffer.uri, 0, buffer.text + place, &written, NULL) == OTP_OK && written == length);
    expect(strcmp(buffer.text + place, expected) == 0);

    // The fields, then the structure as well, are written over the URI.
    otp_uri read = OTP_URI_INIT;
    memcpy(buffer.text + 50, expected, length);
    expect(otp_uri_parse(buffer.text + 50, length, 0, &read, buffer.text + place, 200, NULL) == OTP_OK);
    expect(read.secret_len == sizeof seed && memcmp(read.secret, seed, sizeof seed) == 0);
    expect(strcmp(read.account, account) == 0 && strcmp(read.issuer, issuer) == 0);
    expect(strcmp(read.label_issuer, issuer) == 0);
    char memory[200];
    buffer.uri.size = sizeof buffer.uri;
    memcpy(buffer.text + sizeof(size_t) + place, expected, length);
    if (place < 60) {
      expect(otp_uri_parse(buffer.text + sizeof(size_t) + place, length, 0, &buffer.uri, memory, 200, NULL) == OTP_OK);
      expect(strcmp(buffer.uri.account, account) == 0);
    }
  }
}

/// Two outputs of one call that overlap: nothing is written.
static void outputs_that_overlap(void) {
  union {
    size_t length;
    char text[ROOM];
    uint8_t bytes[ROOM];
    otp_uri uri;
  } both;
  memset(&both, 0x5A, sizeof both);
  for (size_t place = 0; place < 64; place += sizeof(size_t)) {
    size_t *length = (size_t *)(both.text + place);
    *length = 100;
    if (place < 24 || place >= 24 + 33) {
      expect(otp_base32_encode(seed, 20, 0, both.text + 24, length) == OTP_OK && *length == 32);
    } else {
      expect_refused(otp_base32_encode(seed, 20, 0, both.text + 24, length), OTP_INVALID_ARGUMENT, both);
    }
    *length = 100;
    if (place >= 24 && place < 44) {
      expect_refused(
          otp_base32_decode("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", 32, 0, both.bytes + 24, length, NULL),
          OTP_INVALID_ARGUMENT, both);
      expect_refused(otp_secret_generate(OTP_SHA1, both.bytes + 24, length), OTP_INVALID_ARGUMENT, both);
      otp_uri uri = OTP_URI_INIT;
      uri.secret = seed;
      uri.secret_len = sizeof seed;
      uri.account = "a";
      uri.account_len = 1;
      expect_refused(otp_uri_build(&uri, 0, both.text + 24, length, NULL), OTP_INVALID_ARGUMENT, both);
    }
  }
  static const char text[] = "otpauth://totp/a?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
  memset(&both, 0, sizeof both);
  both.uri.size = sizeof both.uri;
  for (size_t place = 0; place < sizeof both.uri; place++) {
    expect_refused(
        otp_uri_parse(text, strlen(text), 0, &both.uri, both.text + place, 200, NULL), OTP_INVALID_ARGUMENT, both);
  }
  expect(otp_uri_parse(text, strlen(text), 0, &both.uri, both.text + sizeof both.uri, 200, NULL) == OTP_OK);
}

/// The details of an error and another output that overlap: nothing is written, whether or not there is an error.
static void details_that_overlap(void) {
  enum { AT = 160, END = AT + sizeof(otp_error_info), SIZE = 40 };
  static const char *const texts[] = {"otpauth://totp/a?secret=GEZDGNBV", "otpauth://totp/a?secret=GEZDGNB!"};
  union {
    uint8_t bytes[ROOM];
    otp_uri uri;
  } both;
  uint8_t out[SIZE];
  otp_error_info *const error = (otp_error_info *)(both.bytes + AT);
  for (size_t place = 0; place < 2 * (AT + SIZE); place += sizeof(size_t)) {
    const size_t is_wrong = place % 16 / 8;
    uint8_t *const result = both.bytes + place / 16 * 8;
    size_t length = SIZE, *const inside = (size_t *)result;
    otp_uri read = OTP_URI_INIT;
    otp_uri uri = {sizeof uri, OTP_TOTP, OTP_SHA1, 6, 30, 0, seed, is_wrong ? 0 : 4, "a", 1, NULL, 0, NULL, 0};
    memset(&both, 0, sizeof both);
    error->size = sizeof *error;
    if (result + SIZE > both.bytes + AT && result < both.bytes + END) {
      expect_refused(otp_base32_decode(texts[is_wrong] + 24, 8, 0, result, &length, error), OTP_INVALID_ARGUMENT, both);
      expect_refused(otp_uri_build(&uri, 0, (char *)result, &length, error), OTP_INVALID_ARGUMENT, both);
      expect_refused(otp_uri_parse(texts[is_wrong], 32, 0, &read, result, SIZE, error), OTP_INVALID_ARGUMENT, both);
    } else {
      expect((otp_uri_build(&uri, 0, (char *)result, &length, error) == OTP_OK) == !is_wrong);
      length = SIZE;
      expect((otp_base32_decode(texts[is_wrong] + 24, 8, 0, result, &length, error) == OTP_OK) == !is_wrong);
      expect((otp_uri_parse(texts[is_wrong], 32, 0, &read, result, SIZE, error) == OTP_OK) == !is_wrong);
    }
    *inside = sizeof *error;  // A length, which is also a possible size.
    if (result < both.bytes + AT || result >= both.bytes + END) continue;
    expect_refused(otp_base32_decode(texts[is_wrong] + 24, 8, 0, out, inside, error), OTP_INVALID_ARGUMENT, both);
    expect_refused(otp_uri_build(&uri, 0, (char *)out, inside, error), OTP_INVALID_ARGUMENT, both);
  }
  for (size_t place = sizeof(size_t); place < sizeof both.uri; place += sizeof(size_t)) {
    memset(&both, 0, sizeof both);
    both.uri.size = sizeof both.uri;
    otp_error_info *const inside = (otp_error_info *)(both.bytes + place);
    inside->size = sizeof *inside;
    expect_refused(otp_uri_parse(texts[0], 32, 0, &both.uri, out, SIZE, inside), OTP_INVALID_ARGUMENT, both);
  }
}

static void lengths(const otp_key *key) {
  static const size_t impossible[] = {LONGEST + 1,      SIZE_MAX / 256, SIZE_MAX / 2,
                                      SIZE_MAX / 2 + 1, SIZE_MAX - 1,   SIZE_MAX};
  static const char read[] = "otpauth://totp/a?secret=GEZA";
  char text[TEXT];
  for (size_t i = 0; i < sizeof impossible / sizeof impossible[0]; i++) {
    size_t length = impossible[i];
    otp_match match = OTP_MATCH_INIT;
    otp_key *made = NULL;
    otp_uri uri = OTP_URI_INIT;
    expect(otp_key_create(OTP_SHA1, seed, length, &made) == OTP_INVALID_ARGUMENT && made == NULL);
    expect(otp_key_create_base32(OTP_SHA1, text, length, &made) == OTP_INVALID_ARGUMENT && made == NULL);
    expect(otp_totp_verify(key, text, length, 150, NULL, NULL, &match) == OTP_INVALID_ARGUMENT);
    expect(otp_hotp_verify(key, text, length, 0, 6, 0, &match) == OTP_INVALID_ARGUMENT);
    expect(otp_code_read_typed(text, length, 6, text) == OTP_INVALID_ARGUMENT);
    expect(otp_base32_encode(seed, length, 0, text, &length) == OTP_INVALID_ARGUMENT && length == impossible[i]);
    expect(otp_base32_encode(seed, 20, 0, text, &length) == OTP_INVALID_ARGUMENT && length == impossible[i]);
    expect(otp_base32_decode(text, length, 0, (uint8_t *)text, &length, NULL) == OTP_INVALID_ARGUMENT);
    expect(otp_secret_generate(OTP_SHA1, (uint8_t *)text, &length) == OTP_INVALID_ARGUMENT && length == impossible[i]);
    expect(otp_uri_parse(text, length, 0, &uri, text, sizeof text, NULL) == OTP_INVALID_ARGUMENT);
    expect(otp_uri_parse(read, strlen(read), 0, &uri, text, length, NULL) == OTP_INVALID_ARGUMENT);
    otp_request request = {sizeof request, OTP_HOTP, key, seed_codes[5], 6, 0, NULL, NULL, 5, 6, 0};
    match = marked_match();
    // The same number of bytes of requests, or of results.
    expect_refused(otp_verify_batch(&request, length / sizeof request + 1, &match), OTP_INVALID_ARGUMENT, match);
    expect_refused(otp_verify_batch(&request, length / sizeof match + 1, &match), OTP_INVALID_ARGUMENT, match);
  }
  // The greatest length is enough room, and no more of a text is read than a code may have.
  size_t length = LONGEST;
  expect(otp_base32_encode(seed, 20, 0, text, &length) == OTP_OK && length == 32);
  length = LONGEST;
  expect(otp_base32_decode("GEZA", 4, 0, (uint8_t *)text, &length, NULL) == OTP_OK && length == 2);
  otp_match match = OTP_MATCH_INIT;
  expect(otp_totp_verify(key, seed_codes[5], LONGEST, 150, NULL, NULL, &match) == OTP_OK);
  expect(match.result == OTP_REJECTED && match.status == OTP_OK);
}

int main(void) {
  otp_key *key = seed_key();
  base32_in_place();
  keys_in_place();
  verifications_in_place(key);
  batches(key);
  uris_in_place();
  outputs_that_overlap();
  details_that_overlap();
  lengths(key);
  otp_key_destroy(key);
  return finish("arguments_memory");
}
