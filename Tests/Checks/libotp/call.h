// A valid call of every function of otp.h: calls.h, made by calls.py, has the calls; here are the memory for their
// outputs, and what a right result is.

#ifndef CALL_H
#define CALL_H

#include <pthread.h>
#include <stddef.h>

#include "fixture.h"

enum { MOST_PARAMETERS = 12, ROOM_BYTES = 8192, MARK = 0xA5 };

/// An argument of any type.
typedef uintptr_t word;

typedef enum kind {
  // Inputs: a structure, or several; bytes or texts with their length; a path; a key or keyring to use or to destroy.
  NUMBER,
  ENUMERATOR,
  LENGTH,
  STRUCTURE,
  BYTES,
  TEXTS,
  PATH,
  OBJECT,
  DESTROYED,
  // Outputs: memory with its size, or with a size that is told there; a code; structures with their own size.
  ROOM,
  TOLD,
  CODE,
  MATCH,
  ANSWER,
  ERROR,
  RESULT,
  MADE_KEY,
  MADE_KEYRING
} kind;

/// A parameter: what it is, how much a structure has, and the place of its length or of what it is the length of.
typedef struct parameter {
  kind kind;
  size_t size;
  int partner;
} parameter;

typedef struct call {
  const char *name;
  otp_status (*make)(const word *arguments);
  void (*set_inputs)(word *arguments);
  /// Whether `prepare` must have been called.
  int needs_key;
  int count;
  parameter parameters[MOST_PARAMETERS];
} call;

/// A value, of an argument or, if it has a size, of a member of the structure to which it points, with its status.
typedef struct mistake {
  int call, parameter;
  size_t offset, size;
  word value;
  otp_status status;
} mistake;

#include "calls.h"
enum { CALLS = sizeof calls / sizeof calls[0], MISTAKES = sizeof mistakes / sizeof mistakes[0] };

/// The memory of each output, in the order of the parameters.
static _Alignas(16) unsigned char outputs[MOST_PARAMETERS][ROOM_BYTES];

static inline int has_own_size(kind kind) { return kind >= MATCH && kind <= RESULT; }
static inline int is_output(kind kind) { return kind >= ROOM; }

/// Marks an output's memory as what was there before.
static inline void set_output(const parameter *parameter, unsigned char *memory) {
  static const size_t room = ROOM_BYTES;
  // An earlier outcome, which must not remain: accepted.
  if (parameter->kind == MATCH || parameter->kind == ANSWER) memory[sizeof(size_t)] = 1;
  if (has_own_size(parameter->kind)) memcpy(memory, &parameter->size, sizeof parameter->size);
  if (parameter->kind == TOLD) memcpy(memory, &room, sizeof room);
}

/// Sets all arguments of a valid call.
static inline void set_up(const call *call, word *arguments) {
  call->set_inputs(arguments);
  for (int i = 0; i < call->count; i++) {
    if (!is_output(call->parameters[i].kind)) continue;
    memset(outputs[i], MARK, ROOM_BYTES);
    set_output(&call->parameters[i], outputs[i]);
    arguments[i] = (word)outputs[i];
  }
}

static inline int is_array(const call *call, int i) {
  return call->parameters[i].kind == STRUCTURE && call->parameters[i].partner != i;
}

/// Sets the arguments of a valid call in which a structure is a copy that is followed by zeros; of several, there is
/// only the first. Returns the copy.
static inline unsigned char *set_up_alone(const call *call, word *arguments, int structure) {
  static _Alignas(16) unsigned char copy[ROOM_BYTES];
  set_up(call, arguments);
  for (int i = 0; i < call->count; i++) {
    if (is_array(call, i)) arguments[call->parameters[i].partner] = 1;
  }
  if (call->parameters[structure].kind != STRUCTURE) return (unsigned char *)arguments[structure];
  memset(copy, 0, sizeof copy);
  memcpy(copy, (const void *)arguments[structure], call->parameters[structure].size);
  arguments[structure] = (word)copy;
  return copy;
}

/// Sets the arguments of a call with a mistake; if there is a code, it is perhaps empty, and so is perhaps a pointer
/// whose length is 0.
static inline void set_up_wrong(const mistake *wrong, word *arguments, int is_empty) {
  const call *call = &calls[wrong->call];
  const parameter *parameter = &call->parameters[wrong->parameter];
  if (wrong->size > 0) {
    memcpy(set_up_alone(call, arguments, wrong->parameter) + wrong->offset, &wrong->value, wrong->size);
  } else {
    set_up(call, arguments);
    // What it would have destroyed.
    if (parameter->kind == DESTROYED) call->make(arguments);
    arguments[wrong->parameter] = wrong->value;
  }
  if (!is_empty) return;
  for (int i = 0; i < call->count; i++) {
    if ((const char *)arguments[i] == code && wrong->parameter != i + 1) arguments[i + 1] = 0;
  }
  if (parameter->kind == LENGTH && wrong->value == 0) arguments[parameter->partner] = 0;
}

/// Whether an outcome says that nothing was accepted, and why.
static inline int says_refused(kind kind, const void *outcome, otp_status status) {
  const otp_match *match = outcome;
  const otp_answer *answer = outcome;
  if (kind == MATCH) {
    return match->status == status && match->result == OTP_REJECTED && match->step == 0 && match->offset == 0;
  }
  return answer->status == status && answer->kind == OTP_ANSWER_REJECTED && answer->step == 0 && !answer->changed;
}

/// Destroys what a call has made.
static inline void release(const call *call) {
  for (int i = 0; i < call->count; i++) {
    void *made;
    memcpy(&made, outputs[i], sizeof made);
    if (call->parameters[i].kind == MADE_KEY) otp_key_destroy(made);
    if (call->parameters[i].kind == MADE_KEYRING) otp_keyring_destroy(made);
  }
}

/// Whether a valid call did what it should: a code is accepted and its step told, a code is the right one, a text ends
/// where it should, an object was made.
static inline int is_right(const call *call, const word *arguments, otp_status status) {
  int is_right = status == OTP_OK;
  for (int i = 0; is_right && i < call->count; i++) {
    const void *output = (const void *)arguments[i];
    const otp_match *match = output;
    const otp_answer *answer = output;
    switch (call->parameters[i].kind) {
      case CODE: is_right = strcmp(output, code) == 0; break;
      case MATCH: is_right = match->result == OTP_ACCEPTED && match->status == OTP_OK && match->step >= STEP; break;
      case ANSWER:
        is_right = answer->status == OTP_OK && answer->changed == 1 && answer->step >= STEP
            && answer->kind == (strstr(call->name, "confirm") != NULL ? OTP_ANSWER_ENROLLED : OTP_ANSWER_ACCEPTED);
        break;
      case MADE_KEY:
      case MADE_KEYRING: is_right = *(void *const *)output != NULL; break;
      default: break;
    }
  }
  return is_right;
}

/// Makes a valid call, and returns whether it was right.
static inline int make(const call *call) {
  word arguments[MOST_PARAMETERS];
  set_up(call, arguments);
  const otp_status status = call->make(arguments);
  const int was_right = is_right(call, arguments, status);
  if (status == OTP_OK) release(call);
  return was_right;
}

/// Runs `body` on a thread with the given memory as its stack.
static inline int on_stack(void *lowest, size_t size, void *(*body)(void *), void *argument) {
  pthread_attr_t attributes;
  pthread_t thread;
  if (pthread_attr_init(&attributes) != 0 || pthread_attr_setstack(&attributes, lowest, size) != 0) return 0;
  return pthread_create(&thread, &attributes, body, argument) == 0 && pthread_join(thread, NULL) == 0;
}

#endif
