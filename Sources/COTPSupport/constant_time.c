#include "otp_constant_time.h"

#if defined(OTP_CHECKS)
unsigned otp_secret_declassifications = 0;
#endif
