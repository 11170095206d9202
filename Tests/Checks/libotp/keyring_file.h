// A keyring's file, as the Swift keyring writes it: the key "new", which seals, begins with the byte 2, and "old" with
// the byte 1.

#ifndef KEYRING_FILE_H
#define KEYRING_FILE_H

#include <stdlib.h>
#include <unistd.h>

#include "check.h"

static const char keyring_text[] =
    "{\"format\":\"otp-keyring/1\",\"active\":\"new\",\"keys\":[\n"
    "{\"name\":\"old\",\"key\":\"AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\"},\n"
    "{\"name\":\"new\",\"key\":\"AgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\"}],\n"
    "\"hashKey\":\"AwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\",\n"
    "\"sha256\":\"41c5ba07c576d2c2dddb864b4b74c98641b2cfdf262e0954dfbd6de09c89a9ad\"}\n";

/// Writes a file that only its owner may read, and sets `path`, a template for mkstemp().
static inline void write_private_file(char *path, const char *text) {
  const int file = mkstemp(path);
  expect(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text) && close(file) == 0);
}

#endif
