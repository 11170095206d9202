// Runs the vectors of codes and verifications through libotp from C++17.
//
//   vectors FILE...
//
// Prints a line for each failure, the number of tests of each kind, and `N passed, M failed`. Anything that it does not
// understand is a failure. otp.h has no function for HMAC by itself, and the C runner tests texts (base32 and URIs) and
// records: tests of those kinds are counted, not run.
#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <stdexcept>
#include <vector>

#include <nlohmann/json.hpp>

#include "otp.hpp"

using nlohmann::json;

namespace {

/// The reason why a test fails.
using Failure = std::runtime_error;

void require(bool is_right, const char *what) {
  if (!is_right) throw Failure(what);
}

/// Fails if a field is missing or unknown.
void only_fields(const json &object, std::set<std::string> required, const std::set<std::string> &optional) {
  require(object.is_object(), "not an object");
  for (const auto &field : object.items()) {
    require(required.erase(field.key()) + optional.count(field.key()) == 1, "an unknown field");
  }
  require(required.empty(), "a field is missing");
}

/// A decimal string as a number, which must be the same when written again.
std::uint64_t unsigned_number(const json &field) {
  const auto &text = field.get_ref<const std::string &>();
  const auto value = std::stoull(text);
  require(std::to_string(value) == text, "not a number from 0 to 2^64-1");
  return value;
}

std::int64_t signed_number(const json &field) {
  const auto &text = field.get_ref<const std::string &>();
  const auto value = std::stoll(text);
  require(std::to_string(value) == text, "not a number from -2^63 to 2^63-1");
  return value;
}

/// A JSON integer in a range. The reader keeps integers exact, but would convert a fraction to one.
std::int64_t integer(const json &field, std::int64_t least, std::int64_t most) {
  require(field.is_number_integer(), "not an integer");
  const auto value = field.get<std::int64_t>();
  require(least <= value && value <= most, "not an integer in its range");
  return value;
}

std::vector<std::uint8_t> bytes(const json &field) {
  const auto &text = field.get_ref<const std::string &>();
  require(text.size() % 2 == 0 && text.find_first_not_of("0123456789abcdef") == std::string::npos, "not bytes");
  std::vector<std::uint8_t> result;
  for (std::size_t at = 0; at < text.size(); at += 2) {
    result.push_back(static_cast<std::uint8_t>(std::stoi(text.substr(at, 2), nullptr, 16)));
  }
  return result;
}

otp_hash hash(const json &field) {
  static const std::map<std::string, otp_hash> hashes{
      {"SHA1", OTP_SHA1}, {"SHA256", OTP_SHA256}, {"SHA512", OTP_SHA512}};
  return hashes.at(field.get<std::string>());
}

/// The expected result: `result` or, if that is open, `ours`.
otp_result result(const json &test) {
  static const std::map<std::string, otp_result> results{
      {"accepted", OTP_ACCEPTED}, {"replayed", OTP_REPLAYED}, {"rejected", OTP_REJECTED}};
  const auto &result = test.at("result");
  return results.at((result == "acceptable" ? test.at("ours") : result).get<std::string>());
}

/// The fields that a group's tests share.
struct Group {
  otp::Key key;
  otp_totp_params params = OTP_TOTP_PARAMS_INIT;

  Group(const json &group, bool is_timed) : key(hash(group.at("algorithm")), bytes(group.at("secretHex"))) {
    std::set<std::string> fields{"id", "type", "reference", "needs", "algorithm", "digits", "secretHex", "tests"};
    if (is_timed) fields.insert({"period", "t0"});
    only_fields(group, fields, {"comment"});
    params.digits = static_cast<unsigned>(integer(group.at("digits"), 6, 8));
    if (!is_timed) return;
    params.period = signed_number(group.at("period"));
    require(params.period > 0, "not a period");
    params.t0 = signed_number(group.at("t0"));
  }
};

void test_hotp(const Group &group, const json &test) {
  only_fields(test, {"id", "flags", "counter", "code"}, {"comment", "needs", "hmacHex", "truncated"});
  const auto code = group.key.hotp(unsigned_number(test.at("counter")), group.params.digits);
  require(code == test.at("code"), "another code");
}

void test_totp(const Group &group, const json &test) {
  only_fields(test, {"id", "flags", "time", "step", "code"}, {"comment", "needs"});
  const auto code = group.key.totp(signed_number(test.at("time")), group.params);
  require(code == test.at("code"), "another code");
  require(code == group.key.hotp(unsigned_number(test.at("step")), group.params.digits), "another step");
}

/// Verifies a request with its function and in a batch of one.
void verify(const Group &group, otp_request request, const otp_match &alone, const otp_match &expected) {
  const auto is_expected = [&](const otp_match &match) {
    return match.result == expected.result && match.status == OTP_OK && match.step == expected.step
        && match.offset == expected.offset;
  };
  require(is_expected(alone), "another outcome");
  request.size = sizeof request;
  request.key = group.key.get();
  otp_match match = OTP_MATCH_INIT;
  otp::check(otp_verify_batch(&request, 1, &match));
  require(is_expected(match), "a different outcome in a batch");
}

void test_verify_totp(const Group &group, const json &test) {
  otp_match expected = OTP_MATCH_INIT;
  expected.result = result(test);
  std::set<std::string> fields{"id", "flags", "code", "time", "behind", "ahead", "after", "result"};
  if (expected.result == OTP_ACCEPTED) {
    fields.insert({"step", "offset"});
    expected.step = unsigned_number(test.at("step"));
    expected.offset = integer(test.at("offset"), -10, 10);
  }
  only_fields(test, fields, {"comment", "needs", "ours", "otherStep"});
  otp_window window = OTP_WINDOW_INIT;
  window.behind = static_cast<unsigned>(integer(test.at("behind"), 0, 10));
  window.ahead = static_cast<unsigned>(integer(test.at("ahead"), 0, 10));
  window.has_after = !test.at("after").is_null();
  if (window.has_after) window.after = unsigned_number(test.at("after"));

  const auto &code = test.at("code").get_ref<const std::string &>();
  otp_request request{};
  request.type = OTP_TOTP;
  request.code = code.data();
  request.code_len = code.size();
  request.unix_time = signed_number(test.at("time"));
  request.params = &group.params;
  request.window = &window;
  verify(group, request, group.key.verify_totp(code, request.unix_time, group.params, window), expected);
}

void test_verify_hotp(const Group &group, const json &test) {
  otp_match expected = OTP_MATCH_INIT;
  expected.result = result(test);
  require(expected.result != OTP_REPLAYED, "an unknown result");
  otp_request request{};
  request.type = OTP_HOTP;
  request.counter = unsigned_number(test.at("counter"));
  request.digits = group.params.digits;
  request.look_ahead = static_cast<unsigned>(integer(test.at("lookAhead"), 0, 1000));
  std::set<std::string> fields{"id", "flags", "code", "counter", "lookAhead", "result"};
  if (expected.result == OTP_ACCEPTED) {
    fields.insert("matched");
    expected.step = unsigned_number(test.at("matched"));
    expected.offset = static_cast<std::int64_t>(expected.step - request.counter);
  }
  only_fields(test, fields, {"comment", "needs", "ours", "otherStep"});

  const auto &code = test.at("code").get_ref<const std::string &>();
  request.code = code.data();
  request.code_len = code.size();
  const auto match = group.key.verify_hotp(code, request.counter, request.digits, request.look_ahead);
  verify(group, request, match, expected);
}

using Test = void (*)(const Group &, const json &);
const std::map<std::string, Test> tests{
    {"hotp", test_hotp}, {"totp", test_totp}, {"verify-hotp", test_verify_hotp}, {"verify-totp", test_verify_totp}};
const std::set<std::string> not_run{"base32",    "base32-code", "hmac",      "record-hotp",   "record-totp",
                                    "uri-build", "uri-code",    "uri-parse", "uri-round-trip"};

std::map<std::string, std::size_t> counts;
std::size_t passed, failed;

void fail(const std::string &path, const std::string &where, const char *what) {
  failed++;
  std::printf("FAIL  %s%s: %s\n", path.c_str(), where.c_str(), what);
}

void run_group(const std::string &path, const json &group) {
  const auto &type = group.at("type").get_ref<const std::string &>();
  require(!group.at("tests").empty(), "a group without tests");
  counts[type] += group.at("tests").size();
  if (not_run.count(type)) return;
  const auto test = tests.at(type);
  const Group shared(group, type == "totp" || type == "verify-totp");
  std::set<std::int64_t> ids;
  for (const auto &each : group.at("tests")) {
    try {
      require(ids.insert(integer(each.at("id"), 1, INT64_MAX)).second, "an id twice");
      test(shared, each);
      passed++;
    } catch (const std::exception &error) {
      fail(path, ", " + type + ", " + each.value("id", json()).dump(), error.what());
    }
  }
}

void run_file(const std::string &path) {
  std::ifstream stream(path);
  const auto file = json::parse(stream);
  only_fields(file, {"format", "version", "source", "groups"}, {"comment"});
  require(file.at("format") == "otp-vectors/2" && !file.at("groups").empty(), "another format, or no groups");
  for (const auto &group : file.at("groups")) {
    try {
      run_group(path, group);
    } catch (const std::exception &error) {
      fail(path, ", a group", error.what());
    }
  }
}

}  // namespace

int main(int argc, char **argv) {
  for (const auto &path : std::vector<std::string>(argv + 1, argv + argc)) {
    try {
      run_file(path);
    } catch (const std::exception &error) {
      fail(path, "", error.what());
    }
  }
  for (const auto &count : counts) {
    std::printf("%s %zu%s\n", count.first.c_str(), count.second, not_run.count(count.first) ? ", not run" : "");
  }
  std::printf("%zu passed, %zu failed\n", passed, failed);
  return failed == 0 && passed > 0 ? 0 : 1;
}
