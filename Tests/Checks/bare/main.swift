import FactorRecord
import Keyring
@_spi(Diagnostics) import OTP

// Uses the public Swift interface in a program without the Swift runtime, since generic code is compiled only where it
// is used. (That the engine's codes are right without it is checked by `libotp`, which is built the same way.) It
// compares bytes, since comparing strings would need Unicode's tables.

func isText(_ text: String, _ expected: StaticString) -> Bool {
  let expected = unsafe UnsafeBufferPointer(start: expected.utf8Start, count: expected.utf8CodeUnitCount)
  return unsafe text.utf8.elementsEqual(expected)
}

/// RFC 6238, Appendix B, with each backend.
func checkCodes() throws(OTPError) -> Bool {
  let secret = try OTPSecret(bytes: (0..<32).map { 0x30 + UInt8(($0 + 1) % 10) })
  for backend in HMACBackend.allCases where backend.isAvailable {
    let totp = try TOTP(secret: secret, algorithm: .sha256, digits: .eight, backend: backend)
    guard try isText(totp.code(at: 59).description, "46119246") else { return false }
    guard try totp.verify("46119246", at: 89, after: nil).isAccepted else { return false }
  }
  return true
}

func checkTexts() throws(OTPError) -> Bool {
  let text = "otpauth://totp/ACME:bob?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=ACME"
  let uri = try OTPAuthURI(text)
  guard try isText(TOTP(uri).code(at: 59).description, "287082"), uri.uriString().utf8.elementsEqual(text.utf8)
  else { return false }
  let secret = try OTPSecret(base32: "gezd gnbv gy3t qojq gezd gnbv gy3t qojq")
  guard secret == (try OTPSecret(base32: secret.base32String(padding: true), strict: true)), !secret.isWeak,
    try isText(Base32.encode(Base32.decode("MZXW6")), "MZXW6"), try HashAlgorithm(name: "HmacSHA512") == .sha512
  else { return false }
  do throws(OTPError) {
    _ = try OTPSecret(base32: "GEZDGNB!")
    return false
  } catch {
    return isText(error.description, "not a base32 character at byte 7") && OTPEngine.version.utf8.count > 4
  }
}

func checkCounters() throws(OTPError) -> Bool {
  let secret = try OTPSecret(base32: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
  let hotp = try HOTP(secret: secret, algorithm: .sha1)
  let codes = try (SubmittedCode("969429"), SubmittedCode("338314"), SubmittedCode("254676"))
  let message: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1]
  let tag = try hotp.key.tag(for: message.span)
  guard try hotp.verify("969429", counter: 0, lookAhead: 5).nextCounter == 4,
    try hotp.verify(SubmittedCode(typed: "９６９-٤٢٩\n"), counter: 3).isAccepted,
    try hotp.resynchronize(codes.0, codes.1, codes.2, counter: 0).nextCounter == 6,
    try hotp.code(counter: 3) == hotp.code(counter: 3), DynamicTruncation.truncate(tag.span) == 1_094_287_082,
    try OTPSecret(bytes: secret.unwipedBytes()) == secret, try OTPSecret.random(for: .sha256).byteCount == 32
  else { return false }
  return true
}

/// A factor's life as a record: confirmed by a code, then used once, and opened only for its subject.
func checkRecord() throws(OTPError) -> Bool {
  do throws(FactorRecordError) {
    guard let keyring = try? Keyring() else { return false }
    let enrolled = try FactorRecord.totp(
      secret: try? OTPSecret(base32: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"),
      timeStep: try? TimeStep(period: 30, t0: 1_600_000_000), at: 1_600_000_000)
    var record = try FactorRecord(sealed: enrolled.sealed(by: keyring, for: "user 42"), by: keyring, for: "user 42")
    guard case .enrolled = try record.confirm("755224", at: 1_600_000_000) else { return false }
    guard try record.verify("287082", at: 1_600_000_059).isAccepted else { return false }
    do throws(FactorRecordError) {
      record = try FactorRecord(sealed: record.sealed(by: keyring, for: "user 42"), by: keyring, for: "user 43")
      return false
    } catch {
      return error.kind == .anotherSubject && isText(error.description, "factor record: anotherSubject")
    }
  } catch {
    print("embedded: \(error.description)")
    return false
  }
}

@main struct Main {
  static func main() {
    do throws(OTPError) {
      let areRight = try [checkCodes(), checkTexts(), checkCounters(), checkRecord()]
      print(areRight.contains(false) ? "embedded: a result is wrong" : "embedded: \(areRight.count) passed")
    } catch {
      print("embedded: \(error.description)")
    }
  }
}
