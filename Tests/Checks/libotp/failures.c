// In every function, each allocation that libcrypto makes fails in turn: by itself, and with all after it. The backend
// is evp, the only one with which libcrypto allocates. The call must report the failure; the key must then give right
// results on two threads at once, no later call may crash, and nothing may leak.

#define _GNU_SOURCE
#include <openssl/crypto.h>
#include <signal.h>
#include <stdatomic.h>

#include "call.h"

// ---- libcrypto's allocations. ---------------------------------------------------------------------------------------

/// The plan for a thread's allocations.
struct plan {
  /// Which allocation fails, counted from 1, and whether those after it fail too; 0 for none.
  size_t first;
  int lasting;
  /// Called once: at the first failure or, if none is planned, at the first allocation.
  void (*meanwhile)(void);
  size_t made, failed;
};

static _Thread_local struct plan plan;
static atomic_size_t blocks_held;

static int fails_now(void) {
  plan.made++;
  const int fails = plan.first != 0 && (plan.lasting ? plan.made >= plan.first : plan.made == plan.first);
  plan.failed += fails != 0;
  void (*const meanwhile)(void) = plan.meanwhile;
  if (meanwhile != NULL && (fails || plan.first == 0)) {
    plan.meanwhile = NULL;
    meanwhile();
  }
  return fails;
}

static void *failing_malloc(size_t size, const char *file, int line) {
  (void)file, (void)line;
  if (fails_now()) return NULL;
  blocks_held++;
  return malloc(size);
}

static void *failing_realloc(void *block, size_t size, const char *file, int line) {
  (void)file, (void)line;
  if (fails_now()) return NULL;
  blocks_held += block == NULL;
  return realloc(block, size);
}

static void counted_free(void *block, const char *file, int line) {
  (void)file, (void)line;
  blocks_held -= block != NULL;
  free(block);
}

/// Call this before anything else: libcrypto accepts no other functions once it has allocated.
static void take_over_allocations(void) {
  expect(CRYPTO_set_mem_functions(failing_malloc, failing_realloc, counted_free) == 1);
}

static pthread_t begin_on_another_thread(void *(*work)(void *)) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, work, NULL) != 0) abort();
  return thread;
}

/// When this returns, the thread has ended, and libcrypto has released its data.
static void wait_for(pthread_t thread) {
  if (pthread_join(thread, NULL) != 0) abort();
}

// ---- A call. --------------------------------------------------------------------------------------------------------

enum { BATCH = 7 };

/// The call's own result is public: of a failure, nothing remains but what says so. A batch is made of a few requests,
/// and runs to its end, whatever fails: its status is the first that is not OTP_OK.
static otp_status call_once(const call *call) {
  word a[MOST_PARAMETERS];
  set_up(call, a);
  const int is_batch = strcmp(call->name, "otp_verify_batch") == 0;
  if (is_batch) a[1] = BATCH;
  otp_status status = call->make(a);
  if (status == OTP_OK && !is_batch) expect(is_right(call, a, status));
  for (int i = 0; i < call->count; i++) {
    const kind kind = call->parameters[i].kind;
    const otp_match *matches = (const otp_match *)outputs[i];
    for (int j = 0; is_batch && kind == MATCH && j < BATCH; j++) {
      expect(
          matches[j].status == OTP_OK ? matches[j].result == OTP_ACCEPTED
                                      : says_refused(MATCH, &matches[j], matches[j].status));
      if (status == OTP_OK) status = matches[j].status;
    }
    if (status == OTP_OK || is_batch) continue;
    if (kind == MATCH || kind == ANSWER) expect(says_refused(kind, outputs[i], status));
    if (kind == MADE_KEY || kind == MADE_KEYRING) expect(*(void **)outputs[i] == NULL);
    if (kind == CODE || kind == ROOM) expect(outputs[i][0] == MARK);
  }
  release(call);
  return status;
}

// ---- One case. ------------------------------------------------------------------------------------------------------

/// Whether the key is used elsewhere: not until the call has failed, on another thread at the moment of the failure, or
/// on one that began before it and ends after it, so that the call finds the key in use.
enum when { AFTERWARD, MEANWHILE, THROUGHOUT, WHEN_COUNT };

static const call *called;
static struct plan planned;
static size_t failed_calls, failed_allocations;
static char description[160];

static void crashed(int signal) {
  (void)!write(2, description, strlen(description));
  _exit(128 + signal);
}

static void *serve(void *unused) {
  char made[9];
  otp_match match = OTP_MATCH_INIT;
  expect(otp_hotp(key, STEP + WINDOW, 6, made) == OTP_OK && strcmp(made, code) == 0);
  expect(otp_totp_verify(key, code, 6, TIME, NULL, window, &match) == OTP_OK && match.step == STEP + WINDOW);
  return unused;
}

static void serve_on_another_thread(void) { wait_for(begin_on_another_thread(serve)); }

static void *call_as_planned(void *unused) {
  plan = planned;
  const otp_status status = call_once(called);
  planned = plan;
  plan = (struct plan){0};
  // A call succeeds only if OpenSSL can do without the failed allocation.
  const int says_why = status == OTP_CRYPTOGRAPHY_FAILED || status == OTP_RANDOMNESS_UNAVAILABLE;
  expect(status == OTP_OK || (says_why && planned.failed > 0));
  failed_calls += status != OTP_OK;
  return unused;
}

static void call_on_another_thread(void) { wait_for(begin_on_another_thread(call_as_planned)); }

/// Returns whether the call made that many allocations.
static int run_case(size_t first, int lasting, enum when when) {
  snprintf(
      description, sizeof description, "FAIL  crashed: %s, hash %d, allocation %zu%s, key used elsewhere: %d\n",
      called->name, (int)hash, first, lasting ? " and all after it" : "", (int)when);
  planned = (struct plan){.first = first, .lasting = lasting};
  if (when == MEANWHILE) planned.meanwhile = serve_on_another_thread;
  if (when == THROUGHOUT) {
    plan = (struct plan){.meanwhile = call_on_another_thread};
    serve(NULL);
    expect(plan.meanwhile == NULL);
  } else {
    call_on_another_thread();
  }
  const size_t failed = planned.failed;
  failed_allocations += failed;

  const pthread_t other = begin_on_another_thread(serve);
  serve(NULL);
  wait_for(other);
  return failed > 0;
}

/// Returns whether the call allocates.
static int run_call(enum when when) {
  // Run without failures first, for what is allocated once.
  expect(!run_case(0, 0, AFTERWARD) && !run_case(0, 0, AFTERWARD));
  if (planned.made == 0) return 0;
  const size_t held = blocks_held, calls_failed = failed_calls;
  for (int lasting = 0; lasting < 2; lasting++) {
    // After the first ones, of the many for each code of a window, some. Fewer blocks than before: OpenSSL's context
    // for the nonces is released if something fails in it, until the next record is sealed.
    for (size_t first = 1; run_case(first, lasting, when); first += first < 50 ? 1 : 97) expect(blocks_held <= held);
  }
  expect(blocks_held == held);
  // The control: allocations failed, and the function reported it.
  expect(failed_calls > calls_failed);
  return 1;
}

static int uses_key(const call *call) {
  return call->count > 0 && call->parameters[0].kind == OBJECT && strstr(call->name, "record") == NULL;
}

int main(int argc, char **argv) {
  (void)argv;
  take_over_allocations();
  signal(SIGSEGV, crashed);
  setenv("OTP_BACKEND", "evp", 1);
  prepare_path();
  // With an argument, only for SHA-1.
  for (int each = OTP_SHA1; each <= (argc == 1 ? OTP_SHA512 : OTP_SHA1); each++) {
    expect(prepare((otp_hash)each));
    size_t allocating = 0;
    for (size_t i = 0; i < CALLS; i++) {
      called = &calls[i];
      // They do nothing that could be reported, or take long.
      if (strstr(called->name, "destroy") != NULL || strstr(called->name, "diagnose") != NULL) continue;
      for (enum when when = AFTERWARD; when < WHEN_COUNT; when++) {
        if (when == AFTERWARD || uses_key(called)) allocating += (size_t)run_call(when);
      }
    }
    expect(allocating >= 30);
  }
  printf("%zu failed allocations failed %zu calls; ", failed_allocations, failed_calls);
  return finish("keys serve after failures");
}
