/*
 * What a server does with libotp: enroll a user, and accept each of their codes at most once, under the one rule of
 * records: replace the record that you read with the one that you got, if it is still there; answer only if that
 * succeeded; otherwise read again.
 *
 * Prints a new user's URI, which a server shows as a QR code, and logs in as that user would.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <otp.h>

static const char subject[] = "user 42";

/* The column of the user's row in the server's table. */
struct column {
  uint8_t otp[OTP_RECORD_MAX];
  size_t length;
};

/* UPDATE users SET otp = :new WHERE id = :id AND otp = :old. Returns whether a row has changed. */
static int replace(struct column *column, const struct column *old, const struct column *new) {
  if (column->length != old->length || memcmp(column->otp, old->otp, old->length) != 0) return 0;
  *column = *new;
  return 1;
}

typedef otp_status submit(
    const otp_keyring *, const void *, size_t, const uint8_t *, size_t, const char *, size_t, int64_t,
    const otp_record_policy *, uint8_t *, size_t *, otp_answer *);

/* Confirms an enrollment or signs in. Tell the client only the kind of the answer and `until`; the reason is for the
 * log. */
static otp_answer attempt(
    submit *function, const otp_keyring *keyring, struct column *column, const char *typed, int64_t now) {
  otp_answer answer = OTP_ANSWER_INIT;
  struct column old, new;
  do {
    old = *column;
    new.length = sizeof new.otp;
    const otp_status status = function(
        keyring, subject, strlen(subject), old.otp, old.length, typed, strlen(typed), now, NULL, new.otp, &new.length,
        &answer);
    if (status != OTP_OK) {
      fprintf(stderr, "login: %s\n", otp_status_string(status));
      break;
    }
  } while (answer.changed && !replace(column, &old, &new));
  return answer;
}

/* Enrolls the user, and returns whether their app's code has confirmed it; the code is spent. */
static int enroll(const otp_keyring *keyring, struct column *column, otp_key **app, int64_t now) {
  char uri[OTP_URI_MAX + 1], memory[OTP_URI_MEMORY], code[9];
  size_t uri_length = sizeof uri;
  column->length = sizeof column->otp;
  if (otp_record_enroll(keyring, subject, strlen(subject), NULL, NULL, 0, now, column->otp, &column->length) != OTP_OK
      || otp_record_uri(
             keyring, subject, strlen(subject), column->otp, column->length, "Example", 7, "alice@example.com", 17, uri,
             &uri_length)
          != OTP_OK) {
    return 0;
  }
  printf("Show this as a QR code: %s\n", uri);

  /* What the user's app does with it. */
  otp_uri scanned = OTP_URI_INIT;
  return otp_uri_parse(uri, uri_length, 0, &scanned, memory, sizeof memory, NULL) == OTP_OK
      && otp_key_create(scanned.hash, scanned.secret, scanned.secret_len, app) == OTP_OK
      && otp_totp(*app, now, NULL, code) == OTP_OK
      && attempt(otp_record_confirm, keyring, column, code, now).kind == OTP_ANSWER_ENROLLED;
}

int main(void) {
  /* In a server: otp_self_test(), then otp_keyring_open() with the file that `otp keyring new` has written. */
  uint8_t secret[32];
  size_t length = sizeof secret;
  otp_named_key named = OTP_NAMED_KEY_INIT;
  otp_keyring *keyring = NULL;
  if (otp_secret_generate(OTP_SHA256, secret, &length) != OTP_OK) return 1;
  named.name = "2026-11";
  named.name_len = strlen(named.name);
  named.key = secret;
  named.key_len = length;
  if (otp_keyring_create(&named, 1, &keyring) != OTP_OK) return 1;

  struct column column;
  otp_key *app = NULL;
  char code[9];
  const int64_t now = (int64_t)time(NULL);
  if (!enroll(keyring, &column, &app, now) || otp_totp(app, now + 30, NULL, code) != OTP_OK) return 1;
  const int first = attempt(otp_record_verify, keyring, &column, code, now + 30).kind == OTP_ANSWER_ACCEPTED;
  const int again = attempt(otp_record_verify, keyring, &column, code, now + 30).kind == OTP_ANSWER_ACCEPTED;
  printf("With the code: %s. With the same code again: %s.\n", first ? "in" : "out", again ? "in" : "out");
  otp_key_destroy(app);
  otp_keyring_destroy(keyring);
  return first && !again ? 0 : 1;
}
