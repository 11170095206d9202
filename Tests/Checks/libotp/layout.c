// Prints the size of every public structure, its members' offsets, and the value of every public constant: what a
// program compiled against this header relies on.

#include <stddef.h>
#include <stdio.h>

#include <otp.h>

#define STRUCTURE(type) printf("%s %zu bytes, aligned to %zu\n", #type, sizeof(type), _Alignof(type))
#define MEMBER(type, member) \
  printf("%s.%s at %zu, %zu bytes\n", #type, #member, offsetof(type, member), sizeof(((type *)0)->member))
#define VALUE(name) printf("%s %lld\n", #name, (long long)(name))

int main(void) {
  STRUCTURE(otp_totp_params);
  MEMBER(otp_totp_params, size);
  MEMBER(otp_totp_params, digits);
  MEMBER(otp_totp_params, period);
  MEMBER(otp_totp_params, t0);
  STRUCTURE(otp_window);
  MEMBER(otp_window, size);
  MEMBER(otp_window, behind);
  MEMBER(otp_window, ahead);
  MEMBER(otp_window, has_after);
  MEMBER(otp_window, after);
  STRUCTURE(otp_match);
  MEMBER(otp_match, size);
  MEMBER(otp_match, result);
  MEMBER(otp_match, status);
  MEMBER(otp_match, step);
  MEMBER(otp_match, offset);
  STRUCTURE(otp_request);
  MEMBER(otp_request, size);
  MEMBER(otp_request, type);
  MEMBER(otp_request, key);
  MEMBER(otp_request, code);
  MEMBER(otp_request, code_len);
  MEMBER(otp_request, unix_time);
  MEMBER(otp_request, params);
  MEMBER(otp_request, window);
  MEMBER(otp_request, counter);
  MEMBER(otp_request, digits);
  MEMBER(otp_request, look_ahead);
  STRUCTURE(otp_error_info);
  MEMBER(otp_error_info, size);
  MEMBER(otp_error_info, part);
  MEMBER(otp_error_info, position);
  STRUCTURE(otp_uri);
  MEMBER(otp_uri, size);
  MEMBER(otp_uri, type);
  MEMBER(otp_uri, hash);
  MEMBER(otp_uri, digits);
  MEMBER(otp_uri, period);
  MEMBER(otp_uri, counter);
  MEMBER(otp_uri, secret);
  MEMBER(otp_uri, secret_len);
  MEMBER(otp_uri, account);
  MEMBER(otp_uri, account_len);
  MEMBER(otp_uri, issuer);
  MEMBER(otp_uri, issuer_len);
  MEMBER(otp_uri, label_issuer);
  MEMBER(otp_uri, label_issuer_len);
  STRUCTURE(otp_library_info);
  MEMBER(otp_library_info, size);
  MEMBER(otp_library_info, version);
  MEMBER(otp_library_info, openssl);
  MEMBER(otp_library_info, cpu_features);
  MEMBER(otp_library_info, instruction_set);
  MEMBER(otp_library_info, backend);
  MEMBER(otp_library_info, lanes);
  MEMBER(otp_library_info, midstate);
  MEMBER(otp_library_info, evp);
  VALUE(OTP_OK);
  VALUE(OTP_INVALID_ARGUMENT);
  VALUE(OTP_OUTPUT_TOO_SHORT);
  VALUE(OTP_EMPTY_SECRET);
  VALUE(OTP_INVALID_BASE32_CHARACTER);
  VALUE(OTP_INVALID_BASE32_LENGTH);
  VALUE(OTP_INVALID_BASE32_PADDING);
  VALUE(OTP_NON_ZERO_BASE32_TRAILING_BITS);
  VALUE(OTP_INVALID_ALGORITHM);
  VALUE(OTP_INVALID_DIGITS);
  VALUE(OTP_INVALID_PERIOD);
  VALUE(OTP_INVALID_COUNTER);
  VALUE(OTP_INVALID_WINDOW);
  VALUE(OTP_INVALID_LOOK_AHEAD);
  VALUE(OTP_TIME_BEFORE_T0);
  VALUE(OTP_MALFORMED_CODE);
  VALUE(OTP_URI_TOO_LONG);
  VALUE(OTP_INVALID_SCHEME);
  VALUE(OTP_INVALID_TYPE);
  VALUE(OTP_INVALID_AUTHORITY);
  VALUE(OTP_UNEXPECTED_FRAGMENT);
  VALUE(OTP_INVALID_CHARACTER);
  VALUE(OTP_INVALID_PERCENT_ENCODING);
  VALUE(OTP_INVALID_UTF8);
  VALUE(OTP_INVALID_ISSUER);
  VALUE(OTP_INVALID_ACCOUNT);
  VALUE(OTP_MISSING_PARAMETER);
  VALUE(OTP_DUPLICATE_PARAMETER);
  VALUE(OTP_INVALID_PARAMETER_NAME);
  VALUE(OTP_RANDOMNESS_UNAVAILABLE);
  VALUE(OTP_BACKEND_UNAVAILABLE);
  VALUE(OTP_CRYPTOGRAPHY_FAILED);
  VALUE(OTP_SHA1);
  VALUE(OTP_SHA256);
  VALUE(OTP_SHA512);
  VALUE(OTP_TOTP);
  VALUE(OTP_HOTP);
  VALUE(OTP_BACKEND_STANDARD);
  VALUE(OTP_BACKEND_EVP);
  VALUE(OTP_BACKEND_MIDSTATE);
  VALUE(OTP_BACKEND_LANES);
  VALUE(OTP_REJECTED);
  VALUE(OTP_ACCEPTED);
  VALUE(OTP_REPLAYED);
  VALUE(OTP_BASE32_PADDING);
  VALUE(OTP_BASE32_STRICT);
  VALUE(OTP_URI_MAX);
  VALUE(OTP_URI_MEMORY);
  VALUE(OTP_URI_WRITE_DEFAULTS);
  VALUE(OTP_URI_PLUS_IS_SPACE);
  VALUE(OTP_URI_MISSING_COUNTER_IS_ZERO);
  VALUE(OTP_URI_STRICT_BASE32);
  VALUE(OTP_KNOWN_ANSWER_PASSED);
  VALUE(OTP_KNOWN_ANSWER_FAILED);
  VALUE(OTP_KNOWN_ANSWER_ABSENT);
  return 0;
}
