import OTP
import OTPVectors
import Testing

/// A valid file with a group of every type, for tests to break.
enum SampleFile {
  static let backends = HMACBackend.present

  /// A file with these groups.
  static func text(groups: String) -> String {
    #"{ "format": "otp-vectors/1", "source": "test", "comment": "a file", "groups": ["# + groups + "] }"
  }

  /// The file with one text, which occurs in it exactly once, replaced.
  static func text(replacing old: String, with new: String) throws -> String {
    let parts = text.split(separator: old, omittingEmptySubsequences: false)
    try #require(parts.count == 2, "\(old) stands in the sample \(parts.count - 1) times")
    return parts[0] + new + parts[1]
  }

  /// Reads a text as a file.
  static func read(_ text: String) throws(VectorFileError) -> VectorFile { try VectorFile(json: Array(text.utf8)) }

  /// The description of the error that reading gives.
  static func refusal(of text: String) -> String? { refusal(of: Array(text.utf8)) }

  /// The same for bytes.
  static func refusal(of bytes: [UInt8]) -> String? {
    do throws(VectorFileError) {
      _ = try VectorFile(json: bytes)
      return nil
    } catch {
      return error.description
    }
  }

  static let text = text(
    groups: #"""
      { "type": "hmac", "comment": "RFC 4231", "algorithm": "SHA256", "tests": [
        { "id": 1, "keyHex": "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "messageHex": "4869205468657265",
          "tagHex": "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7", "result": "valid" },
        { "id": 2, "comment": "truncated", "keyHex": "4a656665",
          "messageHex": "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
          "tagHex": "5bdcc146", "result": "valid" },
        { "id": 3, "keyHex": "01", "messageHex": "", "tagHex": "00010203", "result": "invalid" } ] },
      { "type": "hotp", "algorithm": "SHA1", "digits": 6,
        "secretHex": "3132333435363738393031323334353637383930", "tests": [
        { "id": 11, "counter": "0", "hmacHex": "cc93cf18508d94934c64b65d8ba7667fb7cde4b0", "truncated": 1284755224,
          "code": "755224" },
        { "id": 7, "counter": "2", "code": "359152" } ] },
      { "type": "totp", "algorithm": "SHA1", "digits": 8, "period": 30, "t0": "0",
        "secretHex": "3132333435363738393031323334353637383930", "tests": [
        { "id": 1, "time": "59", "step": "1", "code": "94287082" },
        { "id": 2, "time": "1111111109", "step": "37037036", "code": "07081804" } ] },
      { "type": "base32", "tests": [
        { "id": 1, "text": "MZXW6===", "hex": "666f6f", "canonical": "MZXW6", "result": "valid" },
        { "id": 2, "text": "A", "result": "invalid" } ] },
      { "type": "uri-parse", "tests": [
        { "id": 1, "uri": "otpauth://totp/Label:alice?secret=GEZDGNBV&issuer=Param&period=60", "result": "valid",
          "expect": { "type": "totp", "issuer": "Param", "labelIssuer": "Label", "account": "alice",
            "secretHex": "3132333435", "algorithm": "SHA1", "digits": 6, "period": 60 } },
        { "id": 2, "uri": "otpauth://hotp/bob?secret=GEZDGNBV&counter=18446744073709551615", "result": "valid",
          "expect": { "issuer": null, "labelIssuer": null, "counter": "18446744073709551615" } },
        { "id": 3, "uri": "http://example.com", "result": "invalid" } ] },
      { "type": "uri-build", "tests": [
        { "id": 1, "key": { "type": "hotp", "issuer": null, "account": "carol", "secretHex": "666f6f",
          "algorithm": "SHA512", "digits": 7, "counter": "5" },
          "uri": "otpauth://hotp/carol?secret=MZXW6&algorithm=SHA512&digits=7&counter=5" },
        { "id": 2, "key": { "type": "totp", "issuer": "ACME", "account": "dave", "secretHex": "666f6f",
          "algorithm": "SHA1", "digits": 6, "period": 45 },
          "uri": "otpauth://totp/ACME:dave?secret=MZXW6&issuer=ACME&period=45" } ] },
      { "type": "verify-totp", "algorithm": "SHA1", "digits": 6, "period": 30, "t0": "0",
        "secretHex": "3132333435363738393031323334353637383930", "tests": [
        { "id": 1, "code": "287082", "time": "61", "behind": 1, "ahead": 2, "after": null, "result": "accepted",
          "step": "1", "offset": -1 },
        { "id": 2, "code": "287082", "time": "62", "behind": 1, "ahead": 0, "after": "1", "result": "replayed" },
        { "id": 3, "code": "28 7082", "time": "63", "behind": 1, "ahead": 0, "after": null, "result": "rejected" } ] },
      { "type": "verify-hotp", "algorithm": "SHA1", "digits": 6,
        "secretHex": "3132333435363738393031323334353637383930", "tests": [
        { "id": 1, "code": "969429", "counter": "0", "lookAhead": 5, "result": "accepted", "matched": "3" },
        { "id": 2, "code": "969429", "counter": "4", "lookAhead": 100, "result": "rejected" } ] }
      """#)
}

/// A change of the sample file and its expected result.
struct Change: CustomTestStringConvertible {
  let old: String
  let new: String
  let outcome: String

  init(_ old: String, _ new: String, _ outcome: String) {
    self.old = old
    self.new = new
    self.outcome = outcome
  }

  var testDescription: String { "\(old) → \(new)" }
}
