// Secrets, base32 and URIs with every invalid argument; round trips; and the errors for malformed texts.

#include <stdlib.h>

#include "check.h"

static void secrets(void) {
  uint8_t bytes[64], again[64];
  size_t length = sizeof bytes;
  memset(bytes, 0x5A, sizeof bytes);
  expect_refused(otp_secret_generate(OTP_SHA1, NULL, &length), OTP_INVALID_ARGUMENT, length);
  expect_refused(otp_secret_generate(OTP_SHA1, bytes, NULL), OTP_INVALID_ARGUMENT, bytes);
  expect_refused(otp_secret_generate((otp_hash)0, bytes, &length), OTP_INVALID_ARGUMENT, length);
  expect_refused(otp_secret_generate((otp_hash)4, bytes, &length), OTP_INVALID_ARGUMENT, bytes);
  length = SIZE_MAX;
  expect_refused(otp_secret_generate(OTP_SHA1, bytes, &length), OTP_INVALID_ARGUMENT, bytes);
  static const size_t tags[] = {20, 32, 64};
  for (int hash = OTP_SHA1; hash <= OTP_SHA512; hash++) {
    const size_t tag = tags[hash - OTP_SHA1];
    length = 0;
    expect(otp_secret_generate((otp_hash)hash, NULL, &length) == OTP_OUTPUT_TOO_SHORT && length == tag);
    length = tag - 1;
    memset(bytes, 0x5A, sizeof bytes);
    expect_refused(otp_secret_generate((otp_hash)hash, bytes, &length), OTP_OUTPUT_TOO_SHORT, bytes);
    expect(length == tag);
    expect(otp_secret_generate((otp_hash)hash, bytes, &length) == OTP_OK && length == tag);
    for (size_t i = tag; i < sizeof bytes; i++) expect(bytes[i] == 0x5A);
    length = sizeof again;
    expect(otp_secret_generate((otp_hash)hash, again, &length) == OTP_OK && length == tag);
    expect(memcmp(bytes, again, tag) != 0);
  }
}

static void base32_arguments(void) {
  char text[64];
  uint8_t bytes[64];
  size_t length = sizeof text;
  otp_error_info info = OTP_ERROR_INFO_INIT;
  memset(text, 0x5A, sizeof text);
  memset(bytes, 0x5A, sizeof bytes);
  expect_refused(otp_base32_encode(NULL, 1, 0, text, &length), OTP_INVALID_ARGUMENT, text);
  expect_refused(otp_base32_encode(seed, 20, 0, NULL, &length), OTP_INVALID_ARGUMENT, length);
  expect_refused(otp_base32_encode(seed, 20, 0, text, NULL), OTP_INVALID_ARGUMENT, text);
  expect_refused(otp_base32_encode(seed, 20, OTP_BASE32_STRICT, text, &length), OTP_INVALID_ARGUMENT, text);
  expect_refused(otp_base32_encode(seed, SIZE_MAX, 0, text, &length), OTP_INVALID_ARGUMENT, length);
  expect_refused(otp_base32_decode(NULL, 1, 0, bytes, &length, &info), OTP_INVALID_ARGUMENT, length);
  expect_refused(otp_base32_decode("GEZA", 4, 0, NULL, &length, &info), OTP_INVALID_ARGUMENT, length);
  expect_refused(otp_base32_decode("GEZA", 4, 0, bytes, NULL, &info), OTP_INVALID_ARGUMENT, bytes);
  expect_refused(otp_base32_decode("GEZA", 4, OTP_BASE32_PADDING, bytes, &length, &info), OTP_INVALID_ARGUMENT, bytes);
  expect_refused(otp_base32_decode("GEZA", SIZE_MAX, 0, bytes, &length, &info), OTP_INVALID_ARGUMENT, bytes);
  length = SIZE_MAX;
  expect_refused(otp_base32_encode(seed, 20, 0, text, &length), OTP_INVALID_ARGUMENT, text);
  expect_refused(otp_base32_decode("GEZA", 4, 0, bytes, &length, &info), OTP_INVALID_ARGUMENT, bytes);
  length = sizeof bytes;
  info.size = 3;
  expect_refused(otp_base32_decode("GEZA", 4, 0, bytes, &length, &info), OTP_INVALID_ARGUMENT, info);
  // No bytes and no text.
  length = 0;
  expect(otp_base32_encode(NULL, 0, 0, NULL, &length) == OTP_OUTPUT_TOO_SHORT && length == 0);
  length = 1;
  expect(otp_base32_encode(NULL, 0, 0, text, &length) == OTP_OK && length == 0 && text[0] == '\0');
  expect(otp_base32_decode(NULL, 0, 0, NULL, &length, NULL) == OTP_OK || length == 1);
  length = 0;
  expect(otp_base32_decode(NULL, 0, 0, NULL, &length, NULL) == OTP_OK && length == 0);
}

/// Every length, both ways, into memory that is one byte too short and memory that just fits.
static void base32_round_trips(void) {
  for (size_t count = 0; count <= 130; count++) {
    for (unsigned padding = 0; padding <= OTP_BASE32_PADDING; padding++) {
      uint8_t bytes[130], again[130];
      for (size_t i = 0; i < count; i++) bytes[i] = (uint8_t)(i * 37 + count);
      const size_t symbols = padding ? (count + 4) / 5 * 8 : (count * 8 + 4) / 5;
      size_t length = symbols;
      char *text = malloc(symbols + 1);
      uint8_t *exact = malloc(count + 1);
      memset(text, 0x5A, symbols + 1);
      expect(otp_base32_encode(bytes, count, padding, text, &length) == OTP_OUTPUT_TOO_SHORT && length == symbols);
      expect(text[0] == 0x5A);
      length = symbols + 1;
      expect(otp_base32_encode(bytes, count, padding, text, &length) == OTP_OK && length == symbols);
      expect(strlen(text) == symbols);
      if (count > 0) {
        length = count - 1;
        memset(exact, 0x5A, count + 1);
        expect(otp_base32_decode(text, symbols, 0, exact, &length, NULL) == OTP_OUTPUT_TOO_SHORT && length == count);
        expect(exact[0] == 0x5A);
      }
      length = count;
      expect(otp_base32_decode(text, symbols, 0, exact, &length, NULL) == OTP_OK && length == count);
      expect(memcmp(exact, bytes, count) == 0);
      // Strict base32 requires the padding.
      length = sizeof again;
      const otp_status strict = otp_base32_decode(text, symbols, OTP_BASE32_STRICT, again, &length, NULL);
      expect(strict == (padding || count % 5 == 0 ? OTP_OK : OTP_INVALID_BASE32_PADDING));
      free(text);
      free(exact);
    }
  }
}

static void base32_errors(void) {
  static const struct {
    const char *text;
    unsigned flags;
    otp_status status;
    size_t position;
  } cases[] = {
      {"GEZ!GNBV", 0, OTP_INVALID_BASE32_CHARACTER, 3},
      {"geza", OTP_BASE32_STRICT, OTP_INVALID_BASE32_CHARACTER, 0},
      {"GEZD GNBV", OTP_BASE32_STRICT, OTP_INVALID_BASE32_CHARACTER, 4},
      {"G", 0, OTP_INVALID_BASE32_LENGTH, SIZE_MAX},
      {"GEZ", 0, OTP_INVALID_BASE32_LENGTH, SIZE_MAX},
      {"GEZDGN", 0, OTP_INVALID_BASE32_LENGTH, SIZE_MAX},
      {"GEZA=", 0, OTP_INVALID_BASE32_PADDING, SIZE_MAX},
      {"GF======", OTP_BASE32_STRICT, OTP_NON_ZERO_BASE32_TRAILING_BITS, SIZE_MAX},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    otp_error_info info = OTP_ERROR_INFO_INIT;
    uint8_t bytes[16];
    size_t length = sizeof bytes;
    memset(bytes, 0x5A, sizeof bytes);
    expect_refused(
        otp_base32_decode(cases[i].text, strlen(cases[i].text), cases[i].flags, bytes, &length, &info), cases[i].status,
        bytes);
    expect(length == sizeof bytes && info.size == sizeof info && info.part == NULL);
    if (cases[i].position != SIZE_MAX) expect(info.position == cases[i].position);
    expect(info.position == SIZE_MAX || info.position <= strlen(cases[i].text));
  }
}

static otp_uri example(void) {
  otp_uri uri = OTP_URI_INIT;
  uri.secret = seed;
  uri.secret_len = sizeof seed;
  uri.issuer = "ACME Co";
  uri.issuer_len = 7;
  uri.account = "alice";
  uri.account_len = 5;
  return uri;
}

static const char example_text[] =
    "otpauth://totp/ACME%20Co:alice?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=ACME%20Co";

static void uri_build(void) {
  char text[OTP_URI_MAX + 1];
  const size_t expected = strlen(example_text);
  otp_uri uri = example();
  otp_error_info info = OTP_ERROR_INFO_INIT;
  size_t length = sizeof text;
  memset(text, 0x5A, sizeof text);
  expect_refused(otp_uri_build(NULL, 0, text, &length, &info), OTP_INVALID_ARGUMENT, text);
  expect_refused(otp_uri_build(&uri, 0, NULL, &length, &info), OTP_INVALID_ARGUMENT, length);
  expect_refused(otp_uri_build(&uri, 0, text, NULL, &info), OTP_INVALID_ARGUMENT, text);
  expect_refused(otp_uri_build(&uri, 2, text, &length, &info), OTP_INVALID_ARGUMENT, text);
  length = 0;
  expect(otp_uri_build(&uri, 0, NULL, &length, NULL) == OTP_OUTPUT_TOO_SHORT && length == expected);
  expect_refused(otp_uri_build(&uri, 0, text, &length, &info), OTP_OUTPUT_TOO_SHORT, text);
  length = expected + 1;
  expect(otp_uri_build(&uri, 0, text, &length, &info) == OTP_OK && length == expected);
  expect(strcmp(text, example_text) == 0 && text[expected + 1] == 0x5A);
  length = sizeof text;
  expect(otp_uri_build(&uri, OTP_URI_WRITE_DEFAULTS, text, &length, NULL) == OTP_OK);
  expect(strstr(text, "&algorithm=SHA1&digits=6&period=30") != NULL);

#define expect_unbuilt(change, status)                                          \
  do {                                                                          \
    otp_uri uri = example();                                                    \
    change;                                                                     \
    memset(text, 0x5A, sizeof text);                                            \
    length = sizeof text;                                                       \
    expect_refused(otp_uri_build(&uri, 0, text, &length, &info), status, text); \
    expect(length == sizeof text);                                              \
  } while (0)
  expect_unbuilt(uri.size--, OTP_INVALID_ARGUMENT);
  expect_unbuilt(uri.size = SIZE_MAX, OTP_INVALID_ARGUMENT);
  expect_unbuilt(uri.type = (otp_type)0, OTP_INVALID_ARGUMENT);
  expect_unbuilt(uri.type = (otp_type)3, OTP_INVALID_ARGUMENT);
  expect_unbuilt(uri.hash = (otp_hash)0, OTP_INVALID_ARGUMENT);
  expect_unbuilt(uri.digits = 5, OTP_INVALID_DIGITS);
  expect_unbuilt(uri.digits = 9, OTP_INVALID_DIGITS);
  expect(info.part != NULL && strcmp(info.part, "digits") == 0);
  expect_unbuilt(uri.period = 0, OTP_INVALID_PERIOD);
  expect_unbuilt(uri.secret = NULL, OTP_INVALID_ARGUMENT);
  expect_unbuilt(uri.secret_len = SIZE_MAX, OTP_INVALID_ARGUMENT);
  expect_unbuilt(uri.secret_len = 0, OTP_EMPTY_SECRET);
  expect(info.part != NULL && strcmp(info.part, "secret") == 0);
  expect_unbuilt(uri.account = NULL, OTP_INVALID_ARGUMENT);
  expect_unbuilt(uri.account_len = SIZE_MAX, OTP_INVALID_ARGUMENT);
  expect_unbuilt(uri.issuer = NULL, OTP_INVALID_ARGUMENT);
  expect_unbuilt(uri.issuer_len = SIZE_MAX, OTP_INVALID_ARGUMENT);
  expect_unbuilt(uri.account_len = 0, OTP_INVALID_ACCOUNT);
  expect(info.part != NULL);
  expect_unbuilt(uri.account = "al:ce", OTP_INVALID_ACCOUNT);
  expect(info.part != NULL && strcmp(info.part, "account") == 0);
  // Reading drops spaces at an account's beginning, so the URI would not be read back the same.
  expect_unbuilt(uri.account = " lice", OTP_INVALID_ACCOUNT);
  expect(info.part != NULL && strcmp(info.part, "account") == 0);
  expect_unbuilt(uri.account = "     ", OTP_INVALID_ACCOUNT);
  expect_unbuilt(uri.issuer = "ACME:Co", OTP_INVALID_ISSUER);
  expect(info.part != NULL && strcmp(info.part, "issuer") == 0);
  expect_unbuilt(
      uri.issuer =
          "ACME\xFF"
          "Co",
      OTP_INVALID_UTF8);
  expect(info.part != NULL && strcmp(info.part, "issuer") == 0);
  expect_unbuilt(
      uri.account =
          "al\xC0\x80"
          "e",
      OTP_INVALID_UTF8);
  expect(info.part != NULL && strcmp(info.part, "account") == 0);
  static char long_account[3000];
  memset(long_account, 'a', sizeof long_account);
  expect_unbuilt((uri.account = long_account, uri.account_len = sizeof long_account), OTP_URI_TOO_LONG);

  // Without an issuer; and HOTP, up to the last counter.
  uri = example();
  uri.issuer = NULL;
  uri.issuer_len = 0;
  uri.type = OTP_HOTP;
  uri.counter = UINT64_MAX;
  length = sizeof text;
  expect(otp_uri_build(&uri, 0, text, &length, NULL) == OTP_OK);
  expect(
      strcmp(text, "otpauth://hotp/alice?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&counter=18446744073709551615") == 0);
}

static void uri_parse(void) {
  static unsigned char memory[OTP_URI_MEMORY];
  otp_uri uri = OTP_URI_INIT;
  otp_error_info info = OTP_ERROR_INFO_INIT;
  const size_t length = strlen(example_text);
  memset(memory, 0x5A, sizeof memory);
  memset(&uri, 0xA5, sizeof uri);
  uri.size = sizeof uri;
#define PARSE(text, length, flags) otp_uri_parse(text, length, flags, &uri, memory, sizeof memory, &info)
  expect_refused(PARSE(NULL, 1, 0), OTP_INVALID_ARGUMENT, uri);
  expect_refused(PARSE(example_text, SIZE_MAX, 0), OTP_INVALID_ARGUMENT, uri);
  expect_refused(PARSE(example_text, length, 1), OTP_INVALID_ARGUMENT, uri);
  expect_refused(PARSE(example_text, length, 16), OTP_INVALID_ARGUMENT, uri);
  expect_refused(
      otp_uri_parse(example_text, length, 0, NULL, memory, sizeof memory, &info), OTP_INVALID_ARGUMENT, memory);
  expect_refused(otp_uri_parse(example_text, length, 0, &uri, NULL, 4096, &info), OTP_INVALID_ARGUMENT, uri);
  expect_refused(otp_uri_parse(example_text, length, 0, &uri, memory, SIZE_MAX, &info), OTP_INVALID_ARGUMENT, uri);
  uri.size--;
  expect_refused(PARSE(example_text, length, 0), OTP_INVALID_ARGUMENT, uri);
  uri.size = 4097;
  expect_refused(PARSE(example_text, length, 0), OTP_INVALID_ARGUMENT, uri);
  uri.size = sizeof uri;
  info.size = 1;
  expect_refused(PARSE(example_text, length, 0), OTP_INVALID_ARGUMENT, uri);
  info.size = sizeof info;

  // The secret, three texts, and a NUL after each. In less memory, no byte of the secret is left behind.
  const size_t needed = sizeof seed + 1 + 5 + 1 + 7 + 1 + 7 + 1;
  for (size_t room = 0; room < needed; room++) {
    unsigned char *exact = malloc(room + 1);
    memset(exact, 0x5A, room + 1);
    memset(memory, 0x5A, sizeof memory);
    expect_refused(
        otp_uri_parse(example_text, length, 0, &uri, room == 0 ? NULL : exact, room, NULL), OTP_OUTPUT_TOO_SHORT, uri);
    expect(memcmp(exact, memory, room + 1) == 0);
    free(exact);
  }
  unsigned char *exact = malloc(needed);
  expect(otp_uri_parse(example_text, length, 0, &uri, exact, needed, NULL) == OTP_OK);
  expect(uri.size == sizeof uri && uri.type == OTP_TOTP && uri.hash == OTP_SHA1 && uri.digits == 6);
  expect(uri.period == 30 && uri.counter == 0);
  expect(uri.secret_len == 20 && memcmp(uri.secret, seed, 20) == 0 && uri.secret[20] == 0);
  expect(uri.account_len == 5 && strcmp(uri.account, "alice") == 0);
  expect(uri.issuer_len == 7 && strcmp(uri.issuer, "ACME Co") == 0);
  expect(uri.label_issuer_len == 7 && strcmp(uri.label_issuer, "ACME Co") == 0);
  free(exact);

  // The options.
#define URI(rest) "otpauth://" rest
  static const char plus[] = URI("totp/a?secret=GEZA&issuer=A+B"), late[] = URI("hotp/a?secret=GEZA"),
                    loose[] = URI("totp/a?secret=geza");
  expect(PARSE(plus, sizeof plus - 1, 0) == OTP_OK && strcmp(uri.issuer, "A+B") == 0);
  expect(uri.label_issuer == NULL && uri.label_issuer_len == 0);
  expect(PARSE(plus, sizeof plus - 1, OTP_URI_PLUS_IS_SPACE) == OTP_OK && strcmp(uri.issuer, "A B") == 0);
  expect(PARSE(late, sizeof late - 1, 0) == OTP_MISSING_PARAMETER);
  expect(PARSE(late, sizeof late - 1, OTP_URI_MISSING_COUNTER_IS_ZERO) == OTP_OK && uri.counter == 0);
  expect(uri.type == OTP_HOTP && uri.issuer == NULL);
  expect(PARSE(loose, sizeof loose - 1, OTP_URI_STRICT_BASE32) == OTP_INVALID_BASE32_CHARACTER);
  expect(PARSE(loose, sizeof loose - 1, 0) == OTP_OK);
  expect(PARSE(loose, sizeof loose - 1, OTP_URI_PLUS_IS_SPACE | OTP_URI_MISSING_COUNTER_IS_ZERO) == OTP_OK);
}

/// Each status of a malformed URI, with the part and the position.
static void uri_errors(void) {
  static const struct {
    const char *text;
    otp_status status;
    const char *part;
  } cases[] = {
      {"http://totp/a?secret=GEZA", OTP_INVALID_SCHEME, "scheme"},
      {"otpauth://motp/a?secret=GEZA", OTP_INVALID_TYPE, "type"},
      {"otpauth://me@totp/a?secret=GEZA", OTP_INVALID_AUTHORITY, "authority"},
      {"otpauth://totp/a?secret=GEZA#x", OTP_UNEXPECTED_FRAGMENT, "fragment"},
      {"otpauth://totp/a\n?secret=GEZA", OTP_INVALID_CHARACTER, "URI"},
      {"otpauth://totp/a%4?secret=GEZA", OTP_INVALID_PERCENT_ENCODING, "label"},
      {"otpauth://totp/a?secret=GEZA&issuer=%FF", OTP_INVALID_UTF8, "issuer"},
      {"otpauth://totp/a:b:c?secret=GEZA", OTP_INVALID_ACCOUNT, "account"},
      {"otpauth://totp/?secret=GEZA", OTP_INVALID_ACCOUNT, "account"},
      {"otpauth://totp/a?issuer=b", OTP_MISSING_PARAMETER, "secret"},
      {"otpauth://hotp/a?secret=GEZA", OTP_MISSING_PARAMETER, "counter"},
      {"otpauth://totp/a?secret=GEZA&secret=GEZA", OTP_DUPLICATE_PARAMETER, "secret"},
      {"otpauth://totp/a?secret=GEZA&=b", OTP_INVALID_PARAMETER_NAME, "parameter"},
      {"otpauth://totp/a?secret=", OTP_EMPTY_SECRET, "secret"},
      {"otpauth://totp/a?secret=GEZ!", OTP_INVALID_BASE32_CHARACTER, "secret"},
      {"otpauth://totp/a?secret=GEZ", OTP_INVALID_BASE32_LENGTH, "secret"},
      {"otpauth://totp/a?secret=GEZA=", OTP_INVALID_BASE32_PADDING, "secret"},
      {"otpauth://totp/a?secret=GEZA&algorithm=MD5", OTP_INVALID_ALGORITHM, "algorithm"},
      {"otpauth://totp/a?secret=GEZA&digits=9", OTP_INVALID_DIGITS, "digits"},
      {"otpauth://totp/a?secret=GEZA&period=0", OTP_INVALID_PERIOD, "period"},
      {"otpauth://hotp/a?secret=GEZA&counter=-1", OTP_INVALID_COUNTER, "counter"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    unsigned char memory[OTP_URI_MEMORY];
    otp_uri uri;
    otp_error_info info;
    memset(memory, 0x5A, sizeof memory);
    memset(&uri, 0xA5, sizeof uri);
    memset(&info, 0xA5, sizeof info);
    uri.size = sizeof uri;
    info.size = sizeof info;
    const size_t length = strlen(cases[i].text);
    expect_refused(otp_uri_parse(cases[i].text, length, 0, &uri, memory, sizeof memory, &info), cases[i].status, uri);
    size_t changed = 0;
    for (size_t j = 0; j < sizeof memory; j++) changed += memory[j] != 0x5A;
    expect(changed == 0);
    // The position is reported for a wrong character of the URI itself.
    expect(info.size == sizeof info && info.position == (cases[i].status == OTP_INVALID_CHARACTER ? 16 : SIZE_MAX));
    expect(info.part != NULL && strcmp(info.part, cases[i].part) == 0);
  }
  static char long_text[OTP_URI_MAX + 1];
  otp_uri uri = OTP_URI_INIT;
  otp_error_info info = OTP_ERROR_INFO_INIT;
  memset(long_text, 'a', sizeof long_text);
  memcpy(long_text, "otpauth://totp/", 15);
  expect(otp_uri_parse(long_text, sizeof long_text, 0, &uri, NULL, 0, &info) == OTP_URI_TOO_LONG);
  expect(otp_uri_parse(NULL, 0, 0, &uri, NULL, 0, &info) == OTP_INVALID_SCHEME);
}

int main(void) {
  secrets();
  base32_arguments();
  base32_round_trips();
  base32_errors();
  uri_build();
  uri_parse();
  uri_errors();
  return finish("arguments of texts");
}
