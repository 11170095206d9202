/* A PAM module that asks for a time-based one-time password (RFC 6238) and verifies it with libotp. README.md explains
 * its use.
 *
 *   auth required pam_otp.so dir=/etc/otp [max_failures=10] [window=1] [nodelay]
 *
 * Returns PAM_SUCCESS for a right and unused code; PAM_AUTH_ERR for a wrong or used code, an unknown user, a user
 * removed or enrolled again meanwhile, and after max_failures consecutive failures, which the client cannot tell apart;
 * and PAM_AUTHINFO_UNAVAIL for faults that an administrator must fix, which the log names.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <time.h>

#include <otp.h>
#include <security/pam_ext.h>
#include <security/pam_modules.h>

#include "otp_state.h"

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
    } else if (!number_option(argument, "max_failures", 1, 1000, &out->max_failures) &&
               !number_option(argument, "window", 0, 10, &out->window)) {
      pam_syslog(pam, LOG_ERR, "argument %d is not understood", index + 1);
      return false;
    }
  }
  if (out->directory == NULL) pam_syslog(pam, LOG_ERR, "dir=/... is missing");
  return out->directory != NULL;
}

/* Logs why the state is not available, and returns PAM's status. */
static int refuse(pam_handle_t *pam, const char *user, otp_state_status status) {
  switch (status) {
    case OTP_STATE_UNKNOWN_USER:
      /* Not the name, since people type passwords when asked for a name. */
      pam_syslog(pam, LOG_NOTICE, "unknown user");
      return PAM_AUTH_ERR;
    case OTP_STATE_CHANGED:
      pam_syslog(pam, LOG_NOTICE, "user %s: %s", user, otp_state_describe(status));
      return PAM_AUTH_ERR;
    case OTP_STATE_FAILED:
      pam_syslog(pam, LOG_ERR, "user %s: %s: %m", user, otp_state_describe(status));
      return PAM_AUTHINFO_UNAVAIL;
    default:
      pam_syslog(pam, LOG_ERR, "user %s: %s", user, otp_state_describe(status));
      return PAM_AUTHINFO_UNAVAIL;
  }
}

/* Makes one attempt for the user, and returns PAM's status. The state is locked. */
static int attempt(pam_handle_t *pam, const options *options, otp_state *state, const char *code) {
  if (state->failures >= options->max_failures) {
    pam_syslog(pam, LOG_NOTICE, "user %s: refused after %" PRIu64 " failures", state->user, state->failures);
    return PAM_AUTH_ERR;
  }
  otp_key *key = NULL;
  otp_status status = otp_key_create_base32(OTP_SHA1, state->secret, strlen(state->secret), &key);
  if (status != OTP_OK) {
    pam_syslog(pam, LOG_ERR, "user %s: %s", state->user, otp_status_string(status));
    return PAM_AUTHINFO_UNAVAIL;
  }

  /* The attempt is counted before the code is checked, so pulling the plug does not undo it. */
  state->failures++;
  otp_state_status stored = otp_state_store(state);
  if (stored != OTP_STATE_OK) {
    int result = refuse(pam, state->user, stored);
    otp_key_destroy(key);
    return result;
  }

  otp_window window = OTP_WINDOW_INIT;
  window.behind = window.ahead = options->window;
  window.has_after = state->has_last;
  window.after = state->last;
  otp_match match = OTP_MATCH_INIT;
  status = otp_totp_verify(key, code, strlen(code), (int64_t)time(NULL), NULL, &window, &match);
  otp_key_destroy(key);
  if (status != OTP_OK) {
    pam_syslog(pam, LOG_ERR, "user %s: %s", state->user, otp_status_string(status));
    return PAM_AUTHINFO_UNAVAIL;
  }
  if (match.result != OTP_ACCEPTED) {
    pam_syslog(pam, LOG_NOTICE, "user %s: %s code, failure %" PRIu64 " of %u", state->user,
               match.result == OTP_REPLAYED ? "used" : "wrong", state->failures, options->max_failures);
    return PAM_AUTH_ERR;
  }

  /* A code that could be used again is refused. */
  state->failures = 0;
  state->has_last = true;
  state->last = match.step;
  stored = otp_state_store(state);
  return stored == OTP_STATE_OK ? PAM_SUCCESS : refuse(pam, state->user, stored);
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

  otp_state state;
  otp_state_status opened = otp_state_open(&state, options.directory, user);
  result = opened == OTP_STATE_OK ? attempt(pam, &options, &state, code) : refuse(pam, user, opened);
  otp_state_close(&state);
  explicit_bzero(code, strlen(code));
  free(code);
  return result;
}

/* There are no credentials to set, but PAM requires the function. */
EXPORTED int pam_sm_setcred(pam_handle_t *pam, int flags, int argc, const char **argv) {
  (void)pam, (void)flags, (void)argc, (void)argv;
  return PAM_SUCCESS;
}
