// On a stack that is too small, a function ends the process at the guard page, and nothing is written below it. On one
// that is large enough according to otp.h, it works. The backend is the one that OTP_BACKEND names.
//
//   stack_guard           every function, after otp_self_test(), on threads of 16, 20 and 24 KiB, and on stacks that
//                         are nearly used up
//   stack_guard first     the same for a process's first call

#define _GNU_SOURCE
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "call.h"

enum { WATCHED_BYTES = 1 << 17, GUARD_BYTES = 4096, STACK_BYTES = 1 << 16, PAINT = 0xA5 };
/// How a child ends.
enum { WORKED = 0, WRONG = 1, AT_THE_GUARD = 2, ELSEWHERE = 3, NO_THREAD = 4 };

/// The watched bytes, the guard page, and the stack, shared with the children, so that the parent sees their writes.
static unsigned char *region, *guard, *stack;
static unsigned char signal_stack[1 << 16];

typedef struct attempt {
  const call *call;
  /// The bytes of the stack left for the call; 0 for all of them.
  size_t left;
  word arguments[MOST_PARAMETERS];
  otp_status status;
} attempt;

static void faulted(int number, siginfo_t *fault, void *context) {
  (void)number, (void)context;
  const unsigned char *address = fault->si_addr;
  _exit(address >= guard && address < guard + GUARD_BYTES ? AT_THE_GUARD : ELSEWHERE);
}

static void *try_it(void *argument) {
  attempt *tried = argument;
  const stack_t handlers = {.ss_sp = signal_stack, .ss_size = sizeof signal_stack};
  if (sigaltstack(&handlers, NULL) != 0) return NULL;
  const size_t room = (size_t)((unsigned char *)__builtin_frame_address(0) - stack);
  volatile unsigned char *used = NULL;
  if (tried->left != 0 && room > tried->left + 128) {
    const size_t size = room - tried->left - 128;
    used = __builtin_alloca(size);
    for (size_t i = size; i > 0; i--) used[i - 1] = 1;
  }
  tried->status = tried->call->make(tried->arguments);
  if (used != NULL) *used = 0;
  return NULL;
}

static size_t worked, stopped;

static int is_painted(const unsigned char *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) {
    if (bytes[i] != PAINT) return 0;
  }
  return 1;
}

/// Makes a call in a child process, on a thread with this much stack, of which this much is left.
static int run(const call *call, size_t size, size_t left) {
  const pid_t child = fork();
  if (child == 0) {
    attempt tried = {.call = call, .left = left, .status = OTP_INVALID_ARGUMENT};
    set_up(call, tried.arguments);
    struct sigaction action = {.sa_sigaction = faulted, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    if (!on_stack(stack, size, try_it, &tried)) _exit(NO_THREAD);
    _exit(is_right(call, tried.arguments, tried.status) ? WORKED : WRONG);
  }
  int status = 0;
  expect(waitpid(child, &status, 0) == child);
  const int end = WIFEXITED(status) ? WEXITSTATUS(status) : ELSEWHERE;
  worked += end == WORKED;
  stopped += end == AT_THE_GUARD;
  const int is_whole = is_painted(region, WATCHED_BYTES);
  if (!is_whole || (end != WORKED && end != AT_THE_GUARD)) {
    size_t lowest = 0;
    while (lowest < WATCHED_BYTES && region[lowest] == PAINT) lowest++;
    fprintf(
        stderr, "stack_guard: %s, hash %d, %zu bytes of stack, %zu left: end %d, %zu bytes below the guard page\n",
        call->name, (int)hash, size, left, end, WATCHED_BYTES - lowest);
    memset(region, PAINT, WATCHED_BYTES);
  }
  expect(is_whole);
  expect(end == WORKED || end == AT_THE_GUARD);
  return end;
}

int main(int argc, char **argv) {
  const int is_first = argc > 1 && strcmp(argv[1], "first") == 0;
  const size_t whole = WATCHED_BYTES + GUARD_BYTES + STACK_BYTES;
  region = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (region == MAP_FAILED) return 1;
  memset(region, PAINT, WATCHED_BYTES);
  guard = region + WATCHED_BYTES;
  stack = guard + GUARD_BYTES;
  expect(mprotect(guard, GUARD_BYTES, PROT_NONE) == 0);
  prepare_path();
  if (!is_first) expect(otp_self_test() == OTP_OK);

  static const size_t sizes[] = {16384, 20480, 24576};
  static const size_t lefts[] = {64,   256,  640,  1024, 1536, 2048, 2560, 3072,
                                 3584, 4096, 5120, 6144, 7168, 8192, 9216, 10240};
  for (int each = OTP_SHA1; each <= (is_first ? OTP_SHA1 : OTP_SHA512); each++) {
    if (!is_first) expect(prepare((otp_hash)each));
    for (size_t i = 0; i < CALLS; i++) {
      if (is_first && calls[i].needs_key) continue;
      for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        const int end = run(&calls[i], sizes[s], 0);
        // What a process's first call needs depends on libcrypto and its configuration.
        if (!is_first) expect(end == WORKED);
      }
      for (size_t l = 0; l < sizeof lefts / sizeof lefts[0]; l++) run(&calls[i], STACK_BYTES, lefts[l]);
    }
  }
  printf("%zu calls worked, %zu ended at the guard page; ", worked, stopped);
  return finish("stack_guard");
}
