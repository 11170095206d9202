/*
 * Keeps users' second factors in a column of a table: see factors.c and ../README.md.
 *
 *   own-table DATABASE KEYRING WORKERS < requests
 */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "factors.h"

enum { WORKERS_MAX = 256, LINE_MAX_LENGTH = 1024 };

/* What the workers share. */
typedef struct server {
  const char *database;
  otp_keyring *keyring;
  pthread_mutex_t reading, writing;
} server;

/* A compiler may not leave it out, as it may leave out memset(). */
static void wipe(void *memory, size_t length) {
  for (volatile unsigned char *byte = memory; length > 0; length--) *byte++ = 0;
}

/* Reads a line, without its newline. Returns 0 at the end of the input. A NUL, and what is too long, is left out. */
static int read_line(server *server, char line[LINE_MAX_LENGTH], int *is_cut) {
  size_t length = 0;
  int next;
  *is_cut = 0;
  pthread_mutex_lock(&server->reading);
  while ((next = getchar()) != EOF && next != '\n') {
    if (next != '\0' && length < LINE_MAX_LENGTH - 1) {
      line[length++] = (char)next;
    } else {
      *is_cut = 1;
    }
  }
  pthread_mutex_unlock(&server->reading);
  line[length] = '\0';
  return next != EOF;
}

/* Writes without stdio, whose buffer would keep what it wrote. */
static int write_line(server *server, const char *text, size_t length) {
  pthread_mutex_lock(&server->writing);
  while (length > 0) {
    const ssize_t written = write(STDOUT_FILENO, text, length);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    text += written;
    length -= (size_t)written;
  }
  pthread_mutex_unlock(&server->writing);
  return length == 0;
}

static int64_t clock_now(void) {
  const char *offset = getenv("CLOCK_OFFSET");
  return (int64_t)time(NULL) + (offset == NULL ? 0 : strtoll(offset, NULL, 10));
}

/* Answers a request: its number, `enroll`, `confirm` or `sign-in`, the user, and the code. */
static int serve(server *server, factors *factors, char *line, int is_cut) {
  char uri[OTP_URI_MAX + 1] = "", answer[OTP_URI_MAX + 512], *rest = NULL, *end = NULL;
  const char *number = strtok_r(line, " ", &rest), *what = strtok_r(NULL, " ", &rest);
  const char *user_text = strtok_r(NULL, " ", &rest), *typed = strtok_r(NULL, " ", &rest);
  static const char *const kinds[] = {"rejected", "accepted", "enrolled", "wait", "locked"};
  const char *found = "error ", *detail = "usage";
  otp_answer given = OTP_ANSWER_INIT;
  int status = -1;
  errno = 0;
  const int64_t user = user_text == NULL ? 0 : strtoll(user_text, &end, 10);
  if (user_text != NULL && *end == '\0' && errno == 0 && !is_cut) {
    detail = factors->error;
    if (strcmp(what, "enroll") == 0) {
      status = factors_enroll(factors, user, clock_now(), uri);
    } else {
      status = (strcmp(what, "confirm") == 0 ? factors_confirm : factors_sign_in)(
          factors, user, typed == NULL ? "" : typed, clock_now(), &given);
    }
  }
  if (status == 0) {
    detail = strcmp(what, "enroll") == 0 ? uri : given.kind <= OTP_ANSWER_LOCKED ? kinds[given.kind] : kinds[0];
    found = "";
  }
  const int length = snprintf(answer, sizeof answer, "%.20s %s%s\n", number == NULL ? "" : number, found, detail);
  const int is_written = length > 0 && (size_t)length < sizeof answer && write_line(server, answer, (size_t)length);
  wipe(uri, sizeof uri);
  wipe(answer, sizeof answer);
  return is_written;
}

/* Serves requests until the input ends. Returns NULL on success. */
static void *work(void *shared) {
  server *server = shared;
  factors factors;
  char line[LINE_MAX_LENGTH];
  int is_cut, is_written = 1;
  const int is_open = factors_open(&factors, server->database, server->keyring) == 0;
  if (!is_open) fprintf(stderr, "own-table: %s\n", factors.error);
  while (is_open && is_written && read_line(server, line, &is_cut)) {
    is_written = serve(server, &factors, line, is_cut);
    wipe(line, sizeof line);
  }
  factors_close(&factors);
  return is_open && is_written ? NULL : shared;
}

int main(int argc, char **argv) {
  const long workers = argc == 4 ? strtol(argv[3], NULL, 10) : 0;
  if (workers < 1 || workers > WORKERS_MAX) {
    fprintf(stderr, "usage: own-table DATABASE KEYRING WORKERS < requests, with 1 to %d workers\n", WORKERS_MAX);
    return 2;
  }
  server server = {.database = argv[1], .reading = PTHREAD_MUTEX_INITIALIZER, .writing = PTHREAD_MUTEX_INITIALIZER};
  otp_status status = otp_self_test();
  if (status == OTP_OK) status = otp_keyring_open(argv[2], &server.keyring);
  if (status != OTP_OK) {
    fprintf(stderr, "own-table: %s\n", otp_status_string(status));
    return 1;
  }
  pthread_t threads[WORKERS_MAX];
  long started = 0;
  int is_right = 1;
  while (started < workers && pthread_create(&threads[started], NULL, work, &server) == 0) started++;
  if (started < workers) {
    fprintf(stderr, "own-table: only %ld threads can be started\n", started);
    is_right = 0;
  }
  for (long i = 0; i < started; i++) {
    void *result = NULL;
    is_right &= pthread_join(threads[i], &result) == 0 && result == NULL;
  }
  otp_keyring_destroy(server.keyring);
  return is_right ? 0 : 1;
}
