/* A PAM module that asks for a one-time password and verifies it with libotp, against the record in the user's file.
 * README.md explains its use.
 *
 *   auth required pam_otp.so dir=/etc/otp [max_failures=10] [window=1] [nodelay]
 *
 * Returns PAM_SUCCESS for a right and unused code; PAM_AUTH_ERR for a wrong or used code, an unknown user, a user
 * removed or enrolled again meanwhile, and after max_failures consecutive failures, which the client cannot tell apart;
 * and PAM_AUTHINFO_UNAVAIL for faults that an administrator must fix, which the log names.
 */
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <time.h>

#include <otp.h>
#include <security/pam_ext.h>
#include <security/pam_modules.h>

#include "user_file.h"

#define EXPORTED __attribute__((visibility("default")))

typedef struct options {
  const char *directory;
  unsigned max_failures;
  unsigned window;
  bool delay;
} options;

/* Reads `name=number`, the number from lowest to highest. */
static bool number_option(const char *argument, const char *name, unsigned lowest, unsigned highest, unsigned *out) {
  size_t length = strlen(name);
  if (strncmp(argument, name, length) != 0 || argument[length] != '=') return false;
  const char *text = argument + length + 1;
  size_t digits = strlen(text);
  if (digits == 0 || digits > 6 || strspn(text, "0123456789") != digits) return false;
  unsigned long value = strtoul(text, NULL, 10);
  if (value < lowest || value > highest) return false;
  *out = (unsigned)value;
  return true;
}

/* An unknown argument is refused, since it may be a limit that an administrator relies on. */
static bool read_options(pam_handle_t *pam, int argc, const char **argv, options *out) {
  *out = (options){.directory = NULL, .max_failures = 10, .window = 1, .delay = true};
  for (int index = 0; index < argc; index++) {
    const char *argument = argv[index];
    if (strncmp(argument, "dir=/", 5) == 0) {
      out->directory = argument + 4;
    } else if (strcmp(argument, "nodelay") == 0) {
      out->delay = false;
    } else if (
        !number_option(argument, "max_failures", 1, 99, &out->max_failures)
        && !number_option(argument, "window", 0, 10, &out->window)) {
      pam_syslog(pam, LOG_ERR, "argument %d is not understood", index + 1);
      return false;
    }
  }
  if (out->directory == NULL) pam_syslog(pam, LOG_ERR, "dir=/... is missing");
  return out->directory != NULL;
}

/* Logs why the user's file is not available, and returns PAM's status. Only a known user is named, since people type
 * passwords when asked for a name. */
static int refuse(pam_handle_t *pam, const user_file *file, user_file_status status) {
  const char *user = file->is_known ? file->user : "(not looked up)";
  switch (status) {
    case USER_FILE_UNKNOWN: pam_syslog(pam, LOG_NOTICE, "unknown user"); return PAM_AUTH_ERR;
    case USER_FILE_CHANGED:
      pam_syslog(pam, LOG_NOTICE, "user %s: %s", user, user_file_describe(status));
      return PAM_AUTH_ERR;
    case USER_FILE_FAILED:
      pam_syslog(pam, LOG_ERR, "user %s: %s: %m", user, user_file_describe(status));
      return PAM_AUTHINFO_UNAVAIL;
    default: pam_syslog(pam, LOG_ERR, "user %s: %s", user, user_file_describe(status)); return PAM_AUTHINFO_UNAVAIL;
  }
}

/* What the log says of a code that is refused. */
static const char *reason_of(const otp_answer *answer) {
  if (answer->kind == OTP_ANSWER_WAIT) return "too early after the user's earlier record was removed";
  if (answer->kind != OTP_ANSWER_REJECTED) return "locked: too many failures";
  switch (answer->reason) {
    case OTP_REASON_REPLAYED: return "used code";
    case OTP_REASON_LATE: return "wrong code: one of minutes ago";
    case OTP_REASON_EARLY: return "wrong code: one of minutes ahead";
    case OTP_REASON_MALFORMED: return "not a code";
    case OTP_REASON_PENDING: return "not confirmed";
    default: return "wrong code";
  }
}

/* Makes one attempt for the user, and returns PAM's status. The file is locked, so no other process replaces the record
 * that was read. */
static int attempt(pam_handle_t *pam, const options *options, const user_file *file, const char *code) {
  otp_keyring *keyring = NULL;
  otp_record_policy policy = OTP_RECORD_POLICY_STRICT_INIT;
  policy.adjacent_steps = options->window;
  policy.failures_until_lock = options->max_failures;
  policy.lock_seconds = 0; /* until an administrator unlocks */
  policy.initial_delay_seconds = 0;
  otp_answer answer = OTP_ANSWER_INIT;
  uint8_t record[OTP_RECORD_MAX];
  size_t length = sizeof record;

  otp_status status = user_keyring_open(options->directory, &keyring);
  if (status == OTP_OK) {
    status = otp_record_verify(
        keyring, file->user, strlen(file->user), file->record, file->length, code, strlen(code), (int64_t)time(NULL),
        &policy, record, &length, &answer);
  }
  otp_keyring_destroy(keyring);
  if (status != OTP_OK) {
    pam_syslog(pam, LOG_ERR, "user %s: %s", file->user, otp_status_string(status));
    return PAM_AUTHINFO_UNAVAIL;
  }
  user_file_status stored = answer.changed ? user_file_replace(file, record, length) : USER_FILE_OK;
  if (stored != USER_FILE_OK) return refuse(pam, file, stored);
  if (answer.kind == OTP_ANSWER_ACCEPTED) return PAM_SUCCESS;
  pam_syslog(pam, LOG_NOTICE, "user %s: %s", file->user, reason_of(&answer));
  return PAM_AUTH_ERR;
}

EXPORTED int pam_sm_authenticate(pam_handle_t *pam, int flags, int argc, const char **argv) {
  (void)flags;
  options options;
  if (!read_options(pam, argc, argv, &options)) return PAM_SERVICE_ERR;
  if (options.delay) pam_fail_delay(pam, 2000000);

  const char *user = NULL;
  int result = pam_get_user(pam, &user, NULL);
  if (result != PAM_SUCCESS) return result;
  /* Every user is asked, known or not. Nothing is locked meanwhile. */
  char *code = NULL;
  result = pam_prompt(pam, PAM_PROMPT_ECHO_OFF, &code, "One-time code: ");
  if (result != PAM_SUCCESS || code == NULL) return PAM_AUTH_ERR;

  user_file file;
  user_file_status opened = user_file_open(&file, options.directory, user, false);
  result = opened == USER_FILE_OK ? attempt(pam, &options, &file, code) : refuse(pam, &file, opened);
  user_file_close(&file);
  explicit_bzero(code, strlen(code));
  free(code);
  return result;
}

/* There are no credentials to set, but PAM requires the function. */
EXPORTED int pam_sm_setcred(pam_handle_t *pam, int flags, int argc, const char **argv) {
  (void)pam, (void)flags, (void)argc, (void)argv;
  return PAM_SUCCESS;
}
