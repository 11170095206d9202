#include "CTaint.h"

#include <valgrind/memcheck.h>
#include <valgrind/valgrind.h>

void ct_taint(void *bytes, size_t size) { (void)VALGRIND_MAKE_MEM_UNDEFINED(bytes, size); }

void ct_untaint(void *bytes, size_t size) { (void)VALGRIND_MAKE_MEM_DEFINED(bytes, size); }

int ct_is_tainted(const void *bytes, size_t size) {
  if (!RUNNING_ON_VALGRIND) return -1;
  for (size_t i = 0; i < size; i++) {
    unsigned char bits = 0;
    if (VALGRIND_GET_VBITS((const unsigned char *)bytes + i, &bits, 1) == 1 && bits != 0) return 1;
  }
  return 0;
}

// The engine's, in a build with OTP_CHECKS.
extern unsigned otp_secret_declassifications;

unsigned ct_declassification_count(void) { return otp_secret_declassifications; }

unsigned ct_report_count(void) { return VALGRIND_COUNT_ERRORS; }
