// The fuzzer of libotp's C API: a valid call (Tests/Checks/libotp/calls.py) in which the input's first byte selects the
// function, and the following ones change arguments: numbers, texts and bytes, members of structures. Whatever they
// are, the outcome is one that otp.h allows; Address and Undefined Behavior Sanitizer check memory.

#define _GNU_SOURCE
#include "call.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

#define REQUIRE(rule)                                         \
  do {                                                        \
    if (!(rule)) {                                            \
      fprintf(stderr, "broken at %d: %s\n", __LINE__, #rule); \
      abort();                                                \
    }                                                         \
  } while (0)

/// The rest of the input.
static const uint8_t *rest;
static size_t left;

static word take(size_t count) {
  word value = 0;
  for (; count > 0 && left > 0; count--, left--) value = value << 8 | *rest++;
  return value;
}

/// What the changed arguments point to, in memory of exactly their size, so that a read past its end is reported.
static void *copies[MOST_PARAMETERS];

static void *copy_of(int i, word bytes, size_t count) {
  copies[i] = malloc(count);
  if (count > 0) memcpy(copies[i], (const void *)bytes, count);
  return copies[i];
}

/// Changes some of a text's bytes, and perhaps its length; or takes another text.
static void change_bytes(const call *call, word *a, int i) {
  word *const count = &a[call->parameters[i].partner];
  const word how = take(1);
  if (how % 4 == 0) return;
  if (how % 4 == 1) {
    *count = take(1);
    if (*count > left) *count = left;
    a[i] = (word)copy_of(i, (word)rest, *count);
    rest += *count;
    left -= *count;
    return;
  }
  if (how % 4 == 2 && *count > 0) *count = take(1) % *count;
  uint8_t *const copy = copy_of(i, a[i], *count);
  for (word edits = how >> 4; edits > 0 && *count > 0; edits--) copy[take(2) % *count] = (uint8_t)take(1);
  a[i] = (word)copy;
}

/// Gives members of a structure, or of the first of several, other numbers. (Pointers stay.)
static void change_structure(const call *call, word *a, int i) {
  if (take(1) % 4 == 0) return;
  unsigned char *const copy = copy_of(i, a[i], call->parameters[i].size);
  if (is_array(call, i)) a[call->parameters[i].partner] = 1;
  a[i] = (word)copy;
  for (size_t n = 0; n < sizeof numbers / sizeof numbers[0]; n++) {
    if (&calls[numbers[n].call] != call || numbers[n].parameter != i || take(1) % 4 != 0) continue;
    const word value = take(take(1) % 9);
    memcpy(copy + numbers[n].offset, &value, numbers[n].size);
  }
}

static void change(const call *call, word *a, int i) {
  switch (call->parameters[i].kind) {
    case NUMBER:
      // There are no more than this many structures or texts.
      if (i > 0 && call->parameters[i - 1].partner == i) a[i] = take(1) % (a[i] + 1);
      else if (take(1) % 4 == 0) a[i] = take(take(1) % 9);
      break;
    case ENUMERATOR:
      if (take(1) % 4 == 0) a[i] = take(1) % 8;
      break;
    case BYTES: change_bytes(call, a, i); break;
    case STRUCTURE: change_structure(call, a, i); break;
    default: break;
  }
}

/// What otp.h says of every outcome.
static void check(const call *call, const word *a, otp_status status) {
  size_t is_known = 0;
  for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) is_known += statuses[i] == status;
  REQUIRE(is_known == 1);
  for (int i = 0; i < call->count; i++) {
    const parameter *parameter = &call->parameters[i];
    const otp_match *match = (const otp_match *)outputs[i];
    const otp_answer *answer = (const otp_answer *)outputs[i];
    size_t stated;
    memcpy(&stated, outputs[i], sizeof stated);
    if (has_own_size(parameter->kind)) REQUIRE(stated == parameter->size);
    // A batch that is refused, or has no requests, has no outcomes.
    if (parameter->kind == MATCH && is_array(call, 0) && (status != OTP_OK || a[1] == 0)) continue;
    if (parameter->kind == MATCH && match->result == OTP_ACCEPTED) {
      REQUIRE(status == OTP_OK && match->status == OTP_OK && match->offset >= -10 && match->offset <= 1002);
    } else if (parameter->kind == MATCH) {
      REQUIRE(match->step == 0 && match->offset == 0 && match->result <= OTP_REPLAYED);
    } else if (parameter->kind == ANSWER) {
      REQUIRE(answer->status == status && answer->kind <= OTP_ANSWER_LOCKED && (status == OTP_OK || answer->kind == 0));
    } else if (parameter->kind == MADE_KEY || parameter->kind == MADE_KEYRING) {
      REQUIRE((stated != 0) == (status == OTP_OK));
    } else if (parameter->kind == CODE && status == OTP_OK) {
      const size_t length = strlen((const char *)outputs[i]);
      REQUIRE(length >= 6 && length <= 8 && strspn((const char *)outputs[i], "0123456789") == length);
    } else if (parameter->kind == TOLD && status == OTP_OK) {
      // Nothing is written behind the result and, if it is a text, its NUL.
      const unsigned char *room = (const unsigned char *)a[parameter->partner];
      REQUIRE(stated < ROOM_BYTES && (room[stated] == MARK || (room[stated] == 0 && room[stated + 1] == MARK)));
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size) {
  static otp_keyring *sealing, *unsealed;
  if (sealing == NULL) {
    prepare_path();
    REQUIRE(prepare(OTP_SHA1) && otp_keyring_create_unsealed(&unsealed) == OTP_OK);
    // So that records are read as they are.
    sealing = keyring;
    keyring = unsealed;
    column *const made[] = {&pending, &active, &counted};
    for (int i = 0; i < 3; i++) {
      to_enroll.is_confirmed = i > 0;
      to_enroll.type = i == 2 ? OTP_HOTP : OTP_TOTP;
      REQUIRE(enroll(made[i]));
    }
    to_enroll.type = OTP_TOTP;
  }
  rest = input;
  left = size;
  const call *call = &calls[take(1) % CALLS];
  word a[MOST_PARAMETERS];
  set_up(call, a);
  for (int i = 0; i < call->count; i++) change(call, a, i);
  const otp_status status = call->make(a);
  check(call, a, status);
  if (status == OTP_OK) release(call);
  for (int i = 0; i < MOST_PARAMETERS; i++) {
    free(copies[i]);
    copies[i] = NULL;
  }
  return 0;
}
