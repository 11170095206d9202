// Loaded before libc, hides the SHA extensions from whoever asks what this CPU has: the emulator has no CPU without.

#define _GNU_SOURCE
#include <asm/hwcap.h>
#include <dlfcn.h>
#include <sys/auxv.h>

unsigned long getauxval(unsigned long type) {
  unsigned long (*const ask)(unsigned long) = (unsigned long (*)(unsigned long))dlsym(RTLD_NEXT, "getauxval");
  const unsigned long hidden = HWCAP_SHA1 | HWCAP_SHA2 | HWCAP_SHA3 | HWCAP_SHA512;
  return type == AT_HWCAP ? ask(type) & ~hidden : ask(type);
}
