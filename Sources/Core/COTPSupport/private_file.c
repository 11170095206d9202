#ifdef __linux__
#define _DEFAULT_SOURCE
#endif
#define _POSIX_C_SOURCE 200809L

#include "include/otp_private_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/syscall.h>
#endif

/// fstat(). glibc's own is of version 2.33, and libotp needs no more than 2.17. On 64-bit systems the kernel's
/// structure is libc's.
static int get_status(int descriptor, struct stat *status) {
#ifdef __linux__
  return (int)syscall(SYS_fstat, descriptor, status);
#else
  return fstat(descriptor, status);
#endif
}

static otp_private_file_status check(otp_private_file *file, size_t size_limit) {
  struct stat status;
  if (get_status(file->descriptor, &status) != 0) {
    file->system_error = errno;
    return OTP_PRIVATE_FILE_UNREADABLE;
  }
  file->is_pipe = S_ISFIFO(status.st_mode);
  if (!S_ISREG(status.st_mode) && !file->is_pipe) return OTP_PRIVATE_FILE_UNREADABLE;
  if ((status.st_mode & (S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH)) != 0) return OTP_PRIVATE_FILE_READABLE_BY_OTHERS;
  if (status.st_size < 0 || (uintmax_t)status.st_size > size_limit) return OTP_PRIVATE_FILE_TOO_LONG;
  // What a pipe's writer has not written yet is waited for; one that no process has open for writing is empty.
  if (file->is_pipe && fcntl(file->descriptor, F_SETFL, 0) != 0) {
    file->system_error = errno;
    return OTP_PRIVATE_FILE_UNREADABLE;
  }
  file->size = file->is_pipe ? size_limit : (size_t)status.st_size;
  file->owner = status.st_uid;
  file->group = status.st_gid;
  return OTP_PRIVATE_FILE_OPEN;
}

otp_private_file_status otp_private_file_open(const char *path, size_t size_limit, otp_private_file *file) {
  *file = (otp_private_file){.descriptor = -1};
  // Nonblocking, so as not to wait for another process to open a pipe.
  do {
    file->descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  } while (file->descriptor < 0 && errno == EINTR);
  if (file->descriptor < 0) {
    file->system_error = errno;
    return OTP_PRIVATE_FILE_UNREADABLE;
  }
  const otp_private_file_status status = check(file, size_limit);
  if (status != OTP_PRIVATE_FILE_OPEN) (void)close(file->descriptor);
  return status;
}

ptrdiff_t otp_private_file_read(otp_private_file *file, uint8_t *bytes, size_t room) {
  size_t done = 0;
  while (done < room) {
    const ssize_t count = read(file->descriptor, bytes + done, room - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      file->system_error = errno;
      (void)close(file->descriptor);
      return -1;
    }
    if (count == 0) break;
    done += (size_t)count;
  }
  (void)close(file->descriptor);
  return (ptrdiff_t)done;
}

/// Opens a file or folder, and returns its descriptor or, negative, the error number.
static int open_or_error(const char *path, int flags) {
  int descriptor;
  do {
    descriptor = open(path, flags | O_CLOEXEC, 0600);
  } while (descriptor < 0 && errno == EINTR);
  return descriptor < 0 ? -errno : descriptor;
}

/// Flushes what is open to disk, and closes it, after an error or none. Returns the first error.
static int flush_and_close(int descriptor, int error) {
  while (error == 0 && fsync(descriptor) != 0) {
    if (errno != EINTR) error = errno;
  }
  (void)close(descriptor);
  return error;
}

static int write_new(const char *path, const uint8_t *bytes, size_t count) {
  const int descriptor = open_or_error(path, O_WRONLY | O_CREAT | O_EXCL);
  if (descriptor < 0) return -descriptor;
  int error = 0;
  for (size_t done = 0; error == 0 && done < count;) {
    const ssize_t written = write(descriptor, bytes + done, count - done);
    if (written >= 0) done += (size_t)written;
    if (written < 0 && errno != EINTR) error = errno;
  }
  error = flush_and_close(descriptor, error);
  if (error != 0) (void)unlink(path);
  return error;
}

int otp_private_file_create(const char *path, const char *suffix, const uint8_t *bytes, size_t count) {
  const size_t length = strlen(path), end = strlen(suffix) + 1;
  const char *slash = strrchr(path, '/');
  const size_t folder = slash == NULL ? 0 : (size_t)(slash - path) + 1;
  char *other = malloc(length + end + 2);
  if (other == NULL) return ENOMEM;
  memcpy(other, path, folder);
  memcpy(other + folder, ".", 2);
  // It fails before there is a new file.
  const int descriptor = open_or_error(other, O_RDONLY | O_DIRECTORY);
  memcpy(other, path, length);
  memcpy(other + length, suffix, end);
  int error = descriptor < 0 ? -descriptor : write_new(other, bytes, count);
  if (error == 0) {
    // Unlike a rename, a link never replaces a file that another process has created in the meantime.
    if (link(other, path) != 0) error = errno;
    (void)unlink(other);
    // That process may also have removed this one's new file, as a leftover.
    if (error == ENOENT && access(path, F_OK) == 0) error = EEXIST;
  }
  if (descriptor >= 0) {
    const int flushed = flush_and_close(descriptor, error);
    // Some file systems cannot flush a folder.
    if (error == 0 && flushed != EINVAL && flushed != ENOTSUP) error = flushed;
  }
  free(other);
  return error;
}

int otp_private_file_exists_error(void) { return EEXIST; }
