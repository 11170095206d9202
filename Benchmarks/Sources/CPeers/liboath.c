#include "CPeers.h"

#include <dlfcn.h>
#include <time.h>

// The function's type, after the library's manual.
static int (*validate_totp)(
    const char *, size_t, time_t, unsigned, time_t, size_t, int *, uint64_t *, int, const char *);

const char *peer_liboath_load(void) {
  void *library = dlopen("liboath.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return NULL;
  int (*start)(void);
  const char *(*version)(const char *);
  *(void **)&start = dlsym(library, "oath_init");
  *(void **)&version = dlsym(library, "oath_check_version");
  *(void **)&validate_totp = dlsym(library, "oath_totp_validate4");
  return start && version && validate_totp && start() == 0 ? version(NULL) : NULL;
}

// The flags are 0, OATH_TOTP_HMAC_SHA256 and OATH_TOTP_HMAC_SHA512, which are the hashes' numbers here.
int peer_liboath_validate_totp(
    int hash, const uint8_t *secret, size_t size, int64_t time, size_t window, const char *code) {
  return validate_totp((const char *)secret, size, (time_t)time, 30, 0, window, NULL, NULL, hash, code);
}
