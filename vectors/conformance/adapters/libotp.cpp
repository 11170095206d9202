// libotp from C++17 (LibOTP/bindings/c++/otp.hpp), which has codes and verifications; the rest is C's.
#include "adapter.h"

#include <otp.hpp>

namespace {

struct Asked {
  otp::Key key;
  std::string code;
  otp_totp_params params;
  otp_window window;
  otp_request request;
};
std::vector<std::unique_ptr<Asked>> verified;

otp::Key key_of(const char *hash, char *secret) {
  const auto *first = reinterpret_cast<const std::uint8_t *>(secret);
  const auto count = bytes(secret);
  const auto name = std::string(hash);
  return otp::Key(name == "SHA1" ? OTP_SHA1 : name == "SHA256" ? OTP_SHA256 : OTP_SHA512, {first, first + count});
}

otp_totp_params params_of(char **words) {
  otp_totp_params params = OTP_TOTP_PARAMS_INIT;
  params.digits = static_cast<unsigned>(number(words[0]));
  params.period = signed_number(words[1]);
  params.t0 = signed_number(words[2]);
  return params;
}

std::string text_of(const otp_match &match, const std::string &separator) {
  if (match.result != OTP_ACCEPTED) return match.result == OTP_REPLAYED ? "replayed" : "rejected";
  return "accepted" + separator + std::to_string(match.step) + separator + std::to_string(match.offset);
}

// Remembers what was asked, for the batch.
Asked &remember(otp_type type, otp::Key key, char *code) {
  const auto length = bytes(code);
  verified.push_back(
      std::unique_ptr<Asked>(new Asked{std::move(key), {code, length}, OTP_TOTP_PARAMS_INIT, OTP_WINDOW_INIT, {}}));
  auto &it = *verified.back();
  it.request.size = sizeof it.request;
  it.request.type = type;
  it.request.key = it.key.get();
  it.request.code = it.code.data();
  it.request.code_len = length;
  it.request.params = &it.params;
  it.request.window = &it.window;
  return it;
}

std::string verify_totp(char **words) {
  auto &it = remember(OTP_TOTP, key_of(words[0], words[4]), words[5]);
  it.params = params_of(words + 1);
  it.window.behind = static_cast<unsigned>(number(words[7]));
  it.window.ahead = static_cast<unsigned>(number(words[8]));
  it.window.has_after = *words[9] != '-';
  it.window.after = number(words[9]);
  it.request.unix_time = signed_number(words[6]);
  return text_of(it.key.verify_totp(it.code, it.request.unix_time, it.params, it.window), " ");
}

std::string verify_hotp(char **words) {
  auto &it = remember(OTP_HOTP, key_of(words[0], words[2]), words[3]);
  it.request.digits = static_cast<unsigned>(number(words[1]));
  it.request.counter = number(words[4]);
  it.request.look_ahead = static_cast<unsigned>(number(words[5]));
  return text_of(it.key.verify_hotp(it.code, it.request.counter, it.request.digits, it.request.look_ahead), " ");
}

std::string batch() {
  std::vector<otp_request> requests;
  for (const auto &it : verified) requests.push_back(it->request);
  std::vector<otp_match> matches(requests.size(), OTP_MATCH_INIT);
  otp::check(otp_verify_batch(requests.data(), requests.size(), matches.data()));
  std::string texts;
  for (const auto &match : matches) texts += (texts.empty() ? "" : " ") + text_of(match, ":");
  return texts;
}

std::string answered(const std::string &operation, char **words) {
  if (operation == "hello") return std::string("libotp ") + otp_version();
  if (operation == "hotp") {
    return key_of(words[0], words[2]).hotp(number(words[3]), static_cast<unsigned>(number(words[1])));
  }
  if (operation == "totp") return key_of(words[0], words[4]).totp(signed_number(words[5]), params_of(words + 1));
  if (operation == "verify-totp") return verify_totp(words);
  if (operation == "verify-hotp") return verify_hotp(words);
  if (operation == "batch") return batch();
  return "";
}

}  // namespace

static const char *answer(const char *operation, char **words, char *out) {
  try {
    strcpy(out, answered(operation, words).c_str());
    return *out == '\0' ? "cannot" : NULL;
  } catch (const otp::Error &) {
    return "refused";
  }
}
