// Every function of otp.h with every mistake that a caller can make with one argument, and with its memory: pointers
// and numbers that calls.py lists, sizes of structures and of rooms, outputs that overlap. The status is the right one,
// nothing is written, and nothing is accepted. What is allowed works: larger structures, and inputs that are
// overwritten. (Address Sanitizer reports what leaks, in watched.sh.)

#define _GNU_SOURCE
#include "call.h"

/// The greatest length that any memory may have.
#define LONGEST (SIZE_MAX / 512)

static unsigned char before[MOST_PARAMETERS][ROOM_BYTES];

/// Reports a wrong answer with what was tried.
static void expect_of(int is_right, const call *call, int parameter, const char *what, long long value) {
  char message[160];
  snprintf(message, sizeof message, "%s, argument %d: %s %lld", call->name, parameter, what, value);
  expect_at(is_right, message, __FILE__, __LINE__);
}

/// Makes a call that must fail, with a mistake in one argument.
static void refuse(
    const call *call, const word *a, int mistaken, otp_status expected, const char *what, long long value) {
  const int is_batch = strcmp(call->name, "otp_verify_batch") == 0;
  memcpy(before, outputs, sizeof before);
  const otp_status found = call->make(a);
  int is_right = found == expected || (is_batch && found == OTP_OK);
  for (int i = 0; i < call->count; i++) {
    const parameter *parameter = &call->parameters[i];
    size_t from = 0;
    if (!is_output(parameter->kind) || (word)outputs[i] != a[i]) continue;
    // An outcome is written as soon as there is room for it, a batch's only for the request that is wrong.
    const int is_outcome = parameter->kind == MATCH || parameter->kind == ANSWER;
    if (is_outcome && memcmp(outputs[i], before[i], parameter->size) != 0) {
      is_right &= says_refused(parameter->kind, outputs[i], expected) && (!is_batch || found == OTP_OK);
      from = parameter->size;
    } else if (is_outcome) {
      is_right &= is_batch || mistaken == i || call->parameters[mistaken].kind == TOLD;
    }
    if (parameter->kind == MADE_KEY || parameter->kind == MADE_KEYRING) {
      is_right &= *(void **)outputs[i] == NULL;
      from = sizeof(void *);
    }
    if (parameter->kind == ERROR && mistaken != i) from = parameter->size;
    if (parameter->kind == TOLD && expected == OTP_OUTPUT_TOO_SHORT) from = sizeof(size_t);
    is_right &= memcmp(outputs[i] + from, before[i] + from, ROOM_BYTES - from) == 0;
  }
  expect_of(is_right, call, mistaken, what, value);
}

/// A wrong value, whatever the code is.
static void wrong_value(const mistake *wrong) {
  const call *call = &calls[wrong->call];
  for (int is_empty = 0; is_empty < 2; is_empty++) {
    word a[MOST_PARAMETERS];
    set_up_wrong(wrong, a, is_empty);
    if (wrong->status != OTP_OK) {
      refuse(call, a, wrong->parameter, wrong->status, wrong->size > 0 ? "member" : "value", (long long)wrong->value);
    } else {
      expect_of(call->make(a) == OTP_OK, call, wrong->parameter, "allowed", (long long)wrong->value);
      release(call);
    }
  }
}

/// Structures of every impossible size, and of a later version's: what this one does not know must be zero, or is set
/// to zero.
static void sizes(const call *call, int i) {
  const size_t size = call->parameters[i].size;
  const size_t wrong[] = {0, 1, 8, size - 8, size - 1, size + 4, 4097, 4104, SIZE_MAX / 2 + 1, SIZE_MAX};
  const int is_read = call->parameters[i].kind == STRUCTURE;
  word a[MOST_PARAMETERS];
  for (size_t s = 0; s < sizeof wrong / sizeof wrong[0]; s++) {
    memcpy(set_up_alone(call, a, i), &wrong[s], sizeof wrong[s]);
    refuse(call, a, i, OTP_INVALID_ARGUMENT, "size", (long long)wrong[s]);
  }
  const size_t larger[] = {size + 8, size + 16, size + 40, 4096};
  for (size_t s = 0; s < sizeof larger / sizeof larger[0]; s++) {
    const size_t more = larger[s];
    memcpy(set_up_alone(call, a, i), &more, sizeof more);
    const int was_right = is_right(call, a, call->make(a));
    size_t zeros = 0;
    for (const unsigned char *byte = outputs[i] + size; zeros < more - size && *byte == 0; byte++) zeros++;
    // Without an error, its details are not written.
    const int is_cleared = is_read || call->parameters[i].kind == ERROR || zeros == more - size;
    expect_of(
        was_right && is_cleared && *(size_t *)a[i] == more && (is_read || outputs[i][more] == MARK), call, i, "larger",
        (long long)more);
    release(call);
    if (!is_read) continue;
    unsigned char *const copy = set_up_alone(call, a, i);
    memcpy(copy, &more, sizeof more);
    copy[more - 1] = 1;
    refuse(call, a, i, OTP_INVALID_ARGUMENT, "unknown member of size", (long long)more);
  }
}

/// How many bytes of an output a valid call has written.
static size_t written(int i) {
  size_t count = ROOM_BYTES;
  while (count > 0 && outputs[i][count - 1] == MARK) count--;
  return count;
}

/// Rooms of no size, of one byte, of one too few, and of exactly enough; and sizes that are too large.
static void rooms(const call *call, int i) {
  static const size_t impossible[] = {LONGEST + 1, SIZE_MAX / 2, SIZE_MAX / 2 + 1, SIZE_MAX};
  const int is_told = call->parameters[i].kind == TOLD, room = is_told ? call->parameters[i].partner : i;
  const int length = is_told ? i : call->parameters[i].partner;
  word a[MOST_PARAMETERS];
  set_up(call, a);
  expect_of(call->make(a) == OTP_OK, call, i, "valid", 0);
  const size_t told = is_told ? *(size_t *)outputs[length] : 0, needed = written(room) > told ? written(room) : told;
  for (size_t step = 0; step < 4; step++) {
    const size_t size = step < 2 ? step : needed + step - 3;
    set_up(call, a);
    if (is_told) memcpy(outputs[length], &size, sizeof size);
    else a[length] = size;
    if (size == 0) a[room] = 0;
    if (size < needed) {
      const int is_codes = strcmp(call->name, "otp_record_recovery_codes") == 0 && !is_told;
      refuse(call, a, i, is_codes ? OTP_INVALID_ARGUMENT : OTP_OUTPUT_TOO_SHORT, "room", (long long)size);
      if (is_told) expect_of(*(size_t *)outputs[length] == told, call, i, "needed", (long long)told);
    } else {
      expect_of(call->make(a) == OTP_OK && written(room) <= needed, call, i, "enough room", (long long)size);
    }
  }
  for (size_t s = 0; is_told && s < sizeof impossible / sizeof impossible[0]; s++) {
    set_up(call, a);
    memcpy(outputs[i], &impossible[s], sizeof impossible[s]);
    refuse(call, a, i, OTP_INVALID_ARGUMENT, "room", (long long)impossible[s]);
  }
}

enum { MIDDLE = 2 * ROOM_BYTES };
static _Alignas(16) unsigned char arena[4 * ROOM_BYTES], arena_before[4 * ROOM_BYTES];

/// An input, wherever it overlaps an output: the result is the same as with both apart.
static void in_place(const call *call, int input, int output) {
  const parameter *in = &call->parameters[input], *out = &call->parameters[output];
  word a[MOST_PARAMETERS];
  unsigned char expected[ROOM_BYTES];
  set_up(call, a);
  expect_of(call->make(a) == OTP_OK, call, output, "valid", 0);
  memcpy(expected, outputs[output], ROOM_BYTES);
  const size_t count = written(output);
  release(call);
  set_up(call, a);
  expect_of(call->make(a) == OTP_OK, call, output, "valid", 1);
  // Keys are made elsewhere, and sealed records and recovery codes are random.
  const int is_same = memcmp(expected, outputs[output], ROOM_BYTES) == 0;
  release(call);
  const size_t size = in->kind == BYTES ? a[in->partner] : in->size, start = has_own_size(out->kind) ? 8 : 0;
  const int step = in->kind == STRUCTURE ? 8 : 1;
  for (int distance = -160; distance <= 160; distance += step) {
    unsigned char *const to = arena + MIDDLE, *const from = to + distance;
    // The output's own size must stay.
    if (start > 0 && distance < (int)start && distance + (int)size > 0) continue;
    set_up(call, a);
    memset(arena, MARK, sizeof arena);
    set_output(out, to);
    memcpy(from, (const void *)a[input], size);
    a[input] = (word)from;
    a[output] = (word)to;
    const otp_status status = call->make(a);
    size_t same = 0;
    // Between members, there is what was there.
    while (same < count && (to[same] == expected[same] || expected[same] == MARK)) same++;
    expect_of(status == OTP_OK && (!is_same || same == count), call, input, "in place", distance);
    if (status == OTP_OK && (out->kind == MADE_KEY || out->kind == MADE_KEYRING)) memcpy(outputs[output], to, 8);
    if (status == OTP_OK) release(call);
  }
}

/// Two outputs, wherever they overlap: nothing is written.
static void overlap(const call *call, int first, int second) {
  const parameter *one = &call->parameters[first], *two = &call->parameters[second];
  word a[MOST_PARAMETERS];
  set_up(call, a);
  expect_of(call->make(a) == OTP_OK, call, second, "valid", 0);
  const int one_end = one->kind == ROOM ? (int)written(first) : one->kind == TOLD ? 8 : (int)one->size;
  const int two_end = two->kind == ROOM ? (int)written(second) : two->kind == TOLD ? 8 : (int)two->size;
  for (int distance = -(two_end - 1) / 8 * 8; distance < one_end; distance += 8) {
    set_up(call, a);
    memset(arena, MARK, sizeof arena);
    a[first] = (word)(arena + MIDDLE);
    a[second] = (word)(arena + MIDDLE + distance);
    set_output(one, (void *)a[first]);
    set_output(two, (void *)a[second]);
    // The size of a structure, which is a length too.
    if (one->kind == TOLD && distance == 0) set_output(two, (void *)a[second]);
    if (two->kind == TOLD && has_own_size(one->kind)) set_output(one, (void *)a[first]);
    memcpy(arena_before, arena, sizeof arena);
    expect_of(
        call->make(a) == OTP_INVALID_ARGUMENT && memcmp(arena, arena_before, sizeof arena) == 0, call, second,
        "overlap at", distance);
  }
}

/// Each status of otp.h has a text of its own; no other number has one.
static void texts_of_statuses(void) {
  const size_t count = sizeof statuses / sizeof statuses[0];
  const char *unknown = otp_status_string((otp_status)9999);
  for (int status = -2; status < 200; status++) {
    const char *found = otp_status_string((otp_status)status);
    size_t same = 0, known = 0;
    for (size_t i = 0; i < count; i++) {
      known += (int)statuses[i] == status;
      same += strcmp(otp_status_string(statuses[i]), found) == 0;
    }
    expect(strlen(found) >= 5 && same == known && (strcmp(found, unknown) != 0) == (known == 1));
  }
}

int main(void) {
  prepare_path();
  expect(prepare(OTP_SHA1));
  texts_of_statuses();
  for (size_t i = 0; i < MISTAKES; i++) wrong_value(&mistakes[i]);
  for (size_t c = 0; c < CALLS; c++) {
    const call *call = &calls[c];
    if (!make(call)) expect_of(0, call, 0, "is not right", 0);
    for (int i = 0; i < call->count; i++) {
      const kind kind = call->parameters[i].kind;
      if (kind == STRUCTURE || has_own_size(kind)) sizes(call, i);
      if (kind == TOLD || (kind == ROOM && call->parameters[call->parameters[i].partner].kind == LENGTH))
        rooms(call, i);
      for (int other = 0; other < call->count; other++) {
        if (is_array(call, other) || !is_output(kind) || kind == TOLD) continue;
        const int is_input = call->parameters[other].kind == BYTES || call->parameters[other].kind == STRUCTURE;
        if (is_input) in_place(call, other, i);
      }
      for (int other = i + 1; is_output(kind) && other < call->count; other++) {
        if (is_output(call->parameters[other].kind)) overlap(call, i, other);
      }
    }
  }
  otp_key_destroy(key);
  otp_keyring_destroy(keyring);
  return finish("arguments");
}
