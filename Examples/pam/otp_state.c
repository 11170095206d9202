#include "otp_state.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* The names of a user's other files begin with a period, which no user's name does. */
static void name_beside(const otp_state *state, const char *suffix, char out[OTP_STATE_USER_MAX + 8]) {
  snprintf(out, OTP_STATE_USER_MAX + 8, ".%s.%s", state->user, suffix);
}

/* Whether a name is a user's: a file in the directory, and not a path out of it. Allowed are ASCII letters, digits and
 * _ . @ + -, beginning with a letter, a digit or _. */
static bool is_file_name(const char *user) {
  static const char first[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  static const char other[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.@+-";
  size_t length = strlen(user);
  return length > 0 && length <= OTP_STATE_USER_MAX && strspn(user, first) > 0 && strspn(user, other) == length;
}

/* ---- Text ----*/

/* Reads a number of only decimal digits. */
static bool parse_number(const char *text, uint64_t *out) {
  uint64_t value = 0;
  if (*text == '\0') return false;
  for (; *text != '\0'; text++) {
    if (*text < '0' || *text > '9') return false;
    uint64_t digit = (uint64_t)(*text - '0');
    if (value > (UINT64_MAX - digit) / 10) return false;
    value = value * 10 + digit;
  }
  *out = value;
  return true;
}

/* What follows the name on a line, or NULL if the line has another name. */
static const char *value_of(const char *line, const char *name) {
  size_t length = strlen(name);
  return strncmp(line, name, length) == 0 && line[length] == ' ' ? line + length + 1 : NULL;
}

/* Reads lines of a name, a space and a value. Each name occurs at most once, and there must be a secret. */
static bool parse(char *text, otp_state *state) {
  bool has_secret = false, has_failures = false;
  while (*text != '\0') {
    char *end = strchr(text, '\n');
    if (end == NULL) return false;  /* truncated */
    *end = '\0';
    const char *value;
    if ((value = value_of(text, "secret")) != NULL) {
      size_t length = strlen(value);
      if (has_secret || length == 0 || length > OTP_STATE_SECRET_MAX) return false;
      memcpy(state->secret, value, length + 1);
      has_secret = true;
    } else if ((value = value_of(text, "failures")) != NULL) {
      if (has_failures || !parse_number(value, &state->failures)) return false;
      has_failures = true;
    } else if ((value = value_of(text, "last")) != NULL) {
      if (state->has_last || !parse_number(value, &state->last)) return false;
      state->has_last = true;
    } else {
      return false;
    }
    text = end + 1;
  }
  return has_secret;
}

/* ---- Files ----*/

/* Whether only the service can change the directory. */
static bool is_safe_directory(const struct stat *info) {
  return info->st_uid == geteuid() && S_ISDIR(info->st_mode) && (info->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* Whether only the service can read or change the file. */
static bool is_safe_file(const struct stat *info) {
  return info->st_uid == geteuid() && S_ISREG(info->st_mode) && info->st_nlink == 1 &&
         (info->st_mode & 07777) == (S_IRUSR | S_IWUSR);
}

static otp_state_status take_lock(otp_state *state) {
  char name[OTP_STATE_USER_MAX + 8];
  name_beside(state, "lock", name);
  state->lock = openat(state->directory, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
  if (state->lock < 0) return OTP_STATE_FAILED;
  /* Others could hold a lock that they can open; an administrator's flock may have created it with another mode. */
  struct stat info;
  if (fstat(state->lock, &info) != 0) return OTP_STATE_FAILED;
  if ((info.st_mode & (S_IRWXG | S_IRWXO)) != 0 && fchmod(state->lock, 0600) != 0) return OTP_STATE_FAILED;
  while (flock(state->lock, LOCK_EX) != 0) {
    if (errno != EINTR) return OTP_STATE_FAILED;
  }
  return OTP_STATE_OK;
}

/* Reads a whole file into the buffer, and adds a NUL. */
static otp_state_status read_all(int file, char buffer[OTP_STATE_FILE_MAX + 1]) {
  size_t length = 0;
  for (;;) {
    ssize_t count = pread(file, buffer + length, OTP_STATE_FILE_MAX + 1 - length, (off_t)length);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return OTP_STATE_FAILED;
    if (count == 0) break;
    length += (size_t)count;
    if (length > OTP_STATE_FILE_MAX) return OTP_STATE_MALFORMED;
  }
  buffer[length] = '\0';
  return strlen(buffer) == length ? OTP_STATE_OK : OTP_STATE_MALFORMED;
}

static otp_state_status read_state(otp_state *state) {
  state->file = openat(state->directory, state->user, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (state->file < 0) {
    if (errno == ENOENT) return OTP_STATE_UNKNOWN_USER;
    return errno == ELOOP ? OTP_STATE_UNSAFE : OTP_STATE_FAILED;
  }
  struct stat info;
  if (fstat(state->file, &info) != 0) return OTP_STATE_FAILED;
  if (!is_safe_file(&info)) return OTP_STATE_UNSAFE;
  otp_state_status status = read_all(state->file, state->text);
  if (status != OTP_STATE_OK) return status;
  char lines[OTP_STATE_FILE_MAX + 1];
  memcpy(lines, state->text, sizeof lines);
  if (!parse(lines, state)) status = OTP_STATE_MALFORMED;
  explicit_bzero(lines, sizeof lines);
  return status;
}

otp_state_status otp_state_open(otp_state *state, const char *directory, const char *user) {
  memset(state, 0, sizeof *state);
  state->directory = state->lock = state->file = -1;
  if (!is_file_name(user)) return OTP_STATE_UNKNOWN_USER;
  memcpy(state->user, user, strlen(user) + 1);

  state->directory = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  struct stat info;
  if (state->directory < 0 || fstat(state->directory, &info) != 0) return OTP_STATE_FAILED;
  if (!is_safe_directory(&info)) return OTP_STATE_UNSAFE;

  /* An unknown user leaves no lock file behind. */
  if (fstatat(state->directory, user, &info, AT_SYMLINK_NOFOLLOW) != 0) {
    return errno == ENOENT ? OTP_STATE_UNKNOWN_USER : OTP_STATE_FAILED;
  }
  otp_state_status status = take_lock(state);
  return status == OTP_STATE_OK ? read_state(state) : status;
}

/* Writes everything, durably. */
static bool write_all(int file, const char *text, size_t length) {
  while (length > 0) {
    ssize_t count = write(file, text, length);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    text += count;
    length -= (size_t)count;
  }
  return fsync(file) == 0;
}

/* Whether two descriptions are of the same file. */
static bool is_same(const struct stat *one, const struct stat *other) {
  return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

/* Whether an open file's content is unchanged. */
static bool still_says(int file, const char *text) {
  char now[OTP_STATE_FILE_MAX + 1];
  bool same = read_all(file, now) == OTP_STATE_OK && strcmp(now, text) == 0;
  explicit_bzero(now, sizeof now);
  return same;
}

/* Exchanges the two names' files atomically. */
static bool exchange(const otp_state *state, const char *name) {
  return renameat2(state->directory, name, state->directory, state->user, RENAME_EXCHANGE) == 0;
}

/* Puts back the file that an exchange took out. If this takes out a file other than the unchanged new one, that file is
 * the latest, and is put back in turn. */
static void give_back(const otp_state *state, const char *name, struct stat out, int file, const char *text) {
  struct stat new, in, next;
  if (fstat(file, &new) != 0) return;
  for (in = new; exchange(state, name); in = out, out = next) {
    if (fstatat(state->directory, name, &next, AT_SYMLINK_NOFOLLOW) != 0) return;
    if (is_same(&next, &in) && (!is_same(&next, &new) || still_says(file, text))) return;
  }
}

/* Replaces the file that was read with the new one, if it is still there and unchanged. An administrator who does not
 * wait for the lock may act between a check and a rename. So the two files are exchanged, which fails if one is
 * missing, and the file taken out is checked. */
static otp_state_status replace(const otp_state *state, const char *name, int file, const char *text) {
  struct stat read, found;
  if (fstat(state->file, &read) != 0) return OTP_STATE_FAILED;
  if (fstatat(state->directory, state->user, &found, AT_SYMLINK_NOFOLLOW) != 0) {
    return errno == ENOENT ? OTP_STATE_CHANGED : OTP_STATE_FAILED;
  }
  if (!is_same(&found, &read) || !still_says(state->file, state->text)) return OTP_STATE_CHANGED;

  if (!exchange(state, name)) {
    if (errno == ENOENT) return OTP_STATE_CHANGED;
    if (errno != EINVAL && errno != ENOSYS) return OTP_STATE_FAILED;
    /* The file system cannot exchange files: a change between the check and this rename is lost. */
    bool renamed = renameat(state->directory, name, state->directory, state->user) == 0;
    return renamed && fsync(state->directory) == 0 ? OTP_STATE_OK : OTP_STATE_FAILED;
  }
  if (fstatat(state->directory, name, &found, AT_SYMLINK_NOFOLLOW) != 0) return OTP_STATE_FAILED;
  if (is_same(&found, &read)) {
    if (fsync(state->directory) != 0) return OTP_STATE_FAILED;
    /* The last check: another process may have opened the file before the exchange and written to it since. */
    if (still_says(state->file, state->text)) return OTP_STATE_OK;
  }
  give_back(state, name, found, file, text);
  return OTP_STATE_CHANGED;
}

otp_state_status otp_state_store(otp_state *state) {
  char text[OTP_STATE_FILE_MAX + 1] = "", name[OTP_STATE_USER_MAX + 8];
  int length = snprintf(text, sizeof text, "secret %s\nfailures %" PRIu64 "\n", state->secret, state->failures);
  if (state->has_last) {
    length += snprintf(text + length, sizeof text - (size_t)length, "last %" PRIu64 "\n", state->last);
  }

  /* Starts over if a crash left a part of an earlier write. */
  name_beside(state, "new", name);
  otp_state_status status = OTP_STATE_FAILED;
  if (unlinkat(state->directory, name, 0) == 0 || errno == ENOENT) {
    int file = openat(state->directory, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file >= 0) {
      if (fchmod(file, 0600) == 0 && write_all(file, text, (size_t)length)) status = replace(state, name, file, text);
      int cause = errno;
      if (status == OTP_STATE_OK) {
        close(state->file);
        state->file = file;
        memcpy(state->text, text, sizeof text);
      } else {
        close(file);
      }
      unlinkat(state->directory, name, 0);
      errno = cause;
    }
  }
  explicit_bzero(text, sizeof text);
  return status;
}

void otp_state_close(otp_state *state) {
  if (state->file >= 0) close(state->file);
  if (state->lock >= 0) close(state->lock);
  if (state->directory >= 0) close(state->directory);
  explicit_bzero(state, sizeof *state);
  state->directory = state->lock = state->file = -1;
}

const char *otp_state_describe(otp_state_status status) {
  switch (status) {
    case OTP_STATE_OK: return "no failure";
    case OTP_STATE_UNKNOWN_USER: return "no such user";
    case OTP_STATE_UNSAFE: return "the file or its directory is not the service's alone (a file of mode 0600, no link)";
    case OTP_STATE_MALFORMED: return "the file is malformed";
    case OTP_STATE_CHANGED: return "the file was removed or replaced meanwhile";
    case OTP_STATE_FAILED: return "the file cannot be locked, read or written";
  }
  return "unknown status";
}
