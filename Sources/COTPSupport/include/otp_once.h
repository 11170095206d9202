/// What is found out about a set once a process. Swift's own `static let`s would need one for each set.

#ifndef OTP_ONCE_H
#define OTP_ONCE_H

#include "otp_lanes.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The answer of a set's test. The first call for a set runs the test; others that come meanwhile wait for it. The test
/// may not ask for a set's answer itself.
///
/// \param test Always the same function. Returns 1 or more.
int otp_once_a_set(otp_lane_set set, int (*test)(otp_lane_set set));

#ifdef __cplusplus
}
#endif

#endif
