// Every allocation that libcrypto makes within a library function fails in turn: by itself, and with all after it. The
// backend is evp, the only one with which libcrypto allocates. The call must report the failure; the key must then give
// right results on two threads at once, no later call may crash, and nothing may leak.

#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <unistd.h>

#include "failing.h"

static otp_hash hash;
/// A key of the backend evp, and its codes from another backend.
static otp_key *key;
static char codes[25][9];

// ---- The calls. -----------------------------------------------------------------------------------------------------

/// Creates a key, and makes its first code.
static otp_status use_new(otp_status status, otp_key *made) {
  expect((made != NULL) == (status == OTP_OK));
  if (made == NULL) return status;
  char code[9];
  const otp_status used = otp_hotp(made, 3, 6, code);
  expect(used != OTP_OK || strcmp(code, codes[3]) == 0);
  otp_key_destroy(made);
  return used;
}

static otp_status create_with_backend(void) {
  otp_key *made = (otp_key *)codes;
  const otp_status status = otp_key_create_with_backend(OTP_BACKEND_EVP, hash, seed, sizeof seed, &made);
  return use_new(status, made);
}

static otp_status create(void) {
  otp_key *made = (otp_key *)codes;
  const otp_status status = otp_key_create(hash, seed, sizeof seed, &made);
  return use_new(status, made);
}

static otp_status create_base32(void) {
  otp_key *made = (otp_key *)codes;
  const otp_status status = otp_key_create_base32(hash, "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", 32, &made);
  return use_new(status, made);
}

/// If no code is made, nothing is written.
static otp_status check_code(otp_status status, const char *code) {
  expect(strcmp(code, status == OTP_OK ? codes[5] : "before") == 0);
  return status;
}

static otp_status hotp(void) {
  char code[9] = "before";
  return check_code(otp_hotp(key, 5, 6, code), code);
}

static otp_status totp(void) {
  char code[9] = "before";
  return check_code(otp_totp(key, 150, NULL, code), code);
}

/// The outcome of an earlier verification, of which nothing may remain after a failure.
static otp_match earlier_match(void) { return (otp_match){sizeof(otp_match), OTP_ACCEPTED, OTP_OK, 1234, 5}; }

static otp_status check_match(otp_status status, const otp_match *match, uint64_t step) {
  expect(match->status == status);
  expect(match->result == (status == OTP_OK ? OTP_ACCEPTED : OTP_REJECTED));
  expect(match->step == (status == OTP_OK ? step : 0));
  return status;
}

static otp_status totp_verify(void) {
  otp_match match = earlier_match();
  const otp_window window = {sizeof window, 3, 3, 0, 0};
  const otp_status status = otp_totp_verify(key, codes[5], 6, 210, NULL, &window, &match);
  return check_match(status, &match, 5);
}

static otp_status totp_verify_secret(void) {
  otp_match match = earlier_match();
  const otp_status status = otp_totp_verify_secret(hash, seed, sizeof seed, codes[5], 6, 150, NULL, NULL, &match);
  return check_match(status, &match, 5);
}

static otp_status hotp_verify(void) {
  otp_match match = earlier_match();
  const otp_status status = otp_hotp_verify(key, codes[5], 6, 0, 6, 20, &match);
  return check_match(status, &match, 5);
}

static otp_status resynchronize(void) {
  otp_match match = earlier_match();
  const char *const typed[3] = {codes[17], codes[18], codes[19]};
  const otp_status status = otp_hotp_resynchronize(key, typed, 3, 0, 6, 20, &match);
  return check_match(status, &match, 19);
}

/// A batch runs to its end whatever fails: each request's outcome reports its failure. Returns the first one.
static otp_status verify_batch(void) {
  enum { COUNT = 7 };
  otp_request requests[COUNT];
  otp_match results[COUNT];
  for (size_t i = 0; i < COUNT; i++) {
    results[i] = earlier_match();
    requests[i] = (otp_request){.size = sizeof requests[i],
                                .type = i % 3 == 0 ? OTP_HOTP : OTP_TOTP,
                                .key = key,
                                .code = codes[i],
                                .code_len = 6,
                                .unix_time = 30 * (int64_t)i,
                                .counter = i,
                                .digits = 6,
                                .look_ahead = 2};
  }
  expect(otp_verify_batch(requests, COUNT, results) == OTP_OK);
  otp_status first = OTP_OK;
  for (size_t i = 0; i < COUNT; i++) {
    const otp_status status = check_match(results[i].status, &results[i], i);
    if (first == OTP_OK) first = status;
  }
  return first;
}

static otp_status generate(void) {
  uint8_t secret[64];
  size_t length = sizeof secret;
  return otp_secret_generate(hash, secret, &length);
}

/// A record is enrolled, verified and sealed again, by a keyring that is new, so that its contexts are too. After a
/// failure there is no record, and no answer.
static otp_status record(void) {
  const otp_named_key named = {sizeof named, "key", 3, (const uint8_t *)"0123456789abcdef0123456789abcdef", 32};
  const otp_enrollment enrollment = {sizeof enrollment, OTP_TOTP, hash, 6, 30, 1600000000, 0, seed,
                                     sizeof seed,       1,        0,    0};
  otp_keyring *keyring = NULL;
  uint8_t made[OTP_RECORD_MAX], next[OTP_RECORD_MAX] = "before";
  size_t made_len = sizeof made, next_len = sizeof next;
  otp_answer answer = OTP_ANSWER_INIT;
  otp_status status = otp_keyring_create(&named, 1, &keyring);
  expect((keyring != NULL) == (status == OTP_OK));
  if (status == OTP_OK) {
    status = otp_record_enroll(keyring, "user", 4, &enrollment, NULL, 0, 1600000150, made, &made_len);
  }
  if (status == OTP_OK) {
    status =
        otp_record_verify(keyring, "user", 4, made, made_len, codes[5], 6, 1600000150, NULL, next, &next_len, &answer);
    expect(answer.status == status);
    expect(answer.kind == (status == OTP_OK ? OTP_ANSWER_ACCEPTED : OTP_ANSWER_REJECTED));
    if (status != OTP_OK) expect(strcmp((const char *)next, "before") == 0 && !answer.changed);
  }
  otp_keyring_destroy(keyring);
  return status == OTP_RANDOMNESS_UNAVAILABLE ? OTP_CRYPTOGRAPHY_FAILED : status;
}

static const struct function {
  const char *name;
  otp_status (*call)(void);
  int uses_key;
  otp_status status;
} functions[] = {
    {"otp_key_create_with_backend", create_with_backend, 0, OTP_CRYPTOGRAPHY_FAILED},
    {"otp_key_create", create, 0, OTP_CRYPTOGRAPHY_FAILED},
    {"otp_key_create_base32", create_base32, 0, OTP_CRYPTOGRAPHY_FAILED},
    {"otp_hotp", hotp, 1, OTP_CRYPTOGRAPHY_FAILED},
    {"otp_totp", totp, 1, OTP_CRYPTOGRAPHY_FAILED},
    {"otp_totp_verify", totp_verify, 1, OTP_CRYPTOGRAPHY_FAILED},
    {"otp_totp_verify_secret", totp_verify_secret, 0, OTP_CRYPTOGRAPHY_FAILED},
    {"otp_hotp_verify", hotp_verify, 1, OTP_CRYPTOGRAPHY_FAILED},
    {"otp_hotp_resynchronize", resynchronize, 1, OTP_CRYPTOGRAPHY_FAILED},
    {"otp_verify_batch", verify_batch, 1, OTP_CRYPTOGRAPHY_FAILED},
    {"otp_record_verify", record, 0, OTP_CRYPTOGRAPHY_FAILED},
    // The first call of a thread, which allocates its random generator.
    {"otp_secret_generate", generate, 0, OTP_RANDOMNESS_UNAVAILABLE},
};

// ---- One case. ------------------------------------------------------------------------------------------------------

/// Whether the key is used elsewhere: not until the call has failed, on another thread at the moment of the failure, or
/// on one that began before it and ends after it, so that the call finds the key in use.
enum when { AFTERWARD, MEANWHILE, THROUGHOUT, WHEN_COUNT };

static const struct function *function;
static struct plan planned;
static size_t failed_calls, failed_allocations;
static char description[160];

static void crashed(int signal) {
  (void)!write(2, description, strlen(description));
  _exit(128 + signal);
}

static void *serve(void *unused) {
  expect(hotp() == OTP_OK);
  expect(totp_verify() == OTP_OK);
  return unused;
}

static void serve_on_another_thread(void) { wait_for(begin_on_another_thread(serve)); }

static void *call_as_planned(void *unused) {
  plan = planned;
  const otp_status status = function->call();
  planned = plan;
  plan = (struct plan){0};
  // A call succeeds only if OpenSSL can do without the failed allocation.
  expect(status == OTP_OK || (status == function->status && planned.failed > 0));
  failed_calls += status != OTP_OK;
  return unused;
}

static void call_on_another_thread(void) { wait_for(begin_on_another_thread(call_as_planned)); }

/// Returns whether the call made that many allocations.
static int run_case(size_t first, int lasting, enum when when) {
  snprintf(
      description, sizeof description, "FAIL  crashed: %s, hash %d, allocation %zu%s, key used elsewhere: %d\n",
      function->name, (int)hash, first, lasting ? " and all after it" : "", (int)when);
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

static void run_function(enum when when) {
  // Run once without failures, for what is allocated once.
  expect(!run_case(0, 0, AFTERWARD));
  const size_t held = blocks_held, calls = failed_calls;
  for (int lasting = 0; lasting < 2; lasting++) {
    for (size_t first = 1; run_case(first, lasting, when); first++) expect(blocks_held == held);
  }
  expect(blocks_held == held);
  // The control: allocations failed, and the function reported it.
  expect(failed_calls > calls);
}

int main(void) {
  take_over_allocations();
  signal(SIGSEGV, crashed);
  setenv("OTP_BACKEND", "evp", 1);
  expect(otp_self_test() == OTP_OK);
  for (hash = OTP_SHA1; hash <= OTP_SHA512; hash++) {
    otp_key *other = NULL;
    expect(otp_key_create_with_backend(OTP_BACKEND_LANES, hash, seed, sizeof seed, &other) == OTP_OK);
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) expect(otp_hotp(other, i, 6, codes[i]) == OTP_OK);
    otp_key_destroy(other);
    expect(otp_key_create(hash, seed, sizeof seed, &key) == OTP_OK);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
      function = &functions[i];
      for (enum when when = AFTERWARD; when < WHEN_COUNT; when++) {
        if (when == AFTERWARD || function->uses_key) run_function(when);
      }
    }
    otp_key_destroy(key);
  }
  expect(failed_calls > 1000);
  printf("%zu failed allocations failed %zu calls; ", failed_allocations, failed_calls);
  return finish("keys serve after failures");
}
