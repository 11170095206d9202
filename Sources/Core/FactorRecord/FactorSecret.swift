import Keyring
import OTP

/// The secret of a TOTP or HOTP factor, with its parameters.
package struct FactorSecret: Sendable, Equatable {
  /// Whether codes go by time (RFC 6238) or by counter (RFC 4226).
  package let isTimeBased: Bool
  package let secret: OTPSecret
  package let algorithm: HashAlgorithm
  package let digits: OTPCode.Digits
  /// The steps; unused for an HOTP factor.
  package let timeStep: TimeStep

  /// The longest secret that a record holds, in bytes.
  package static var maximumByteCount: Int { 1024 }

  package init(
    isTimeBased: Bool, secret: OTPSecret, algorithm: HashAlgorithm = .sha1, digits: OTPCode.Digits = .six,
    timeStep: TimeStep = .standard
  ) {
    self.isTimeBased = isTimeBased
    self.secret = secret
    self.algorithm = algorithm
    self.digits = digits
    self.timeStep = timeStep
  }

  /// The same for all secrets that HMAC with a hash function cannot tell apart, and different for all others: 16 bytes
  /// of a tag, which reveal neither the secret nor a code. An HMAC key is padded with zeros to the hash's block, and
  /// one longer than a block is hashed first (RFC 2104, section 2).
  ///
  /// - Throws: ``FactorRecordError`` with `cryptographyFailed`.
  ///
  /// Timing: depends on the secret's length.
  package func fingerprint(under algorithm: HashAlgorithm) throws(FactorRecordError) -> [UInt8] {
    let message: StaticString = "swift-otp spent secret"
    do throws(OTPError) {
      let bytes = unsafe UnsafeBufferPointer(start: message.utf8Start, count: message.utf8CodeUnitCount)
      let tag = try HMACKey(secret, algorithm: algorithm).tag(for: unsafe bytes.span)
      return Array(tag.prefix(SpentSecret.fingerprintByteCount))
    } catch {
      throw FactorRecordError(.cryptographyFailed)
    }
  }

  /// Whether HMAC with the hash function of one of them cannot tell two secrets apart, whatever the other parameters.
  ///
  /// - Throws: ``FactorRecordError`` with `cryptographyFailed`.
  package func isSame(as other: FactorSecret) throws(FactorRecordError) -> Bool {
    for algorithm in [algorithm, other.algorithm]
    where try equalInConstantTime(fingerprint(under: algorithm), other.fingerprint(under: algorithm)) {
      return true
    }
    return false
  }
}
