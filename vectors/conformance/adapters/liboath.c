/* liboath of the OATH Toolkit: Debian's liboath-dev. */
#include <liboath/oath.h>

#include "adapter.h"

static int flags_of(const char *hash) {
  return strcmp(hash, "SHA256") == 0 ? OATH_TOTP_HMAC_SHA256 : strcmp(hash, "SHA512") == 0 ? OATH_TOTP_HMAC_SHA512 : 0;
}

static const char *answer(const char *operation, char **words, char *out) {
  if (strcmp(operation, "hello") == 0) {
    sprintf(out, "liboath %s", oath_check_version(NULL));
  } else if (strcmp(operation, "hotp") == 0) {
    if (strcmp(words[0], "SHA1") != 0) return "cannot";
    const size_t count = bytes(words[2]);
    if (oath_hotp_generate(
            words[2], count, number(words[3]), (unsigned)number(words[1]), false, OATH_HOTP_DYNAMIC_TRUNCATION, out)
        != OATH_OK)
      return "refused";
  } else if (strcmp(operation, "totp") == 0) {
    const size_t count = bytes(words[4]);
    if (number(words[2]) > UINT32_MAX || signed_number(words[5]) == -1) return "cannot"; /* -1 means now. */
    if (oath_totp_generate2(
            words[4], count, signed_number(words[5]), (unsigned)number(words[2]), signed_number(words[3]),
            (unsigned)number(words[1]), flags_of(words[0]), out)
        != OATH_OK) {
      return "refused";
    }
  } else if (strcmp(operation, "base32") == 0) {
    size_t count = bytes(words[0]);
    char *decoded = NULL;
    if (oath_base32_decode(words[0], count, &decoded, &count) != OATH_OK) return "refused";
    hexadecimal(out, decoded, count);
    free(decoded);
  } else if (strcmp(operation, "verify-totp") == 0) {
    const size_t count = bytes(words[4]), length = text(words[5]);
    if (number(words[7]) != number(words[8]) || *words[9] != '-' || number(words[2]) > UINT32_MAX) return "cannot";
    /* It accepts any number of submitted digits, so the caller must count them. */
    if (length != number(words[1])) return "cannot";
    int position = 0;
    uint64_t step = 0;
    const int found = oath_totp_validate4(
        words[4], count, signed_number(words[6]), (unsigned)number(words[2]), signed_number(words[3]), number(words[7]),
        &position, &step, flags_of(words[0]), words[5]);
    if (found < 0) strcpy(out, "rejected");
    else sprintf(out, "accepted %" PRIu64, step);
  } else if (strcmp(operation, "verify-hotp") == 0) {
    const size_t count = bytes(words[2]), length = text(words[3]);
    if (strcmp(words[0], "SHA1") != 0 || length != number(words[1])) return "cannot";
    const int found = oath_hotp_validate(words[2], count, number(words[4]), number(words[5]), words[3]);
    if (found < 0) strcpy(out, "rejected");
    else sprintf(out, "accepted %" PRIu64, number(words[4]) + (uint64_t)found);
  } else {
    return "cannot";
  }
  return NULL;
}
