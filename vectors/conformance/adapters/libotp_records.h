/* The part of libotp's adapter that has records. */
static const char subject[] = "user 42";

/* The factor of the sequence, as a server's column would hold it. */
static otp_keyring *keyring;
static otp_record_policy policy;
static uint8_t record[OTP_RECORD_MAX];
static size_t record_len;

/* HASH DIGITS PERIOD T0 SECRET WINDOW, or HASH DIGITS SECRET LOOKAHEAD RESYNCHRONIZATION; the policy, LAST and TIME. */
static const char *begin(otp_type type, char **words) {
  const otp_record_policy strict = OTP_RECORD_POLICY_STRICT_INIT;
  otp_enrollment enrollment = OTP_ENROLLMENT_INIT;
  const int is_timed = type == OTP_TOTP;
  char *secret = words[is_timed ? 4 : 2], **rest = words + (is_timed ? 6 : 5);
  policy = strict;
  enrollment.type = type;
  enrollment.hash = hash_of(words[0]);
  enrollment.digits = (unsigned)number(words[1]);
  enrollment.secret_len = bytes(secret);
  enrollment.secret = (const uint8_t *)secret;
  enrollment.is_confirmed = 1;
  const int has_last = *rest[4] != '-';
  if (is_timed) {
    enrollment.period = signed_number(words[2]);
    enrollment.t0 = signed_number(words[3]);
    policy.adjacent_steps = (unsigned)number(words[5]);
    enrollment.has_after = has_last;
    enrollment.after = number(rest[4]);
  } else {
    policy.look_ahead = (unsigned)number(words[3]);
    policy.resynchronization_look_ahead = (unsigned)number(words[4]);
    enrollment.counter = has_last ? number(rest[4]) + 1 : 0;
  }
  policy.failures_until_lock = (unsigned)number(rest[0]);
  policy.lock_seconds = signed_number(rest[1]);
  policy.first_delayed_failure = (unsigned)number(rest[2]);
  policy.initial_delay_seconds = signed_number(rest[3]);
  if (keyring == NULL && otp_keyring_create_unsealed(&keyring) != OTP_OK) exit(1);
  record_len = sizeof record;
  return done(otp_record_enroll(
      keyring, subject, strlen(subject), &enrollment, NULL, 0, signed_number(rest[5]), record, &record_len));
}

static const char *record_totp(char **words, char *out) { return (void)out, begin(OTP_TOTP, words); }

static const char *record_hotp(char **words, char *out) { return (void)out, begin(OTP_HOTP, words); }

static const char *submit(char **words, char *out) {
  static const char *const kinds[] = {"rejected", "accepted", "enrolled", "wait", "locked"};
  otp_answer answer = OTP_ANSWER_INIT;
  const int64_t now = signed_number(words[0]);
  size_t count = 0, new_len = sizeof record;
  for (; words[1 + count] != NULL; count++) bytes(words[1 + count]);
  const otp_status status = count == 1
      ? otp_record_verify(
            keyring, subject, strlen(subject), record, record_len, words[1], strlen(words[1]), now, &policy, record,
            &new_len, &answer)
      : otp_record_resynchronize(
            keyring, subject, strlen(subject), record, record_len, (const char *const *)words + 1, count, now, &policy,
            record, &new_len, &answer);
  if (status != OTP_OK) return done(status);
  record_len = new_len;
  out += sprintf(out, "%s", kinds[answer.kind]);
  if (answer.kind == OTP_ANSWER_ACCEPTED) sprintf(out, " %" PRIu64, answer.step);
  else if (answer.has_until) sprintf(out, " %" PRId64, answer.until);
  else if (answer.kind == OTP_ANSWER_LOCKED) strcpy(out, " -");
  return NULL;
}

static const char *unlock(char **words, char *out) {
  size_t new_len = sizeof record;
  const otp_status status = otp_record_unlock(
      keyring, subject, strlen(subject), record, record_len, signed_number(words[0]), record, &new_len);
  record_len = new_len;
  strcpy(out, "unlocked");
  return done(status);
}
