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
  // Otherwise only its first thousands of keys would show which kernels are the fastest.
  otp_status (*self_test)(void);
  *(void **)&self_test = dlsym(library, "otp_self_test");
  return has_all && self_test != NULL && self_test() == OTP_OK ? &functions : NULL;
}
