// libotp from C++17 (LibOTP/bindings/c++/otp.hpp): codes and verifications; the rest is C's.
#include "adapter.h"

#include <otp.hpp>

#define answer answer_of_c
static const char *answer_of_c(const char *operation, char **words, char *out);
#include "libotp.c"
#undef answer

namespace {

otp::Key key_in_cpp(const char *hash, std::string secret) {
  const auto *first = reinterpret_cast<const std::uint8_t *>(secret.data());
  const auto count = bytes(secret.data());
  return otp::Key(hash_of(hash), {first, first + count});
}

// C remembers the request, for the batch; its outcome is not looked at.
otp_match verified(const otp::Key &key, const char *operation, char **words, char *out) {
  answer_of_c(operation, words, out);
  const auto &it = requests[request_count - 1];
  const std::string_view code(it.code, it.code_len);
  if (it.type == OTP_HOTP) return key.verify_hotp(code, it.counter, it.digits, it.look_ahead);
  return key.verify_totp(code, it.unix_time, *it.params, *it.window);
}

}  // namespace

static const char *answer(const char *operation, char **words, char *out) {
  const std::string name(operation);
  const bool is_counted = name == "hotp" || name == "verify-hotp";
  if (!is_counted && name != "totp" && name != "verify-totp") return answer_of_c(operation, words, out);
  try {
    const auto key = key_in_cpp(words[0], words[is_counted ? 2 : 4]);
    if (name == "hotp") {
      strcpy(out, key.hotp(number(words[3]), static_cast<unsigned>(number(words[1]))).c_str());
    } else if (name == "totp") {
      strcpy(out, key.totp(signed_number(words[5]), params_of(words + 1)).c_str());
    } else {
      const auto match = verified(key, operation, words, out);
      write_match(out, &match, ' ');
    }
    return NULL;
  } catch (const otp::Error &) {
    return "refused";
  }
}
