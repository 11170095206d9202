// Keyrings in C++ (LibOTP/bindings/c++/otp.hpp), of keys in memory and of a file: which key seals, and what is refused.
#undef NDEBUG
#include <cassert>

#include <otp.hpp>

static const char subject[] = "user 42";

/// The name of the key that seals a new record, which `other` opens too.
static std::string sealing_key(const otp::Keyring &keyring, const otp::Keyring &other) {
  const otp_enrollment enrollment = OTP_ENROLLMENT_INIT;
  otp_record_details details = {};
  details.size = sizeof details;
  std::array<std::uint8_t, OTP_RECORD_MAX> record;
  std::size_t size = record.size();
  otp::check(otp_record_enroll(
      keyring.get(), subject, sizeof subject, &enrollment, nullptr, 0, 1700000000, record.data(), &size));
  otp::check(otp_record_info(other.get(), subject, sizeof subject, record.data(), size, &details));
  return details.key_name;
}

template <typename Argument>
static otp_status refusal(const Argument &argument) {
  try {
    otp::Keyring refused(argument);
  } catch (const otp::Error &error) {
    return error.status();
  }
  return OTP_OK;
}

int main(int, char **arguments) {
  const char *path = arguments[1];
  std::vector<std::uint8_t> old(32, 1), key(32, 2);
  using Keys = std::vector<otp::NamedKey>;
  const otp::NamedKey first{"new", key.data(), 32}, second{"old", old.data(), 32};
  const otp::Keyring both(Keys{first, second}), only(Keys{second});
  assert(refusal(Keys{}) == OTP_INVALID_ARGUMENT);
  assert(refusal(Keys{{"old", old.data(), 31}}) == OTP_INVALID_KEY);
  assert(refusal(Keys{first, first}) == OTP_DUPLICATE_KEY_NAME);
  // The keyrings have copies.
  old.assign(32, 0);
  key.assign(32, 0);
  assert(sealing_key(both, both) == "new");
  assert(sealing_key(only, both) == "old");

  assert(refusal(path) == OTP_KEYRING_UNREADABLE);
  otp::check(otp_keyring_create_file(path));
  const otp::Keyring file(path);
  assert(sealing_key(file, file).rfind("key-", 0) == 0);
}
