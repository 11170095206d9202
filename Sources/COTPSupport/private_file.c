#ifdef __linux__
#define _DEFAULT_SOURCE
#endif
#define _POSIX_C_SOURCE 200809L

#include "include/otp_private_file.h"

#include <errno.h>
#include <fcntl.h>
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
  if (!S_ISREG(status.st_mode)) return OTP_PRIVATE_FILE_UNREADABLE;
  if ((status.st_mode & (S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH)) != 0) return OTP_PRIVATE_FILE_READABLE_BY_OTHERS;
  if (status.st_size < 0 || (uintmax_t)status.st_size > size_limit) return OTP_PRIVATE_FILE_TOO_LONG;
  file->size = (size_t)status.st_size;
  file->owner = status.st_uid;
  file->group = status.st_gid;
  return OTP_PRIVATE_FILE_OPEN;
}

otp_private_file_status otp_private_file_open(const char *path, size_t size_limit, otp_private_file *file) {
  *file = (otp_private_file){.descriptor = -1};
  // Nonblocking, so as not to wait if the path refers to a pipe.
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
