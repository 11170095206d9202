#include "otp_scratch.h"

void otp_with_scratch(void (*body)(void *context, void *scratch), void *context) {
  _Alignas(64) unsigned char scratch[OTP_SCRATCH_BYTES];
  body(context, scratch);
}
