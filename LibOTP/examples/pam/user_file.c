#include "user_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The names of a user's other files begin with a period, which no user's name does. */
typedef char file_name[USER_NAME_MAX + 8];

static void name_beside(const user_file *file, const char *suffix, file_name out) {
  snprintf(out, sizeof(file_name), ".%s.%s", file->user, suffix);
}

/* Whether a name is a user's: a file in the directory, and not a path out of it. Allowed are ASCII letters, digits and
 * _ . @ + -, beginning with a letter, a digit or _. */
static bool is_file_name(const char *user) {
  static const char first[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  static const char other[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.@+-";
  size_t length = strlen(user);
  return length > 0 && length <= USER_NAME_MAX && strspn(user, first) > 0 && strspn(user, other) == length;
}

/* Whether only the service can change the directory. */
static bool is_safe_directory(const struct stat *info) {
  return info->st_uid == geteuid() && S_ISDIR(info->st_mode) && (info->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* Whether only the service can read or change the file. */
static bool is_safe_file(const struct stat *info) {
  return info->st_uid == geteuid() && S_ISREG(info->st_mode) && info->st_nlink == 1
      && (info->st_mode & 07777) == (S_IRUSR | S_IWUSR);
}

/* Others could hold a lock that they can open, so only the service may open it. A process that has it and is stopped
 * keeps the user out: for ten seconds each login waits for it. */
static user_file_status take_lock(user_file *file) {
  file_name name;
  name_beside(file, "lock", name);
  file->lock = openat(file->directory, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
  if (file->lock < 0 || fchmod(file->lock, 0600) != 0) return USER_FILE_FAILED;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const time_t end = now.tv_sec + 10;
  while (flock(file->lock, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return USER_FILE_FAILED;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec >= end) return USER_FILE_BUSY;
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  }
  return USER_FILE_OK;
}

/* A longer file is read in part, and is then not a record. */
static user_file_status read_record(user_file *file) {
  for (;;) {
    ssize_t count = read(file->file, file->record + file->length, sizeof file->record - file->length);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return USER_FILE_FAILED;
    if (count == 0) return USER_FILE_OK;
    file->length += (size_t)count;
  }
}

user_file_status user_file_open(user_file *file, const char *directory, const char *user, bool is_new_allowed) {
  memset(file, 0, sizeof *file);
  file->directory = file->lock = file->file = -1;
  if (!is_file_name(user)) return USER_FILE_UNKNOWN;
  memcpy(file->user, user, strlen(user) + 1);

  file->directory = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  struct stat info;
  if (file->directory < 0 || fstat(file->directory, &info) != 0) return USER_FILE_FAILED;
  if (!is_safe_directory(&info)) return USER_FILE_UNSAFE;

  /* An unknown user leaves no lock behind. */
  if (!is_new_allowed && fstatat(file->directory, user, &info, AT_SYMLINK_NOFOLLOW) != 0) {
    return errno == ENOENT ? USER_FILE_UNKNOWN : USER_FILE_FAILED;
  }
  file->is_known = !is_new_allowed;
  user_file_status status = take_lock(file);
  if (status != USER_FILE_OK) return status;
  file->file = openat(file->directory, user, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file->file < 0) {
    if (errno != ENOENT) return errno == ELOOP ? USER_FILE_UNSAFE : USER_FILE_FAILED;
    if (!is_new_allowed) return USER_FILE_UNKNOWN;
    if (fstat(file->lock, &info) != 0) return USER_FILE_FAILED;
    file->lost = info.st_size > 0 ? info.st_mtime : 0;
    return USER_FILE_OK;
  }
  if (fstat(file->file, &info) != 0) return USER_FILE_FAILED;
  return is_safe_file(&info) ? read_record(file) : USER_FILE_UNSAFE;
}

/* Whether a name in the directory is that of an open file. */
static bool names(const user_file *file, const char *name, int descriptor) {
  struct stat named, opened;
  return fstatat(file->directory, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && fstat(descriptor, &opened) == 0
      && named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

/* Puts the file `name` in the place of the user's, if that is the one that was read: exchanges the two, looks at what
 * came out, and puts anything else back. */
static user_file_status take_place(const user_file *file, const char *name) {
  const bool is_new = file->file < 0;
  if (!is_new && !names(file, file->user, file->file)) return USER_FILE_CHANGED;
  const unsigned how = is_new ? RENAME_NOREPLACE : RENAME_EXCHANGE;
  if (renameat2(file->directory, name, file->directory, file->user, how) != 0) {
    if (errno == (is_new ? EEXIST : ENOENT)) return USER_FILE_CHANGED;
    /* Some file systems cannot: there, a change between the look and this rename is lost. */
    if (errno != EINVAL && errno != ENOSYS) return USER_FILE_FAILED;
    return renameat(file->directory, name, file->directory, file->user) == 0 ? USER_FILE_OK : USER_FILE_FAILED;
  }
  if (is_new || names(file, name, file->file)) return USER_FILE_OK;
  (void)renameat2(file->directory, name, file->directory, file->user, RENAME_EXCHANGE);
  return USER_FILE_CHANGED;
}

/* Writes everything, durably. */
static bool write_all(int descriptor, const uint8_t *bytes, size_t length) {
  while (length > 0) {
    ssize_t count = write(descriptor, bytes, length);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes += count;
    length -= (size_t)count;
  }
  return fsync(descriptor) == 0;
}

user_file_status user_file_replace(const user_file *file, const uint8_t *record, size_t length) {
  file_name name;
  name_beside(file, "new", name);
  /* Dates the record, in case it is removed later. */
  if (pwrite(file->lock, "", 1, 0) != 1) return USER_FILE_FAILED;
  /* A crash may have left a part of an earlier write. */
  if (unlinkat(file->directory, name, 0) != 0 && errno != ENOENT) return USER_FILE_FAILED;
  int new = openat(file->directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (new < 0) return USER_FILE_FAILED;
  user_file_status status = USER_FILE_FAILED;
  if (fchmod(new, 0600) == 0 && write_all(new, record, length)) status = take_place(file, name);
  if (status == USER_FILE_OK && fsync(file->directory) != 0) status = USER_FILE_FAILED;
  int cause = errno;
  close(new);
  unlinkat(file->directory, name, 0);
  errno = cause;
  return status;
}

user_file_status user_file_remove(const user_file *file) {
  if (unlinkat(file->directory, file->user, 0) != 0) return errno == ENOENT ? USER_FILE_CHANGED : USER_FILE_FAILED;
  return fsync(file->directory) == 0 ? USER_FILE_OK : USER_FILE_FAILED;
}

void user_file_close(user_file *file) {
  if (file->file >= 0) close(file->file);
  if (file->lock >= 0) close(file->lock);
  if (file->directory >= 0) close(file->directory);
  file->directory = file->lock = file->file = -1;
}

const char *user_file_describe(user_file_status status) {
  switch (status) {
    case USER_FILE_OK: return "no failure";
    case USER_FILE_UNKNOWN: return "no such user";
    case USER_FILE_UNSAFE: return "the file or its directory is not the service's alone (a file of mode 0600, no link)";
    case USER_FILE_BUSY: return "another process has held the user's lock for ten seconds";
    case USER_FILE_CHANGED: return "the file was removed or replaced meanwhile";
    case USER_FILE_FAILED: return "the file cannot be locked, read or written";
  }
  return "unknown status";
}

otp_status user_keyring_open(const char *directory, otp_keyring **out) {
  char path[PATH_MAX];
  int length = snprintf(path, sizeof path, "%s/.keyring", directory);
  if (length < 0 || (size_t)length >= sizeof path) return OTP_KEYRING_UNREADABLE;
  return otp_keyring_open(path, out);
}
