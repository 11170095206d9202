// Executes functions of a library one instruction at a time, and writes the registers before each to standard output,
// for follow.py: which memory is secret is said between them.
//
//   subjects LIBRARY entries|records    what a program does with libotp, or only with records

#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include <openssl/evp.h>

#include "otp.h"

// MARK: What is written: sixteen general registers and the place of an instruction, or, with one of these, two words.

enum { SECRET = 1, PUBLIC, IS_SECRET, BEGIN, END, EQUAL, REGISTERS = 17 };

static uint64_t records[1024][REGISTERS];
static size_t count;

static void flush(void) {
  for (size_t done = 0, size = count * sizeof records[0]; done < size;) {
    const ssize_t written = write(STDOUT_FILENO, (const char *)records + done, size - done);
    if (written <= 0) _exit(1);
    done += (size_t)written;
  }
  count = 0;
}

static void trap(int number, siginfo_t *information, void *context) {
  (void)number, (void)information;
  memcpy(records[count++], ((ucontext_t *)context)->uc_mcontext.gregs, sizeof records[0]);
  if (count == sizeof records / sizeof records[0]) flush();
}

static void say(uint64_t what, const volatile void *first, uint64_t second) {
  const uint64_t record[REGISTERS] = {(uint64_t)(uintptr_t)first, second, [REG_RIP] = what};
  memcpy(records[count++], record, sizeof record);
  flush();
}

// The trap flag.
#define STEPS(on) __asm__ volatile("pushfq\n\t" on ", (%%rsp)\n\tpopfq" : : : "memory", "cc")
// The name of a subject, and how many secrets it makes public.
#define TRACED(name, exits, ...) \
  do {                           \
    say(BEGIN, name, exits);     \
    STEPS("orq $0x100");         \
    __VA_ARGS__;                 \
    STEPS("andq $~0x100");       \
    say(END, name, exits);       \
  } while (0)

// MARK: libotp.

static void *library;
#define OTP(name) ((typeof(name) *)dlsym(library, #name))
#define NEED(condition)                                                           \
  do {                                                                            \
    if (!(condition)) fprintf(stderr, "subjects: not %s\n", #condition), exit(1); \
  } while (0)

static uint8_t secret[200] = "12345678901234567890";
// The same, as people write it and as apps do.
static char texts[2][40] = {"gezd gnbv-gy3t qojq gezd gnbv gy3t qojq", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"};
// The codes of counters 5 and 9 of this secret with SHA-1, of eight digits, another, and that of counter 6.
static char codes[4][9] = {"68254676", "45520489", "00000000", "18287922"};
// The first of them, as people type it.
static char typed_code[] = "254\u2009-676\n";
// Not on the stack, where the bytes of an earlier call's secrets may still be.
static uint8_t record[1024], bytes[1024];
static char characters[40], code[9];
static size_t length, room;
static otp_key *key;

// A function's result, which is not secret; its name and how many secrets it makes public.
#define CALL(exits, name, ...)                          \
  ({                                                    \
    typeof(name) *const called = OTP(name);             \
    otp_status status;                                  \
    TRACED(#name, exits, status = called(__VA_ARGS__)); \
    status;                                             \
  })

// Whether the text is a code, and the outcome.
enum { EXITS = 2, REQUESTS = 12 };

static void verify(otp_hash hash) {
  static const otp_window window = {sizeof window, 1, 3, 1, 4};
  static otp_match match = OTP_MATCH_INIT, matches[REQUESTS];
  static otp_request requests[REQUESTS];
  for (size_t i = 0; i < (hash == OTP_SHA1 ? 3 : 1); i++) {
    const otp_result wanted = hash == OTP_SHA1 && i < 2 ? OTP_ACCEPTED : OTP_REJECTED;
    for (unsigned digits = 6; digits <= (hash == OTP_SHA1 && i == 0 ? 8 : 6); digits++) {
      const char *const typed = codes[i] + 8 - digits;
      const otp_totp_params parameters = {sizeof parameters, digits, 30, 0};
      NEED(CALL(EXITS, otp_totp_verify, key, typed, digits, 180, &parameters, &window, &match) == OTP_OK);
      NEED(match.result == wanted);
      NEED(CALL(EXITS, otp_hotp_verify, key, typed, digits, 5, digits, 4, &match) == OTP_OK && match.result == wanted);
    }
    NEED(CALL(EXITS, otp_totp_verify_secret, hash, secret, 20, codes[i] + 2, 6, 180, NULL, &window, &match) == OTP_OK);
    NEED(match.result == wanted);
  }
  for (size_t i = 0; i < 2 && hash == OTP_SHA1; i++) {
    const char *const typed[] = {codes[3 * i] + 2, codes[3 - 3 * i] + 2};
    NEED(CALL(17, otp_hotp_resynchronize, key, typed, 2, 5, 6, 4, &match) == OTP_OK);
    NEED(match.result == (i == 0 ? OTP_ACCEPTED : OTP_REJECTED));
  }
  for (size_t i = 0; i < REQUESTS && hash == OTP_SHA1; i++) {
    requests[i] = (otp_request){.size = sizeof requests[i],
                                .type = OTP_TOTP,
                                .key = key,
                                .code = codes[i % 3] + 2,
                                .code_len = 6,
                                .unix_time = 180};
    matches[i] = (otp_match)OTP_MATCH_INIT;
  }
  NEED(hash != OTP_SHA1 || CALL(EXITS * REQUESTS, otp_verify_batch, requests, REQUESTS, matches) == OTP_OK);
}

// MARK: libcrypto, which finds these functions before its own.

// Without steps, if they are on.
#define PAUSED(...)                                         \
  do {                                                      \
    const uint64_t flags = __builtin_ia32_readeflags_u64(); \
    STEPS("andq $~0x100");                                  \
    __VA_ARGS__;                                            \
    __builtin_ia32_writeeflags_u64(flags);                  \
  } while (0)
#define NEXT(name) ((typeof(name) *)dlsym(RTLD_NEXT, #name))

// The generator, which calls the system, is not followed, but what it makes is secret.
int RAND_priv_bytes(unsigned char *random, int size) {
  static int status;
  PAUSED(status = NEXT(RAND_priv_bytes)(random, size); say(SECRET, random, (uint64_t)size));
  return status;
}

// What is decrypted depends on keys; but of a record only the secret is one.
int EVP_CipherUpdate(EVP_CIPHER_CTX *context, uint8_t *out, int *written, const uint8_t *in, int size) {
  static typeof(EVP_CipherUpdate) *next;
  if (next == NULL) PAUSED(next = NEXT(EVP_CipherUpdate));
  const int status = next(context, out, written, in, size);
  if (out != NULL && !EVP_CIPHER_CTX_is_encrypting(context))
    PAUSED({
      const uint8_t *const kept = memmem(out, (size_t)size, secret, 20);
      NEED(kept != NULL);
      say(PUBLIC, out, (uint64_t)size);
      say(SECRET, kept, 20);
    });
  return status;
}

// MARK: Records.

static otp_keyring *keyring;
static otp_answer answer = OTP_ANSWER_INIT;
// Of a time that records take, so that it is in step 5.
enum { NOW = 1700000145 };

// The status of what was submitted of a record.
#define SUBMIT(exits, name, ...) \
  (room = sizeof bytes, CALL(exits, name, keyring, "u", 1, record, length, __VA_ARGS__, bytes, &room, &answer))

// How many openings compare a tag, which makes public whether it is right: 1, or 0 if records are not sealed.
static void verify_record(otp_type type, uint64_t tags) {
  static otp_enrollment enrollment = OTP_ENROLLMENT_INIT;
  enrollment.type = type, enrollment.secret = secret, enrollment.secret_len = 20, enrollment.is_confirmed = 1;
  enrollment.t0 = NOW - 165;
  length = sizeof record;
  NEED(CALL(0, otp_record_enroll, keyring, "u", 1, &enrollment, NULL, 0, NOW, record, &length) == OTP_OK);
  for (size_t i = 0; i < 3; i += 2) {
    // Of each character, what it is; and why a code of another time is wrong.
    const uint64_t exits = tags + (type == OTP_TOTP && i == 2 ? 33 : 32);
    NEED(SUBMIT(exits, otp_record_verify, codes[i] + 2, 6, NOW, NULL) == OTP_OK);
    NEED(answer.kind == (i < 2 ? OTP_ANSWER_ACCEPTED : OTP_ANSWER_REJECTED));
    if (i == 0 && tags == 0) {
      // The secret comes back: its fingerprint is compared with that of the one which has accepted a code.
      static uint8_t replaced[OTP_RECORD_MAX];
      size_t replaced_len = sizeof replaced;
      enrollment.replace = 1;
      NEED(
          CALL(1, otp_record_enroll, keyring, "u", 1, &enrollment, bytes, room, NOW, replaced, &replaced_len)
          == OTP_OK);
    }
  }
  static otp_record_policy policy = OTP_RECORD_POLICY_INIT;
  policy.resynchronization_steps = policy.resynchronization_look_ahead = 9;
  const char *const typed[] = {codes[0] + 2, codes[3] + 2};
  NEED(SUBMIT(77 + tags, otp_record_resynchronize, typed, 2, NOW, &policy) == OTP_OK);
  NEED(answer.kind == OTP_ANSWER_ACCEPTED);
  enrollment.is_confirmed = 0, enrollment.replace = 0, length = sizeof record;
  NEED(CALL(0, otp_record_enroll, keyring, "u", 1, &enrollment, NULL, 0, NOW, record, &length) == OTP_OK);
  NEED(SUBMIT(32 + tags, otp_record_confirm, codes[0] + 2, 6, NOW, NULL) == OTP_OK);
  NEED(answer.kind == OTP_ANSWER_ENROLLED);
  record[length - 1] ^= 1;
  NEED(tags == 0 || SUBMIT(1, otp_record_confirm, codes[0] + 2, 6, NOW, NULL) == OTP_NOT_AUTHENTIC);
}

// Whatever was typed, each of its characters, what it is in base32, and each comparison with a code is public.
static void verify_recovery_codes(void) {
  enum { COUNT = 2, SIZE = OTP_RECOVERY_CODE_LENGTH + 1, HASH = 32, ENTRY = 2 + HASH };
  static char list[COUNT + 1][SIZE];
  length = sizeof record;
  // They are made as a Swift String, which is not followed.
  NEED(
      OTP(otp_record_recovery_codes)(keyring, "u", 1, COUNT, NULL, 0, NOW, list[0], COUNT * SIZE, record, &length)
      == OTP_OK);
  memcpy(list[COUNT], list[0], SIZE);
  list[COUNT][0] = list[0][0] == 'A' ? 'B' : 'A';
  say(SECRET, list, sizeof list);
  say(PUBLIC, record, sizeof record);
  for (size_t i = 0; i < COUNT; i++) say(SECRET, record + length - i * ENTRY - HASH, HASH);
  for (size_t i = 0; i <= COUNT; i += COUNT) {
    NEED(SUBMIT(63 + COUNT, otp_record_verify, list[i], SIZE - 1, NOW, NULL) == OTP_OK);
    NEED(answer.kind == (i < COUNT ? OTP_ANSWER_ACCEPTED : OTP_ANSWER_REJECTED));
  }
}

static void run_entries(int has_keys) {
  static uint8_t sealing[] = "abcdefghijklmnopqrstuvwxyzabcdef";
  const otp_named_key named = {sizeof named, "1", 1, sealing, 32};
  // What the libraries find out on first use, they do not find out here.
  (void)OTP(otp_self_test)();
  NEED(OTP(otp_keyring_create)(&named, 1, &keyring) == OTP_OK);
  say(EQUAL, dlsym(library, "CRYPTO_memcmp"), 0);
  say(SECRET, sealing, 32);
  say(SECRET, secret, sizeof secret);
  say(SECRET, texts, sizeof texts);
  say(SECRET, codes, sizeof codes);
  say(SECRET, typed_code, sizeof typed_code - 1);
  for (otp_hash hash = OTP_SHA1; has_keys && hash <= OTP_SHA512; hash++) {
    // The second is hashed first.
    for (size_t size = 20; size <= 200; size += 180) {
      NEED(CALL(0, otp_key_create, hash, secret, size, &key) == OTP_OK);
      if (size == 20) verify(hash);
      TRACED("otp_key_destroy", 0, OTP(otp_key_destroy)(key));
    }
  }
  NEED(CALL(4, otp_key_create_base32, OTP_SHA1, texts[1], 32, &key) == OTP_OK);
  NEED(CALL(46, otp_key_create_base32, OTP_SHA1, texts[0], 39, &key) == OTP_OK);
  NEED(CALL(0, otp_hotp, key, 5, 6, code) == OTP_OK);
  say(IS_SECRET, code, 6);
  say(PUBLIC, code, sizeof code);
  NEED(CALL(0, otp_totp, key, 180, NULL, code) == OTP_OK);
  say(IS_SECRET, code, 6);
  say(PUBLIC, code, sizeof code);
  NEED(CALL(43, otp_code_read_typed, typed_code, sizeof typed_code - 1, 6, code) == OTP_OK);
  say(IS_SECRET, code, 6);
  length = sizeof characters;
  NEED(CALL(0, otp_base32_encode, secret, 20, 0, characters, &length) == OTP_OK);
  say(IS_SECRET, characters, length);
  NEED(CALL(0, otp_keyring_create, &named, 1, &keyring) == OTP_OK);
  verify_record(OTP_TOTP, 1);
  TRACED("otp_keyring_destroy", 0, OTP(otp_keyring_destroy)(keyring));
  NEED(OTP(otp_keyring_create_unsealed)(&keyring) == OTP_OK);
  verify_record(OTP_HOTP, 0);
  verify_recovery_codes();
}

int main(int argc, char **argv) {
  static char stack[65536];
  sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
  sigaction(SIGTRAP, &(struct sigaction){.sa_sigaction = trap, .sa_flags = SA_SIGINFO | SA_ONSTACK}, NULL);
  library = dlopen(argv[1], RTLD_NOW);
  if (library == NULL) return fprintf(stderr, "subjects: %s\n", dlerror()), 1;
  say(0, __builtin_thread_pointer(), ((struct link_map *)library)->l_addr);
  run_entries(argc > 2 && strcmp(argv[2], "entries") == 0);
  say(0, NULL, 0);
  // Until follow.py has read the code.
  return getchar() != EOF;
}
