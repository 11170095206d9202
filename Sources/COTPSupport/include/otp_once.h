/// A test that runs once per process for each set. In Swift, this would take a `static let` per set.

#ifndef OTP_ONCE_H
#define OTP_ONCE_H

#include "otp_lanes.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The result of a set's test. The first call for a set runs the test; concurrent calls wait for it. The test must not
/// call this function itself.
///
/// \param test Always the same function. It returns 1 or more.
int otp_once_a_set(otp_lane_set set, int (*test)(otp_lane_set set));

#ifdef __cplusplus
}
#endif

#endif
