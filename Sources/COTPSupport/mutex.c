#include "include/otp_mutex.h"

#include <pthread.h>
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

int otp_mutex_try_lock(otp_mutex *mutex) { return pthread_mutex_trylock(&mutex->lock) == 0; }

void otp_mutex_unlock(otp_mutex *mutex) { (void)pthread_mutex_unlock(&mutex->lock); }

void otp_mutex_destroy(otp_mutex *mutex) {
  (void)pthread_mutex_destroy(&mutex->lock);
  free(mutex);
}
