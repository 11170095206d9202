/* What an administrator does with the files of pam_otp.so, as the user that the service runs as:
 *
 *   pam-otp DIR enroll USER    shows a new secret's URI, and reads the app's code, which confirms it
 *   pam-otp DIR import USER    reads a base32 secret (SHA-1, six digits, 30 seconds) that a token has already
 *   pam-otp DIR show USER      says how the user stands, without the secret
 *   pam-otp DIR unlock USER    lets the user in again after too many failures
 *   pam-otp DIR remove USER
 *
 * A user who already has a secret gets the new one in its place. A command waits for a login in progress, and a login
 * for it, but not for what it asks. Exits with 0; 1 for an unknown user or a wrong code; 64 for wrong arguments; 70 for
 * faults.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <otp.h>

#include "user_file.h"

/* The arguments that functions of records begin with. */
#define SUBJECT keyring, user, strlen(user)

static const char *directory, *user;
static otp_keyring *keyring;
static user_file file = {.directory = -1, .lock = -1, .file = -1};

/* Ends the program if a call failed. */
static void expect(otp_status status) {
  if (status == OTP_OK) return;
  fprintf(stderr, "pam-otp: %s\n", otp_status_string(status));
  exit(70);
}

static void expect_file(user_file_status status) {
  if (status == USER_FILE_OK) return;
  if (status == USER_FILE_FAILED) perror("pam-otp");
  fprintf(stderr, "pam-otp: %s\n", user_file_describe(status));
  exit(status == USER_FILE_UNKNOWN ? 1 : 70);
}

/* Reads a line, and returns its length without its end. */
static size_t read_line(char *out, int room) { return fgets(out, room, stdin) == NULL ? 0 : strcspn(out, "\r\n"); }

/* Until the code is right, the secret is nowhere but here: a user who gives up keeps the old one. So the record in
 * whose place the new one comes is read after that, and what was spent of its secrets stays spent. */
static void enroll(void) {
  uint8_t secret[20], pending[OTP_RECORD_MAX], record[OTP_RECORD_MAX];
  size_t pending_length = sizeof pending, length = sizeof record;
  char uri[OTP_URI_MAX + 1], code[128];
  size_t uri_length = sizeof uri;
  otp_answer answer = OTP_ANSWER_INIT;
  otp_enrollment enrollment = OTP_ENROLLMENT_INIT;
  enrollment.secret = secret;
  enrollment.secret_len = sizeof secret;
  enrollment.replace = 1;
  expect(otp_secret_generate(OTP_SHA1, secret, &enrollment.secret_len));
  expect(otp_record_enroll(SUBJECT, &enrollment, NULL, 0, (int64_t)time(NULL), pending, &pending_length));
  expect(otp_record_uri(SUBJECT, pending, pending_length, NULL, 0, user, strlen(user), uri, &uri_length));
  printf("%s\nCode: ", uri);
  fflush(stdout);
  size_t code_length = read_line(code, sizeof code);
  expect_file(user_file_open(&file, directory, user, true));
  pending_length = sizeof pending;
  expect(otp_record_enroll(
      SUBJECT, &enrollment, file.length > 0 ? file.record : NULL, file.length, (int64_t)time(NULL), pending,
      &pending_length));
  expect(otp_record_confirm(
      SUBJECT, pending, pending_length, code, code_length, (int64_t)time(NULL), NULL, record, &length, &answer));
  if (answer.kind != OTP_ANSWER_ENROLLED) {
    fputs("pam-otp: not the app's code\n", stderr);
    exit(1);
  }
  expect_file(user_file_replace(&file, record, length));
}

/* If the secret is the one that the user has, what was spent of it stays spent. If the user's record was removed, every
 * code counts as spent that can have been accepted under the module's widest window. */
static void import(void) {
  char text[2048];
  uint8_t secret[1024], record[OTP_RECORD_MAX];
  size_t length = sizeof record;
  otp_enrollment enrollment = OTP_ENROLLMENT_INIT;
  enrollment.secret = secret;
  enrollment.secret_len = sizeof secret;
  enrollment.is_confirmed = 1;
  enrollment.replace = 1;
  otp_record_policy policy = OTP_RECORD_POLICY_STRICT_INIT;
  policy.adjacent_steps = 10;
  size_t text_length = read_line(text, sizeof text);
  expect(otp_base32_decode(text, text_length, 0, secret, &enrollment.secret_len, NULL));
  expect_file(user_file_open(&file, directory, user, true));
  expect(otp_record_enroll(
      SUBJECT, &enrollment, file.length > 0 ? file.record : NULL, file.length, (int64_t)time(NULL), record, &length));
  if (file.lost != 0) {
    const size_t new_length = length;
    length = sizeof record;
    expect(otp_record_spend(SUBJECT, record, new_length, (int64_t)file.lost, &policy, record, &length));
  }
  expect_file(user_file_replace(&file, record, length));
}

static void show(void) {
  otp_record_details details = {.size = sizeof details};
  expect_file(user_file_open(&file, directory, user, false));
  expect(otp_record_info(SUBJECT, file.record, file.length, &details));
  printf("failures %" PRIu64 "\nacceptances %" PRIu64 "\n", details.failures, details.acceptances);
  if (details.has_last_accepted) printf("last step %" PRIu64 "\n", details.last_accepted);
  if (details.has_last_attempt) printf("last attempt %" PRId64 "\n", details.last_attempt_time);
  printf("key %s\n", details.key_name);
}

static void unlock(void) {
  uint8_t record[OTP_RECORD_MAX];
  size_t length = sizeof record;
  expect_file(user_file_open(&file, directory, user, false));
  expect(otp_record_unlock(SUBJECT, file.record, file.length, (int64_t)time(NULL), record, &length));
  expect_file(user_file_replace(&file, record, length));
}

static void remove_user(void) {
  expect_file(user_file_open(&file, directory, user, false));
  expect_file(user_file_remove(&file));
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(void);
  } commands[] = {{"enroll", enroll}, {"import", import}, {"show", show}, {"unlock", unlock}, {"remove", remove_user}};
  for (size_t index = 0; argc == 4 && index < sizeof commands / sizeof *commands; index++) {
    if (strcmp(argv[2], commands[index].name) != 0) continue;
    directory = argv[1];
    user = argv[3];
    /* Without a key, a user can still be removed. */
    if (commands[index].run != remove_user) expect(user_keyring_open(directory, &keyring));
    commands[index].run();
    user_file_close(&file);
    otp_keyring_destroy(keyring);
    return EXIT_SUCCESS;
  }
  fputs("usage: pam-otp DIR enroll|import|show|unlock|remove USER\n", stderr);
  return 64;
}
