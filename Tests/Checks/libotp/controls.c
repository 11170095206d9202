// Mistakes that a sanitizer must report: otherwise it does not see into the library.
//
//   controls overread      passes a length beyond the text's end to the library's Swift
//   controls leak          leaks a key

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
