// Mistakes that a sanitizer must report: where it does not, it sees nothing of the library.
//
//   controls overread      the library's Swift is told of more text than there is
//   controls leak          a key is lost

#include <stdlib.h>

#include "check.h"

int main(int argc, char **argv) {
  if (argc != 2) return 64;
  if (strcmp(argv[1], "overread") == 0) {
    char *text = malloc(8);
    uint8_t bytes[16];
    size_t length = sizeof bytes;
    memcpy(text, "GEZDGNBV", 8);
    (void)otp_base32_decode(text, 16, 0, bytes, &length, NULL);
    free(text);
  } else {
    otp_key *volatile key = seed_key();
    key = NULL;
    (void)key;
  }
  return 0;
}
