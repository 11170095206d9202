#include "otp_planted.h"

#if defined(OTP_CHECKS)

#include "otp_constant_time.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

otp_planted_faults otp_planted;
unsigned otp_secret_declassifications = 0;

// An unknown name ends the process: a check whose fault is not planted would show nothing.
__attribute__((constructor)) static void read_faults(void) {
  const char *text = getenv("OTP_PLANTED");
  if (text == NULL) return;
  int end = 0;
  if (strcmp(text, "memory") == 0) {
    otp_planted.leaves_memory = 1;
  } else if (strcmp(text, "stack") == 0) {
    otp_planted.leaves_stack = 1;
  } else if (strncmp(text, "without:", 8) == 0) {
    otp_planted.hidden_features = text + 8;
  } else if (
      sscanf(text, "lane:%zu:%zu%n", &otp_planted.wrong_width, &otp_planted.wrong_lane, &end) != 2 || text[end] != 0
      || otp_planted.wrong_lane >= otp_planted.wrong_width) {
    fprintf(stderr, "OTP_PLANTED names no fault\n");
    abort();
  }
}

int otp_planted_hides(const char *feature) {
  const size_t length = strlen(feature);
  for (const char *name = otp_planted.hidden_features; name != NULL && *name != 0;) {
    const size_t name_length = strcspn(name, ",");
    if (name_length == length && memcmp(name, feature, length) == 0) return 1;
    name += name_length + (name[name_length] == ',');
  }
  return 0;
}

#endif
