#pragma once

/// A lock that one thread at a time holds. It is not reentrant.
typedef struct otp_mutex otp_mutex;

/// A new lock, never NULL: if memory runs out, the process ends.
otp_mutex *otp_mutex_create(void);
void otp_mutex_lock(otp_mutex *mutex);
/// Takes the lock if no thread holds it. Returns whether it did, 1 or 0.
int otp_mutex_try_lock(otp_mutex *mutex);
void otp_mutex_unlock(otp_mutex *mutex);
void otp_mutex_destroy(otp_mutex *mutex);
