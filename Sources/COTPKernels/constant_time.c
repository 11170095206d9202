#include "otp_constant_time.h"

#if defined(OTP_CONSTANT_TIME_CHECK)
unsigned otp_secret_declassifications = 0;
#endif
