// Verifies and makes codes with every secret and every typed code marked undefined for valgrind's memcheck, which
// reports each branch or address that depends on one. The library is built with OTP_CHECKS, which counts the outcomes
// that leave a verification and marks them defined. A planted leak must be reported.
//
//   valgrind secrets [portable]      with this CPU's vector instructions, or without any

#define _GNU_SOURCE
#include <valgrind/memcheck.h>
#include <valgrind/valgrind.h>

#include "call.h"

// In the library, in a build with OTP_CHECKS.
extern unsigned otp_secret_declassifications;

// The linker redirects the library's call here (--wrap).
static int is_portable;
int __wrap_otp_cpu_has_avx2(void);
int __real_otp_cpu_has_avx2(void);
int __wrap_otp_cpu_has_avx2(void) { return !is_portable && __real_otp_cpu_has_avx2(); }

static const char *taint(char *text, size_t length) {
  (void)VALGRIND_MAKE_MEM_UNDEFINED(text, length);
  return text;
}

/// Prepares calls whose codes are those of a step, or are wrong, with secret and codes undefined.
static void prepare_undefined(otp_hash wanted, int place) {
  (void)VALGRIND_MAKE_MEM_DEFINED(secret, sizeof secret);
  (void)VALGRIND_MAKE_MEM_DEFINED(code_texts, sizeof code_texts);
  (void)VALGRIND_MAKE_MEM_DEFINED(typed, sizeof typed);
  expect(prepare(wanted));
  for (uint64_t i = 0; i < 3; i++) expect(otp_hotp(key, (uint64_t)(STEP + place) + i, 6, code_texts[i]) == OTP_OK);
  if (place > WINDOW) memcpy(code_texts, "000000\0\0000000000\0\0000000000", sizeof code_texts);
  otp_key_destroy(key);
  (void)VALGRIND_MAKE_MEM_UNDEFINED(secret, sizeof secret);
  expect(otp_key_create(hash, secret, secret_len, &key) == OTP_OK);
  for (size_t i = 0; i < REQUESTS; i++) {
    requests[i].key = key;
    requests[i].type = OTP_TOTP;
  }
  for (size_t i = 0; i < 3; i++) taint(code_texts[i], 6);
  taint(typed, typed_len);
}

/// Makes every call that makes or verifies a code. An outcome is public, and so is a generated code, which was asked
/// for; a typed one that is read stays secret.
static void make_calls(int place) {
  word a[MOST_PARAMETERS];
  for (size_t i = 0; i < CALLS; i++) {
    const parameter *last = &calls[i].parameters[calls[i].count > 0 ? calls[i].count - 1 : 0];
    const unsigned char *output = outputs[last - calls[i].parameters];
    const otp_match *match = (const otp_match *)output;
    const int is_batch = strcmp(calls[i].name, "otp_verify_batch") == 0;
    // Where a text with a NUL ends is no secret, but memcheck cannot know that.
    if ((last->kind != CODE && last->kind != MATCH) || calls[i].parameters[1].kind == TEXTS) continue;
    set_up(&calls[i], a);
    const unsigned before = otp_secret_declassifications;
    expect(calls[i].make(a) == OTP_OK);
    const unsigned count = otp_secret_declassifications - before;
    if (strstr(calls[i].name, "typed") != NULL) {
      unsigned char undefined[6] = {0};
      expect(VALGRIND_GET_VBITS(output, undefined, sizeof undefined) == 1);
      for (size_t j = 0; j < sizeof undefined; j++) expect(undefined[j] != 0);
    } else if (last->kind == CODE) {
      expect(VALGRIND_CHECK_MEM_IS_DEFINED(output, 7) == 0 && strlen((const char *)output) == 6);
    } else {
      // Two results of a verification are declassified: whether the text is digits, and the outcome.
      expect(count == (is_batch ? 2 * REQUESTS : 2));
      for (int j = 0; j < (is_batch ? REQUESTS : 1); j++) {
        expect(VALGRIND_CHECK_MEM_IS_DEFINED(&match[j], sizeof match[j]) == 0);
        const int is_right = place <= WINDOW && (place >= 0 || strstr(calls[i].name, "hotp") == NULL);
        expect(match[j].result == (is_right ? OTP_ACCEPTED : OTP_REJECTED));
      }
    }
  }
}

/// Records, unsealed, so that the secret within can be marked: verified with a code that is right, wrong, spent or no
/// code at all. The answer is public; the secret in the new record is still marked.
static void records(otp_hash hash) {
  static const char *const texts[] = {"254676", "000000", "338314", "25467", " 254 676"};
  otp_keyring *keyring = NULL;
  expect(otp_keyring_create_unsealed(&keyring) == OTP_OK);
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    char text[16];
    const size_t text_len = strlen(texts[i]);
    uint8_t record[OTP_RECORD_MAX], next[OTP_RECORD_MAX];
    size_t len = sizeof record, next_len = sizeof next;
    const otp_enrollment enrollment = {sizeof enrollment, OTP_TOTP, hash, 6, 30, 1600000000, 0, seed,
                                       sizeof seed,       1,        1,    4, 0};
    expect(otp_record_enroll(keyring, "user", 4, &enrollment, NULL, 0, 1600000150, record, &len) == OTP_OK);
    size_t at = 0;
    while (memcmp(record + at, seed, sizeof seed) != 0) at++;
    (void)VALGRIND_MAKE_MEM_UNDEFINED(record + at, sizeof seed);
    otp_answer answer = OTP_ANSWER_INIT;
    expect(
        otp_record_verify(
            keyring, "user", 4, record, len, taint(strcpy(text, texts[i]), text_len), text_len, 1600000150, NULL, next,
            &next_len, &answer)
        == OTP_OK);
    expect(VALGRIND_CHECK_MEM_IS_DEFINED(&answer, sizeof answer) == 0 && answer.changed == (i != 3));
    const otp_answer_kind right = hash == OTP_SHA1 ? OTP_ANSWER_ACCEPTED : OTP_ANSWER_REJECTED;
    expect(answer.kind == (i == 0 || i == 4 ? right : OTP_ANSWER_REJECTED));
    expect(VALGRIND_CHECK_MEM_IS_DEFINED(&next_len, sizeof next_len) == 0 && next_len >= len);
    unsigned char marks[OTP_RECORD_MAX];
    size_t marked = 0;
    expect(VALGRIND_GET_VBITS(next, marks, next_len) == 1);
    for (size_t j = 0; j < next_len; j++) marked += marks[j] == 0xFF;
    expect(marked == sizeof seed);
  }
  otp_keyring_destroy(keyring);
}

/// A branch on a byte of a secret.
static int leak_secret(void) { return secret[3] == '4'; }

int main(int argc, char **argv) {
  if (!RUNNING_ON_VALGRIND) {
    fprintf(stderr, "secrets: run me under valgrind\n");
    return 2;
  }
  is_portable = argc == 2 && strcmp(argv[1], "portable") == 0;
  otp_library_info info = {.size = sizeof info};
  expect(otp_info(&info) == OTP_OK);
  expect(strcmp(info.instruction_set, is_portable ? "portable" : "avx2") == 0);

  for (int each = OTP_SHA1; each <= OTP_SHA512; each++) {
    for (int place = -WINDOW; place <= 2 * WINDOW; place += WINDOW) {
      prepare_undefined((otp_hash)each, place);
      make_calls(place);
    }
    records((otp_hash)each);
  }
  expect(VALGRIND_COUNT_ERRORS == 0);

  if (leak_secret()) passed++;
  expect(VALGRIND_COUNT_ERRORS > 0);
  char name[64];
  snprintf(name, sizeof name, "undefined secrets, %s", info.instruction_set);
  return finish(name);
}
