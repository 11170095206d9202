#include "CPeers.h"

#include <dlfcn.h>

static peer_libotp functions;

const peer_libotp *peer_libotp_load(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return NULL;
  *(void **)&functions.key_create = dlsym(library, "otp_key_create");
  *(void **)&functions.key_destroy = dlsym(library, "otp_key_destroy");
  *(void **)&functions.hotp = dlsym(library, "otp_hotp");
  *(void **)&functions.totp_verify = dlsym(library, "otp_totp_verify");
  *(void **)&functions.totp_verify_secret = dlsym(library, "otp_totp_verify_secret");
  *(void **)&functions.verify_batch = dlsym(library, "otp_verify_batch");
  const int has_all = functions.key_create && functions.key_destroy && functions.hotp && functions.totp_verify
      && functions.totp_verify_secret && functions.verify_batch;
  // Otherwise only its first thousands of keys would show which kernels are the fastest.
  otp_status (*self_test)(void);
  *(void **)&self_test = dlsym(library, "otp_self_test");
  return has_all && self_test != NULL && self_test() == OTP_OK ? &functions : NULL;
}
