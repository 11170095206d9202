// Records from C: keyrings and their files, records that do not open, and a million alterations. The vectors' sequences
// have the rules of a record, the bindings' tests what answers and details say, and arguments.c every misuse.

#define _GNU_SOURCE
#include <sys/stat.h>

#include "call.h"

#define WHOSE keyring, subject, subject_len

static otp_status reseal(const otp_keyring *keyring, const uint8_t *record, size_t len) {
  column next = {.len = sizeof next.bytes};
  return otp_record_reseal(WHOSE, record, len, next.bytes, &next.len);
}

/// A keyring's file, and one that is damaged, open to others, or none.
static void files(void) {
  otp_keyring *opened = NULL, *none = NULL;
  column held = {.len = sizeof held.bytes}, next = {.len = sizeof next.bytes};
  expect(otp_keyring_open(path, &opened) == OTP_OK);
  expect(
      otp_record_enroll(opened, subject, subject_len, enrollment, NULL, 0, TIME, held.bytes, &held.len) == OTP_OK
      && otp_record_reseal(opened, subject, subject_len, held.bytes, held.len, next.bytes, &next.len) == OTP_OK);
  // Its active key has sealed it.
  expect(next.len == held.len && memcmp(next.bytes, held.bytes, held.len) == 0);
  expect(reseal(keyring, held.bytes, held.len) == OTP_UNKNOWN_KEY);
  otp_keyring_destroy(opened);
  char copy[] = "/tmp/otp-keyring-XXXXXX", damaged[sizeof keyring_text];
  memcpy(damaged, keyring_text, sizeof damaged);
  *strstr(damaged, "old") = 'c';
  write_private_file(copy, damaged);
  expect(otp_keyring_open(copy, &none) == OTP_KEYRING_CORRUPT && none == NULL);
  expect(chmod(copy, 0640) == 0 && otp_keyring_open(copy, &none) == OTP_KEYRING_READABLE_BY_OTHERS);
  expect(chmod(copy, 0600) == 0 && truncate(copy, 60) == 0 && otp_keyring_open(copy, &none) == OTP_KEYRING_MALFORMED);
  expect(unlink(copy) == 0 && otp_keyring_open(copy, &none) == OTP_KEYRING_UNREADABLE);
  expect(otp_keyring_open("/dev/null", &none) == OTP_KEYRING_UNREADABLE && none == NULL);
}

/// Keyrings that cannot be, and records that are another keyring's, a later version's, or of another kind.
static void refusals(void) {
  otp_keyring *none = NULL, *plain = NULL;
  const otp_named_key twice[] = {named_key, named_key};
  expect(otp_keyring_create(twice, 2, &none) == OTP_DUPLICATE_KEY_NAME && none == NULL);
  expect(otp_keyring_create_unsealed(&plain) == OTP_OK);
  column later = active, bare = {.len = sizeof bare.bytes};
  expect(reseal(plain, active.bytes, active.len) == OTP_WRONG_ENCODING);
  later.bytes[0] = 2;
  expect(reseal(keyring, later.bytes, later.len) == OTP_LATER_RECORD);
  later.bytes[0] = 1;
  later.bytes[1] = OTP_RECORD_HOTP;
  expect(reseal(keyring, later.bytes, later.len) == OTP_NOT_AUTHENTIC);

  // Without a seal, the bytes hold the secret.
  expect(
      otp_record_enroll(plain, subject, subject_len, enrollment, NULL, 0, TIME, bare.bytes, &bare.len) == OTP_OK
      && memmem(bare.bytes, bare.len, seed, sizeof seed) != NULL);
  expect(reseal(keyring, bare.bytes, bare.len) == OTP_WRONG_ENCODING);
  for (size_t len = 0; len < bare.len; len++) expect(reseal(plain, bare.bytes, len) == OTP_MALFORMED_RECORD);
  // It is not bound to the subject, which must be one all the same.
  column next = {.len = sizeof next.bytes};
  expect(otp_record_reseal(plain, NULL, 0, bare.bytes, bare.len, next.bytes, &next.len) == OTP_INVALID_SUBJECT);
  expect(otp_record_reseal(plain, subject, 1025, bare.bytes, bare.len, next.bytes, &next.len) == OTP_INVALID_SUBJECT);
  otp_keyring_destroy(plain);
}

/// Nothing that was altered or cut short opens.
static void alterations(void) {
  size_t opened = 0;
  uint64_t state = 42;
  for (size_t len = 0; len < active.len; len++) opened += reseal(keyring, active.bytes, len) == OTP_OK;
  for (size_t i = 0; i < 1000000; i++) {
    column altered = active;
    state = state * 6364136223846793005u + 1442695040888963407u;
    const uint8_t change = (uint8_t)(state >> 56);
    altered.bytes[(state >> 20) % active.len] ^= change == 0 ? 1 : change;
    opened += reseal(keyring, altered.bytes, altered.len) == OTP_OK;
  }
  expect(opened == 0);
}

int main(void) {
  prepare_path();
  expect(prepare(OTP_SHA1));
  files();
  refusals();
  alterations();
  otp_key_destroy(key);
  otp_keyring_destroy(keyring);
  return finish("records");
}
