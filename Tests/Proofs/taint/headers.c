// The functions of COTPSupport's headers that take secrets, each called once, so that they are in an object.

#include "otp_truncation.h"

uint32_t header_truncate(const uint8_t *tag, size_t size) { return otp_truncate(tag, size); }

uint32_t header_truncate_words(const uint32_t words[5], uint32_t last) { return otp_truncate_words(words, last); }
