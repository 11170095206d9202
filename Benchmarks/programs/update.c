// The nanoseconds of an update of a document, which is a copy and belongs to no user, in PostgreSQL: update CONNECTION
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static PGresult *right(PGresult *result) {
  if (PQresultStatus(result) == PGRES_COMMAND_OK || PQntuples(result) == 1) return result;
  fputs(PQresultErrorMessage(result), stderr);
  exit(1);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
}

int main(int count, char **arguments) {
  if (count != 2) return 64;
  PGconn *server = PQconnectdb(arguments[1]);
  const char *copy =
      "INSERT INTO otp.documents SELECT 'copy', 0, document FROM otp.documents"
      " WHERE key = 'user/user0' ON CONFLICT (key) DO UPDATE SET version = 0 RETURNING document";
  const char *update = "UPDATE otp.documents SET version = version + 1, document = $1 WHERE key = 'copy' RETURNING 1";
  PGresult *copied = right(PQexecParams(server, copy, 0, 0, 0, 0, 0, 1));
  right(PQprepare(server, "update", update, 1, NULL));
  const char *document = PQgetvalue(copied, 0, 0);
  const int length = PQgetlength(copied, 0, 0), binary = 1;
  const double start = now();
  for (count = 0; now() - start < 1e9; count += 1)
    PQclear(right(PQexecPrepared(server, "update", 1, &document, &length, &binary, 1)));
  printf("%.0f\n", (now() - start) / count);
}
