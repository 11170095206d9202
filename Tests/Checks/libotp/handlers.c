// A signal handler that forks at every instruction at which a thread waits with others' forks, or lets them go on. For
// x86-64 only, whose flag makes the CPU stop after each instruction.

#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "otp_once.h"

static volatile int steps, ended, is_in;

/// Forks. The child uses what its parent was using.
static void fork_here(int number) {
  (void)number;
  int status = -1;
  const pid_t child = fork();
  if (child == 0) {
    otp_defer_forks();
    otp_allow_forks();
    _exit(0);
  }
  steps++;
  ended += child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static void *come_in(void *nothing) {
  otp_defer_forks();
  is_in = 1;
  otp_allow_forks();
  return nothing;
}

/// Single-steps, or no longer.
#define STEP(change) __asm__ volatile("pushfq; " change ", (%%rsp); popfq" ::: "cc", "memory")

int main(void) {
  pthread_t other;
  // fork() is known to wait from here on.
  otp_defer_forks();
  otp_allow_forks();
  alarm(20);
  signal(SIGTRAP, fork_here);
  STEP("orq $0x100");
  otp_defer_forks();
  otp_defer_forks();
  otp_allow_forks();
  STEP("andq $~0x100");
  // What a handler does lets no other thread in; and one that waits cannot be canceled.
  expect(pthread_create(&other, NULL, come_in, NULL) == 0 && pthread_cancel(other) == 0);
  expect(usleep(20000) == 0 && is_in == 0);
  STEP("orq $0x100");
  otp_allow_forks();
  STEP("andq $~0x100");
  expect(pthread_join(other, NULL) == 0 && is_in == 1);
  expect(steps > 20 && ended == steps);
  return finish("forks in a signal handler");
}
