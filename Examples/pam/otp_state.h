/* What is kept of one user: the secret, the last accepted step, and the failures since. One file each, one holder at a
 * time, and every change on disk before it counts. */
#ifndef OTP_STATE_H
#define OTP_STATE_H

#include <stdbool.h>
#include <stdint.h>

/* The longest secret in base32, user name, and file, without their NULs. */
#define OTP_STATE_SECRET_MAX 512
#define OTP_STATE_USER_MAX 128
#define OTP_STATE_FILE_MAX (OTP_STATE_SECRET_MAX + 128)

typedef enum otp_state_status {
  OTP_STATE_OK = 0,
  /* There is no file for the user, or the name is not one that a file can have. */
  OTP_STATE_UNKNOWN_USER,
  /* Others can read or change the file or its directory, or it is not a plain file. */
  OTP_STATE_UNSAFE,
  /* The file does not say what it should. */
  OTP_STATE_MALFORMED,
  /* Somebody who did not wait for the lock removed, replaced or changed the file since it was read. */
  OTP_STATE_CHANGED,
  /* The system refused to lock, read or write; see errno. */
  OTP_STATE_FAILED
} otp_state_status;

typedef struct otp_state {
  char secret[OTP_STATE_SECRET_MAX + 1];
  /* Attempts since the last accepted code, the one that is going on included. */
  uint64_t failures;
  bool has_last;
  /* The step of the last accepted code, where there is one. */
  uint64_t last;

  char user[OTP_STATE_USER_MAX + 1];
  int directory;
  int lock;
  /* The file as it was read or stored last: held open, so that no other file gets its number. */
  int file;
  char text[OTP_STATE_FILE_MAX + 1];
} otp_state;

/* Waits until nobody else holds the user's state, and reads it. otp_state_close() in any case. */
otp_state_status otp_state_open(otp_state *state, const char *directory, const char *user);

/* Writes the state. On success it survives a crash of the machine; on failure either state may. What somebody else made
 * of the file meanwhile is left as it is (OTP_STATE_CHANGED). */
otp_state_status otp_state_store(otp_state *state);

/* Wipes the state and lets others have it. */
void otp_state_close(otp_state *state);

/* What a status means, for a log. After OTP_STATE_FAILED errno says more. */
const char *otp_state_describe(otp_state_status status);

#endif
