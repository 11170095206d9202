// libotp for C++17: keys that release themselves, and errors as exceptions.
#ifndef OTP_HPP
#define OTP_HPP

#include <array>
#include <cstddef>
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

template <auto destroy>
struct Release {
  template <typename Object>
  void operator()(Object *object) const noexcept {
    destroy(object);
  }
};

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
  std::unique_ptr<otp_key, Release<otp_key_destroy>> key_;
};

/// A key of a keyring: 32 bytes, which stay yours to wipe.
struct NamedKey {
  std::string_view name;
  const std::uint8_t *key;
  std::size_t size;
};

/// Keys that seal records, wiped when it is destroyed: get() is what otp.h's functions on records take.
class Keyring {
 public:
  /// Of 1 to 64 keys from elsewhere, such as a key management service. The library copies them. The first seals.
  explicit Keyring(const std::vector<NamedKey> &keys) {
    std::vector<otp_named_key> named;
    for (const auto &[name, key, size] : keys) {
      named.push_back({sizeof(otp_named_key), name.data(), name.size(), key, size});
    }
    create(otp_keyring_create, named.data(), named.size());
  }

  /// Of a keyring's file.
  explicit Keyring(const char *path) { create(otp_keyring_open, path); }

  const otp_keyring *get() const noexcept { return keyring_.get(); }

 private:
  template <typename Create, typename... Arguments>
  void create(Create function, Arguments... arguments) {
    otp_keyring *keyring = nullptr;
    check(function(arguments..., &keyring));
    keyring_.reset(keyring);
  }

  std::unique_ptr<otp_keyring, Release<otp_keyring_destroy>> keyring_;
};

}  // namespace otp

#endif
