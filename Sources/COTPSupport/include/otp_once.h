/// What a fork by another thread waits for, since its child would have libcrypto's locks as they were then; and what a
/// process finds out once. Not a `static let`: a child that was forked while another thread initialized one would wait
/// forever.

#ifndef OTP_ONCE_H
#define OTP_ONCE_H

#include "otp_lanes.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The result of a set's known-answer test has the set's number.
enum {
  /// The result of OpenSSL's known-answer test.
  OTP_ONCE_EVP = OTP_LANE_SET_COUNT,
  /// The backend that is used by default.
  OTP_ONCE_BACKEND,
  /// Whether nonces are drawn in advance.
  OTP_ONCE_NONCES,
  /// The first of as many as there are hashes: the fastest calls, as measured.
  OTP_ONCE_PLANS,
  OTP_ONCE_COUNT = OTP_ONCE_PLANS + OTP_HASH_COUNT
};

/// Makes other threads' forks and calls of this function wait until ``otp_allow_forks``. It may be called again before
/// that, as often as it is then undone.
void otp_defer_forks(void);
void otp_allow_forks(void);

/// The answer to a question. The first call for it asks; concurrent calls wait, and so does a fork by another thread.
///
/// \param question A set's number, or one of those above.
/// \param ask Always the same function for a question. It returns 1 or more, and may call this function for another.
int otp_once(unsigned question, int (*ask)(unsigned question));

#ifdef __cplusplus
}
#endif

#endif
