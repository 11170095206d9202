#include "CPeers.h"

#include <dlfcn.h>

static peer_libotp functions;

const peer_libotp *peer_libotp_load(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return NULL;
  int has_all = 1;
#define LOAD(name) has_all &= (*(void **)&functions.name = dlsym(library, "otp_" #name)) != NULL
  LOAD(key_create), LOAD(key_destroy), LOAD(totp_verify), LOAD(totp_verify_secret);
  LOAD(keyring_create), LOAD(record_enroll), LOAD(record_verify);
  return has_all ? &functions : NULL;
}
