#include "CPeers.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

// The functions' types, after the library's manual.
static int (*start)(void);
static int (*generate)(const char *, size_t, time_t, unsigned, time_t, unsigned, int, char *);
static int (*validate_totp)(
    const char *, size_t, time_t, unsigned, time_t, size_t, int *, uint64_t *, int, const char *);
static int (*validate_hotp)(const char *, size_t, uint64_t, size_t, const char *);
static int (*decode)(const char *, size_t, char **, size_t *);

int peer_liboath_load(void) {
  void *library = dlopen("liboath.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return 0;
  *(void **)&start = dlsym(library, "oath_init");
  *(void **)&generate = dlsym(library, "oath_totp_generate2");
  *(void **)&validate_totp = dlsym(library, "oath_totp_validate4");
  *(void **)&validate_hotp = dlsym(library, "oath_hotp_validate");
  *(void **)&decode = dlsym(library, "oath_base32_decode");
  return start && generate && validate_totp && validate_hotp && decode && start() == 0;
}

// 0, OATH_TOTP_HMAC_SHA256, OATH_TOTP_HMAC_SHA512.
static int flags_of(int hash) { return hash; }

int peer_liboath_totp(int hash, const uint8_t *secret, size_t size, int64_t time, unsigned digits, char *code) {
  return generate((const char *)secret, size, (time_t)time, 30, 0, digits, flags_of(hash), code) == 0;
}

int peer_liboath_validate_totp(
    int hash, const uint8_t *secret, size_t size, int64_t time, size_t window, const char *code) {
  return validate_totp((const char *)secret, size, (time_t)time, 30, 0, window, NULL, NULL, flags_of(hash), code);
}

int peer_liboath_validate_hotp(const uint8_t *secret, size_t size, uint64_t counter, size_t window, const char *code) {
  return validate_hotp((const char *)secret, size, counter, window, code);
}

size_t peer_liboath_decode_base32(const char *text, size_t size) {
  char *bytes = NULL;
  size_t count = 0;
  if (decode(text, size, &bytes, &count) != 0) return 0;
  free(bytes);
  return count;
}
