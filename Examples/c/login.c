/*
 * What a server does with libotp: enrol a user, and let each code of theirs in once.
 *
 * Prints a new user's URI, which a server shows as a QR code, and logs in as that user would.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <otp.h>

/* A row of the server's table of users. In a real server the secret is stored encrypted. */
struct user {
  const char *name;
  uint8_t secret[20];
  size_t secret_len;
  /* The step of the last code that was accepted; the table has NULL before the first. */
  int has_last_step;
  uint64_t last_step;
};

/* Makes a secret for a user, and the URI that their authenticator app reads. */
static otp_status enrol(struct user *user, char uri[OTP_URI_MAX + 1]) {
  user->secret_len = sizeof user->secret;
  otp_status status = otp_secret_generate(OTP_SHA1, user->secret, &user->secret_len);
  if (status != OTP_OK) return status;

  otp_uri key = OTP_URI_INIT;
  key.secret = user->secret;
  key.secret_len = user->secret_len;
  key.issuer = "Example";
  key.issuer_len = strlen(key.issuer);
  key.account = user->name;
  key.account_len = strlen(user->name);
  size_t length = OTP_URI_MAX + 1;
  return otp_uri_build(&key, 0, uri, &length, NULL);
}

/* Whether a code logs a user in. Count the try before, and lock the user after a few. Two logins at once both find the
 * old step: in a database, let in only the one whose update has changed the row:
 *
 *   UPDATE users SET last_step = :step WHERE id = :id AND (last_step IS NULL OR last_step < :step)
 */
static int log_in(struct user *user, const char *code, int64_t now) {
  otp_window window = OTP_WINDOW_INIT;
  window.has_after = user->has_last_step;
  window.after = user->last_step;
  otp_match match = OTP_MATCH_INIT;
  const otp_status status = otp_totp_verify_secret(
      OTP_SHA1, user->secret, user->secret_len, code, strlen(code), now, NULL, &window, &match);
  if (status != OTP_OK) {
    fprintf(stderr, "login: %s\n", otp_status_string(status));
    return 0;
  }
  if (match.result != OTP_ACCEPTED) return 0;

  user->has_last_step = 1;
  user->last_step = match.step;
  return 1;
}

int main(void) {
  if (otp_self_test() != OTP_OK) return 1;
  struct user user = {.name = "alice@example.com"};
  char uri[OTP_URI_MAX + 1];
  if (enrol(&user, uri) != OTP_OK) return 1;
  printf("Show this as a QR code: %s\n", uri);

  /* What the user's app shows. */
  const int64_t now = (int64_t)time(NULL);
  otp_key *app = NULL;
  char code[9];
  if (otp_key_create(OTP_SHA1, user.secret, user.secret_len, &app) != OTP_OK) return 1;
  if (otp_totp(app, now, NULL, code) != OTP_OK) return 1;
  otp_key_destroy(app);

  const int first = log_in(&user, code, now), again = log_in(&user, code, now);
  printf("With the code: %s. With the same code again: %s.\n", first ? "in" : "out", again ? "in" : "out");
  return first && !again ? 0 : 1;
}
