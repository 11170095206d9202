/// What a fork by another thread waits for, since its child would have libcrypto's locks as they were then; what a
/// process finds out once; and numbers that are its own. Not a `static let`: a child that was forked while another
/// thread initialized one would wait forever.

#ifndef OTP_ONCE_H
#define OTP_ONCE_H

#include <stdint.h>

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

/// What no other call has got in this process, nor in one forked from it after `otp_defer_forks` was first called
/// (except by vfork() and a bare clone(), and by two children that have the same PID one after the other): how many
/// calls there were, and the process, 0 until one was forked.
typedef struct otp_number {
  uint64_t process, count;
} otp_number;
otp_number otp_next_number(void);

#ifdef __cplusplus
}
#endif

#endif
