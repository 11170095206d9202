// What each function takes of a caller's stack, measured, and what happens on one that is too small: the process ends
// at the guard page, and nothing is written below it. On one that is large enough according to otp.h, it works. The
// backend is the one that OTP_BACKEND names. Each call is made in a process of its own.
//
//   stack             calls after otp_self_test(): prints a line for each function, with the bytes that it takes; also
//   on
//                     threads of 16, 20 and 24 KiB, and on stacks that are nearly used up
//   stack first       the same for a process's first call; prints one line, with the most bytes
//   stack measuring   the same for the calls that compute codes, thousands of them, one of which measures the kernels
//   stack present     prints nothing; exits 0 if this machine has the backend

#define _GNU_SOURCE
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "call.h"

enum { WATCHED_BYTES = 1 << 17, GUARD_BYTES = 4096, STACK_BYTES = 1 << 16, OWN_BYTES = 256, PAINT = 0xA5 };
/// How a child ends.
enum { WORKED = 0, WRONG = 1, AT_THE_GUARD = 2, ELSEWHERE = 3, NO_THREAD = 4 };

/// The watched bytes, the guard page, and the stack, shared with the children, so that the parent sees their writes;
/// and the bytes that the last call took.
static unsigned char *region, *guard, *stack;
static size_t *taken;
static unsigned char signal_stack[1 << 16];
static int is_first, is_measuring;

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

/// Makes the call on a stack that is painted, to see how far it is used.
static void measure(attempt *tried) {
  unsigned char *const here = __builtin_frame_address(0);
  // Painted by this function's own stores, since a called function's frame would lie in the paint; its own frame is
  // left out.
  for (volatile unsigned char *byte = stack; byte < here - OWN_BYTES; byte++) *byte = PAINT;
  for (int i = 0; i < (is_measuring ? 5000 : 1); i++) tried->status = tried->call->make(tried->arguments);
  const unsigned char *lowest = stack;
  while (*lowest == PAINT) lowest++;
  *taken = (size_t)(here - lowest);
}

static void *try_it(void *argument) {
  attempt *tried = argument;
  const stack_t handlers = {.ss_sp = signal_stack, .ss_size = sizeof signal_stack};
  if (sigaltstack(&handlers, NULL) != 0) return NULL;
  const size_t room = (size_t)((unsigned char *)__builtin_frame_address(0) - stack);
  if (tried->left == 0) {
    measure(tried);
  } else {
    const size_t size = room - tried->left - 128;
    volatile unsigned char *const used = __builtin_alloca(size);
    for (size_t i = size; i > 0; i--) used[i - 1] = 1;
    tried->status = tried->call->make(tried->arguments);
    *used = 0;
  }
  return NULL;
}

static size_t worked, stopped;

/// Makes a call in a child process, on a thread with this much stack, of which this much is left.
static int run(const call *call, size_t size, size_t left) {
  const pid_t child = fork();
  if (child == 0) {
    // The first time, the dynamic linker uses some stack as well.
    if (!is_first && left == 0) make(call);
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
  size_t lowest = 0;
  while (lowest < WATCHED_BYTES && region[lowest] == PAINT) lowest++;
  if (lowest < WATCHED_BYTES || (end != WORKED && end != AT_THE_GUARD)) {
    fprintf(
        stderr, "stack: %s, hash %d, %zu bytes of stack, %zu left: end %d, %zu bytes below the guard page\n",
        call->name, (int)hash, size, left, end, WATCHED_BYTES - lowest);
    memset(region, PAINT, WATCHED_BYTES);
    failed++;
  }
  return end;
}

/// Tries a call on stacks of every size, and returns the most bytes that it takes.
static size_t try_all(const call *call) {
  static const size_t sizes[] = {16384, 20480, 24576};
  static const size_t lefts[] = {64,   256,  640,  1024, 1536, 2048, 2560, 3072,
                                 3584, 4096, 5120, 6144, 7168, 8192, 9216, 10240};
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
    const int end = run(call, sizes[s], 0);
    // What a process's first call needs depends on libcrypto and its configuration.
    if (is_first || end == WORKED) continue;
    fprintf(stderr, "stack: %s does not work on %zu bytes\n", call->name, sizes[s]);
    failed++;
  }
  for (size_t l = 0; l < sizeof lefts / sizeof lefts[0]; l++) run(call, STACK_BYTES, lefts[l]);
  expect(run(call, STACK_BYTES, 0) == WORKED);
  return *taken;
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "present") == 0) return otp_self_test() != OTP_OK;
  is_first = argc > 1 && strcmp(argv[1], "first") == 0;
  is_measuring = argc > 1 && strcmp(argv[1], "measuring") == 0;
  const size_t whole = WATCHED_BYTES + GUARD_BYTES + STACK_BYTES;
  region = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  taken = mmap(NULL, sizeof *taken, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (region == MAP_FAILED || taken == MAP_FAILED) return 1;
  memset(region, PAINT, WATCHED_BYTES);
  guard = region + WATCHED_BYTES;
  stack = guard + GUARD_BYTES;
  expect(mprotect(guard, GUARD_BYTES, PROT_NONE) == 0);
  prepare_path();
  if (!is_first && !is_measuring) expect(otp_self_test() == OTP_OK);
  size_t most[CALLS] = {0}, most_of_first = 0;
  for (int each = OTP_SHA1; each <= (is_first ? OTP_SHA1 : OTP_SHA512); each++) {
    if (!is_first) expect(prepare((otp_hash)each));
    for (size_t i = 0; i < CALLS; i++) {
      if (is_first && calls[i].needs_key) continue;
      const char *const name = calls[i].name;
      if (is_measuring && strncmp(name, "otp_totp", 8) != 0 && strncmp(name, "otp_hotp", 8) != 0
          && strcmp(name, "otp_verify_batch") != 0) {
        continue;
      }
      const size_t bytes = try_all(&calls[i]);
      if (bytes > most[i]) most[i] = bytes;
      if (bytes > most_of_first) most_of_first = bytes;
    }
  }
  if (is_first) printf("first %zu\n", most_of_first);
  for (size_t i = 0; !is_first && i < CALLS; i++) printf("%s %zu\n", calls[i].name, most[i]);
  fprintf(stderr, "%zu calls worked, %zu ended at the guard page\n", worked, stopped);
  return failed > 0 || stopped == 0;
}
