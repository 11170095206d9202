#define _POSIX_C_SOURCE 200809L

#include "otp_once.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static _Atomic int answers[OTP_ONCE_COUNT];
static atomic_bool waits_for_forks;

// Not a mutex: a signal handler may fork as a thread has locked one, but is not yet known to have.
static _Atomic uintptr_t holder;     // The thread that is in these functions, or 0.
static volatile sig_atomic_t depth;  // How many more it is in: one may need the answer of another.

static void enter(void) {
  const uintptr_t thread = (uintptr_t)pthread_self();
  if (atomic_load_explicit(&holder, memory_order_relaxed) == thread) {
    depth++;
    return;
  }
  uintptr_t nobody = 0;
  // The sleep is a cancellation point, and no caller of the library expects one in it.
  int cancelability;
  (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelability);
  while (!atomic_compare_exchange_weak_explicit(&holder, &nobody, thread, memory_order_acquire, memory_order_relaxed)) {
    nobody = 0;
    (void)nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
  }
  (void)pthread_setcancelstate(cancelability, NULL);
}

static void leave(void) {
  if (depth > 0) {
    depth--;
  } else {
    atomic_store_explicit(&holder, 0, memory_order_release);
  }
}

static _Atomic uint64_t process, count;  // Of otp_next_number. A child goes on from its parent's count.

static void begin_child(void) {
  atomic_store_explicit(&process, (uint64_t)getpid(), memory_order_relaxed);
  leave();
}

otp_number otp_next_number(void) {
  const uint64_t number = atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
  return (otp_number){.process = atomic_load_explicit(&process, memory_order_relaxed), .count = number};
}

void otp_defer_forks(void) {
  // Not as the library is loaded: an allocator that then asked to be called before ours would be waited for with its
  // locks held. Threads that come here at once may each do it, since the lock can be taken more than once.
  if (!atomic_load(&waits_for_forks)) {
    (void)pthread_atfork(enter, leave, begin_child);
    atomic_store(&waits_for_forks, 1);
  }
  enter();
}

void otp_allow_forks(void) { leave(); }

int otp_once(unsigned question, int (*ask)(unsigned question)) {
  int answer = atomic_load_explicit(&answers[question], memory_order_acquire);
  if (answer != 0) return answer;
  otp_defer_forks();
  answer = atomic_load_explicit(&answers[question], memory_order_relaxed);
  if (answer == 0) {
    answer = ask(question);
    atomic_store_explicit(&answers[question], answer, memory_order_release);
  }
  otp_allow_forks();
  return answer;
}
