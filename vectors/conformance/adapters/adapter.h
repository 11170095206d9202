/*
 * The adapters' protocol (../README.md), for adapters in C: a request's words, and their conversion to values.
 *
 * It has main(). answer() writes what follows `ok` into `out` and returns NULL, or returns another
 * answer: "refused", "cannot".
 */
#pragma once
#define _POSIX_C_SOURCE 200809L /* strtok_r() */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 1 << 16 };

static const char *answer(const char *operation, char **words, char *out);

static inline uint64_t number(const char *word) { return strtoull(word, NULL, 10); }
static inline int64_t signed_number(const char *word) { return strtoll(word, NULL, 10); }

/* Decodes hexadecimal bytes or text in place, and adds a NUL. Returns the byte count. */
static inline size_t bytes(char *word) {
  size_t count = 0;
  for (const char *at = word + 1; at[0] != '\0' && at[1] != '\0'; at += 2) {
    const char pair[3] = {at[0], at[1], '\0'};
    word[count++] = (char)strtoul(pair, NULL, 16);
  }
  word[count] = '\0';
  return count;
}

/* The same for what C can take only as a string: SIZE_MAX if it contains a NUL. */
static inline size_t text(char *word) {
  const size_t count = bytes(word);
  return strlen(word) == count ? count : SIZE_MAX;
}

static inline void hexadecimal(char *out, const char *from, size_t count) {
  *out++ = 'x';
  for (size_t i = 0; i < count; i++) out += sprintf(out, "%02x", (unsigned char)from[i]);
  *out = '\0';
}

int main(void) {
  static char line[LINE], out[LINE];
  while (fgets(line, sizeof line, stdin) != NULL) {
    char *words[16] = {NULL}, *save = NULL;
    const char *operation = strtok_r(line, " \n", &save);
    for (size_t i = 0; i < 15; i++) words[i] = strtok_r(NULL, " \n", &save);
    *out = '\0';
    const char *other = operation == NULL ? "cannot" : answer(operation, words, out);
    if (other == NULL) printf("ok %s\n", out);
    else puts(other);
    fflush(stdout);
  }
  return 0;
}
