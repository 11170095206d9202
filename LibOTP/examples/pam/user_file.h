/* A user's file, which holds a record. One process holds it at a time, and a change is on disk before it counts. */
#ifndef USER_FILE_H
#define USER_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <otp.h>

/* The maximum length of a user's name, without its NUL. */
#define USER_NAME_MAX 128

typedef enum user_file_status {
  USER_FILE_OK = 0,
  /* There is no file for the user, or the name cannot be a file's. */
  USER_FILE_UNKNOWN,
  /* Others can read or change the file or its directory, or it is not a regular file. */
  USER_FILE_UNSAFE,
  /* Another process holds the lock, and does not go on. */
  USER_FILE_BUSY,
  /* Somebody who did not wait for the lock has removed or replaced the file since it was read. */
  USER_FILE_CHANGED,
  /* Locking, reading or writing failed; see errno. */
  USER_FILE_FAILED
} user_file_status;

typedef struct user_file {
  char user[USER_NAME_MAX + 1];
  /* Whether the user has a file, as far as was looked. */
  bool is_known;
  int directory;
  int lock;
  /* The file that was read, kept open so that no other gets its inode number; -1 if the user is new. */
  int file;
  uint8_t record[OTP_RECORD_MAX];
  size_t length;
  /* For a new user: when the record was stored that is gone now; 0 if there was none. */
  time_t lost;
} user_file;

/* Waits until no other process holds the user's file, ten seconds at most, and reads it. If new users are allowed, an
 * unknown one has an empty record. Always call user_file_close() afterward. */
user_file_status user_file_open(user_file *file, const char *directory, const char *user, bool is_new_allowed);

/* Replaces the record that was read, if it is still there; once per opening. After success the new one survives a crash
 * of the machine; after a failure either may be there. */
user_file_status user_file_replace(const user_file *file, const uint8_t *record, size_t length);

/* Removes the user. */
user_file_status user_file_remove(const user_file *file);

/* Releases the lock. */
void user_file_close(user_file *file);

/* What a status means, for a log. After USER_FILE_FAILED errno says more. */
const char *user_file_describe(user_file_status status);

/* Opens the directory's keyring, its file `.keyring`, which is no user's. */
otp_status user_keyring_open(const char *directory, otp_keyring **out);

#endif
