// Measures the most stack that each function takes, with the backend that OTP_BACKEND names: a stack is filled with a
// pattern, and inspected after the call.
//
//   stack_need            prints a line for each function, for calls after otp_self_test(): its name and bytes
//   stack_need first      prints one line for a process's first call, the largest of all functions
//   stack_need present    prints nothing; exits 0 if this machine has the backend

#define _DEFAULT_SOURCE
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "call.h"

enum { STACK_BYTES = 1 << 18, PAINT = 0xA5, OWN_BYTES = 256 };

static unsigned char *stack;

typedef struct measurement {
  const call *call;
  word arguments[MOST_PARAMETERS];
  otp_status status;
  size_t bytes;
} measurement;

static void *measure(void *argument) {
  measurement *measured = argument;
  unsigned char *here = __builtin_frame_address(0);
  // Filled by this function's own stores, since a called function's frame would lie in the pattern; its own frame is
  // left out.
  for (volatile unsigned char *byte = stack; byte < here - OWN_BYTES; byte++) *byte = PAINT;
  measured->status = measured->call->make(measured->arguments);
  const unsigned char *lowest = stack;
  while (*lowest == PAINT) lowest++;
  measured->bytes = (size_t)(here - lowest);
  return NULL;
}

/// The stack that a call takes; 0 if its result is wrong.
static size_t need(const call *call) {
  measurement measured = {.call = call};
  set_up(call, measured.arguments);
  expect(on_stack(stack, STACK_BYTES, measure, &measured));
  const int was_right = is_right(call, measured.arguments, measured.status);
  if (!was_right) fprintf(stderr, "stack_need: %s fails\n", call->name);
  release(call);
  return was_right ? measured.bytes : 0;
}

/// The most stack that a first call takes, with each call in its own process.
static int first(void) {
  size_t *bytes = mmap(NULL, sizeof *bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0), most = 0;
  for (size_t i = 0; i < CALLS; i++) {
    if (calls[i].needs_key) continue;
    *bytes = 0;
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
      *bytes = need(&calls[i]);
      _exit(0);
    }
    expect(waitpid(child, &status, 0) == child && status == 0 && *bytes > 0);
    if (*bytes > most) most = *bytes;
  }
  printf("first %zu\n", most);
  return failed != 0;
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "present") == 0) return otp_self_test() != OTP_OK;
  stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack == MAP_FAILED) return 1;
  prepare_path();
  if (argc > 1) return strcmp(argv[1], "first") == 0 ? first() : 64;
  expect(otp_self_test() == OTP_OK);
  size_t most[CALLS] = {0};
  for (int each = OTP_SHA1; each <= OTP_SHA512; each++) {
    expect(prepare((otp_hash)each));
    for (size_t i = 0; i < CALLS; i++) {
      // Called twice: the first time, the dynamic linker uses some stack as well.
      for (int round = 0; round < 2; round++) {
        const size_t bytes = need(&calls[i]);
        expect(bytes > 0);
        if (bytes > most[i]) most[i] = bytes;
      }
    }
  }
  for (size_t i = 0; i < CALLS; i++) printf("%s %zu\n", calls[i].name, most[i]);
  return failed != 0;
}
