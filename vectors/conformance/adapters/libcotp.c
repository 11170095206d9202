/* libcotp: Debian's libcotp-dev. Its counters and times are longs, and its verification has no window. */
#include <cotp.h>

#include "adapter.h"

static int hash_of(const char *name) {
  return strcmp(name, "SHA256") == 0 ? SHA256 : strcmp(name, "SHA512") == 0 ? SHA512 : SHA1;
}

static const char *code(char *made, cotp_error_t error, char *out) {
  if (made == NULL) return error == VALID ? "crashed no-code-and-no-error" : "refused";
  strcpy(out, made);
  free(made);
  return NULL;
}

/* Its secrets are base32 with padding, in upper case. */
static char *base32(char *word) {
  static char written[LINE];
  const size_t count = bytes(word);
  size_t length = 0;
  for (size_t bit = 0; bit < count * 8; bit += 5) {
    const unsigned high = (unsigned char)word[bit / 8], low = (unsigned char)word[bit / 8 + 1]; /* a NUL at the end */
    written[length++] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[(high << 8 | low) >> (11 - bit % 8) & 31];
  }
  while (length % 8 != 0) written[length++] = '=';
  written[length] = '\0';
  return written;
}

static const char *answer(const char *operation, char **words, char *out) {
  cotp_error_t error = VALID;
  if (strcmp(operation, "hello") == 0) {
    strcpy(out, "libcotp " PEER_VERSION);
    return NULL;
  }
  if (strcmp(operation, "hotp") == 0) {
    if (number(words[3]) > INT64_MAX) return "cannot";
    char *made = get_hotp(base32(words[2]), signed_number(words[3]), (int)number(words[1]), hash_of(words[0]), &error);
    return code(made, error, out);
  }
  if (strcmp(operation, "totp") == 0) {
    if (number(words[2]) > INT32_MAX || signed_number(words[3]) != 0) return "cannot";
    char *made = get_totp_at(
        base32(words[4]), signed_number(words[5]), (int)number(words[1]), (int)number(words[2]), hash_of(words[0]),
        &error);
    return code(made, error, out);
  }
  if (strcmp(operation, "base32-code") == 0) {
    if (text(words[3]) == SIZE_MAX) return "cannot";
    char *made = get_hotp(words[3], signed_number(words[2]), (int)number(words[1]), hash_of(words[0]), &error);
    return code(made, error, out);
  }
  return "cannot";
}
