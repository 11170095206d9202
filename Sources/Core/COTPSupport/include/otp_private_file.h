#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Why a file was not opened.
typedef enum otp_private_file_status {
  OTP_PRIVATE_FILE_OPEN = 0,
  /// It is not there, neither a regular file nor a pipe, or cannot be read; see `system_error`, which may be 0.
  OTP_PRIVATE_FILE_UNREADABLE,
  /// The group or others may read or write it.
  OTP_PRIVATE_FILE_READABLE_BY_OTHERS,
  /// It is longer than the limit.
  OTP_PRIVATE_FILE_TOO_LONG,
} otp_private_file_status;

/// An open file, or pipe, that only its owner may read or write.
typedef struct otp_private_file {
  int descriptor;
  int system_error;
  /// Its length, or, for a pipe, the limit.
  size_t size;
  bool is_pipe;
  uint32_t owner, group;
} otp_private_file;

/// Opens a file. The checks are made on the open file, whatever the path refers to afterward. Unless it is open, there
/// is nothing to close.
otp_private_file_status otp_private_file_open(const char *path, size_t size_limit, otp_private_file *file);

/// Reads until the memory is full or the file ends, and closes the file. Returns the number of bytes, or -1 with
/// `system_error`.
ptrdiff_t otp_private_file_read(otp_private_file *file, uint8_t *bytes, size_t room);

/// Creates a file that only its owner may read or write, unless something is there by the time that its contents are
/// written, to `path` followed by `suffix`: a reader never finds a part of it. It is on disk when this returns 0;
/// EEXIST if something was there, or another error number.
int otp_private_file_create(const char *path, const char *suffix, const uint8_t *bytes, size_t count);

/// EEXIST, which Embedded Swift has no module for.
int otp_private_file_exists_error(void);
