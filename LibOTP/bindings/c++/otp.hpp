// libotp for C++17: keys that release themselves, and errors as exceptions.
#ifndef OTP_HPP
#define OTP_HPP

#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <otp.h>

namespace otp {

/// A status other than OTP_OK.
class Error : public std::exception {
 public:
  explicit Error(otp_status status) : status_(status) {}
  otp_status status() const noexcept { return status_; }
  const char *what() const noexcept override { return otp_status_string(status_); }

 private:
  otp_status status_;
};

/// Throws any status other than OTP_OK.
inline void check(otp_status status) {
  if (status != OTP_OK) throw Error(status);
}

/// A prepared secret, wiped when its last owner releases it.
class Key {
 public:
  Key(otp_hash hash, const std::vector<std::uint8_t> &secret) {
    otp_key *key = nullptr;
    check(otp_key_create(hash, secret.data(), secret.size(), &key));
    key_.reset(key);
  }

  const otp_key *get() const noexcept { return key_.get(); }

  /// The code of a counter.
  std::string hotp(std::uint64_t counter, unsigned digits = 6) const {
    std::array<char, 9> code;
    check(otp_hotp(get(), counter, digits, code.data()));
    return code.data();
  }

  /// The code at a time.
  std::string totp(std::int64_t unix_time, const otp_totp_params &params = OTP_TOTP_PARAMS_INIT) const {
    std::array<char, 9> code;
    check(otp_totp(get(), unix_time, &params, code.data()));
    return code.data();
  }

  /// Verifies a code at a time. If the result is OTP_ACCEPTED, store `step` and pass it as `after` the next time.
  otp_match verify_totp(
      std::string_view code, std::int64_t unix_time, const otp_totp_params &params = OTP_TOTP_PARAMS_INIT,
      const otp_window &window = OTP_WINDOW_INIT) const {
    otp_match match = OTP_MATCH_INIT;
    check(otp_totp_verify(get(), code.data(), code.size(), unix_time, &params, &window, &match));
    return match;
  }

  /// Verifies the code of a counter or of the next `look_ahead` ones. If accepted, `step + 1` is the next counter.
  otp_match verify_hotp(
      std::string_view code, std::uint64_t counter, unsigned digits = 6, unsigned look_ahead = 0) const {
    otp_match match = OTP_MATCH_INIT;
    check(otp_hotp_verify(get(), code.data(), code.size(), counter, digits, look_ahead, &match));
    return match;
  }

 private:
  struct Destroy {
    void operator()(otp_key *key) const noexcept { otp_key_destroy(key); }
  };
  std::unique_ptr<otp_key, Destroy> key_;
};

}  // namespace otp

#endif
