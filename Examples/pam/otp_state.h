/* A user's state: the secret, the last accepted step, and the failures since. Each user has a file, one process holds
 * it at a time, and every change is on disk before it counts. */
#ifndef OTP_STATE_H
#define OTP_STATE_H

#include <stdbool.h>
#include <stdint.h>

/* The maximum lengths of a base32 secret, a user name and a file, without their NULs. */
#define OTP_STATE_SECRET_MAX 512
#define OTP_STATE_USER_MAX 128
#define OTP_STATE_FILE_MAX (OTP_STATE_SECRET_MAX + 128)

typedef enum otp_state_status {
  OTP_STATE_OK = 0,
  /* There is no file for the user, or the name cannot be a file's. */
  OTP_STATE_UNKNOWN_USER,
  /* Others can read or change the file or its directory, or it is not a regular file. */
  OTP_STATE_UNSAFE,
  /* The file's content is invalid. */
  OTP_STATE_MALFORMED,
  /* Another process removed, replaced or changed the file since it was read, without waiting for the lock. */
  OTP_STATE_CHANGED,
  /* Locking, reading or writing failed; see errno. */
  OTP_STATE_FAILED
} otp_state_status;

typedef struct otp_state {
  char secret[OTP_STATE_SECRET_MAX + 1];
  /* Attempts since the last accepted code, including the current one. */
  uint64_t failures;
  bool has_last;
  /* The last accepted step, if there is one. */
  uint64_t last;

  char user[OTP_STATE_USER_MAX + 1];
  int directory;
  int lock;
  /* The file as last read or stored, kept open so that no other file gets its inode number. */
  int file;
  char text[OTP_STATE_FILE_MAX + 1];
} otp_state;

/* Waits until no other process holds the user's state, and reads it. Always call otp_state_close() afterwards. */
otp_state_status otp_state_open(otp_state *state, const char *directory, const char *user);

/* Writes the state. After success it survives a crash of the machine; after a failure either state may. If another
 * process changed the file meanwhile, that change is kept (OTP_STATE_CHANGED). */
otp_state_status otp_state_store(otp_state *state);

/* Wipes the state in memory, and releases the lock. */
void otp_state_close(otp_state *state);

/* What a status means, for a log. After OTP_STATE_FAILED errno says more. */
const char *otp_state_describe(otp_state_status status);

#endif
