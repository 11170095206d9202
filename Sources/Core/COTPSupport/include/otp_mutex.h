#pragma once

/// A lock that one thread at a time holds. It is not reentrant.
typedef struct otp_mutex otp_mutex;

/// A new lock, never NULL: if memory runs out, the process ends.
otp_mutex *otp_mutex_create(void);
void otp_mutex_lock(otp_mutex *mutex);
void otp_mutex_unlock(otp_mutex *mutex);
void otp_mutex_destroy(otp_mutex *mutex);

/// A lock that no thread waits for. (Not a mutex's trylock, which programs linked to glibc 2.17 lack without
/// libpthread.)
typedef struct otp_try_lock otp_try_lock;

/// A new lock, never NULL: if memory runs out, the process ends.
otp_try_lock *otp_try_lock_create(void);
/// Takes the lock if no thread holds it. Returns whether it did, 1 or 0.
int otp_try_lock_take(otp_try_lock *lock);
void otp_try_lock_release(otp_try_lock *lock);
void otp_try_lock_destroy(otp_try_lock *lock);
