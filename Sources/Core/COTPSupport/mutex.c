#include "include/otp_mutex.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct otp_mutex {
  pthread_mutex_t lock;
};

otp_mutex *otp_mutex_create(void) {
  otp_mutex *mutex = malloc(sizeof *mutex);
  if (mutex == NULL || pthread_mutex_init(&mutex->lock, NULL) != 0) abort();
  return mutex;
}

void otp_mutex_lock(otp_mutex *mutex) { (void)pthread_mutex_lock(&mutex->lock); }

void otp_mutex_unlock(otp_mutex *mutex) { (void)pthread_mutex_unlock(&mutex->lock); }

void otp_mutex_destroy(otp_mutex *mutex) {
  (void)pthread_mutex_destroy(&mutex->lock);
  free(mutex);
}

struct otp_try_lock {
  atomic_flag is_taken;
};

otp_try_lock *otp_try_lock_create(void) {
  otp_try_lock *lock = malloc(sizeof *lock);
  if (lock == NULL) abort();
  atomic_flag_clear(&lock->is_taken);
  return lock;
}

int otp_try_lock_take(otp_try_lock *lock) {
  return !atomic_flag_test_and_set_explicit(&lock->is_taken, memory_order_acquire);
}

void otp_try_lock_release(otp_try_lock *lock) { atomic_flag_clear_explicit(&lock->is_taken, memory_order_release); }

void otp_try_lock_destroy(otp_try_lock *lock) { free(lock); }
