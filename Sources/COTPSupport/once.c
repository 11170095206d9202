#include "otp_once.h"

#include <pthread.h>
#include <stdatomic.h>

static _Atomic int answers[OTP_LANE_SET_COUNT];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int otp_once_a_set(otp_lane_set set, int (*test)(otp_lane_set set)) {
  int answer = atomic_load_explicit(&answers[set], memory_order_acquire);
  if (answer != 0) return answer;
  pthread_mutex_lock(&lock);
  answer = atomic_load_explicit(&answers[set], memory_order_relaxed);
  if (answer == 0) {
    answer = test(set);
    atomic_store_explicit(&answers[set], answer, memory_order_release);
  }
  pthread_mutex_unlock(&lock);
  return answer;
}
