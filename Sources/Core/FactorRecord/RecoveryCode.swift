import Keyring
import OTP

/// A recovery code: its number on the user's list, its hash, and whether it was used.
///
/// Codes have 120 random bits, so that a hash without salt or stretching is enough: SP 800-63B-4, section 3.1.2.2,
/// requires a password hash only below 112 bits.
package struct RecoveryCode: Sendable, Equatable {
  package let number: UInt8
  /// The tag of HMAC-SHA-256 under a fixed key: 32 bytes.
  package let tag: [UInt8]
  /// It is kept, to distinguish a used code from a guess.
  package var isUsed: Bool

  package init(number: UInt8, tag: [UInt8], isUsed: Bool = false) {
    (self.number, self.tag, self.isUsed) = (number, tag, isUsed)
  }

  /// The numbers on a user's list.
  static var numbers: ClosedRange<UInt8> { 1...20 }

  static var tagByteCount: Int { 32 }
  /// The bit of the number that says in the layout that the code was used.
  static var usedBit: UInt8 { 0x80 }

  /// The tag of a code's bytes.
  package static func tag(of bytes: SecretBytes) throws(FactorRecordError) -> [UInt8] {
    let label: StaticString = "swift-otp recovery code"
    do throws(OTPError) {
      let key = unsafe UnsafeBufferPointer(start: label.utf8Start, count: label.utf8CodeUnitCount)
      let hmac = try HMACKey(OTPSecret(bytes: unsafe key.span), algorithm: .sha256)
      return try bytes.withBytes { (bytes) throws(OTPError) in try hmac.tag(for: bytes) }
    } catch {
      throw FactorRecordError(.cryptographyFailed)
    }
  }

  /// The tag of what a person typed, or `nil` if it is not a recovery code.
  static func tag(ofTypedUTF8 typed: Span<UInt8>) throws(FactorRecordError) -> [UInt8]? {
    guard let bytes = RecoveryCodeText.bytes(utf8: typed) else { return nil }
    return try tag(of: bytes)
  }
}

extension FactorRecord {
  /// Enrolls a new set of recovery codes, each for one use, which need no confirmation.
  ///
  /// - Parameters:
  ///   - count: How many, 1...20.
  ///   - unixTime: The time, in seconds since 1970.
  /// - Returns: The record, and the codes, to be shown with their numbers, from 1, and written down: they can be seen
  ///   only now. Each has 120 bits, as six groups of four base32 characters.
  /// - Throws: ``FactorRecordError`` with `outOfRange`, `invalidTime`, `randomnessUnavailable` or `cryptographyFailed`.
  public static func recoveryCodes(
    count: Int = 10, at unixTime: Int64
  ) throws(FactorRecordError) -> (record: FactorRecord, codes: [String]) {
    try recoveryCodes(count: count, atMilliseconds: try Milliseconds.of(unixTime), random: .system)
  }

  /// The same, at a time in milliseconds, with a given source of randomness.
  package static func recoveryCodes(
    count: Int, atMilliseconds milliseconds: Int64, random: SecureRandom
  ) throws(FactorRecordError) -> (record: FactorRecord, codes: [String]) {
    guard 1...Int(RecoveryCode.numbers.upperBound) ~= count else { throw FactorRecordError(.outOfRange) }
    var codes: [RecoveryCode] = []
    var texts: [String] = []
    for number in 1...count {
      let bytes = try random.secret(RecoveryCodeText.byteCount)
      codes.append(RecoveryCode(number: UInt8(number), tag: try RecoveryCode.tag(of: bytes)))
      texts.append(RecoveryCodeText.written(bytes))
    }
    let record = FactorRecord(.recoveryCodes(codes), isPending: false, enrollmentMilliseconds: milliseconds)
    return (record, texts)
  }

  /// Finds the code with a tag, and spends it.
  ///
  /// Timing: depends on how many codes there are, and on whether one of them has the tag.
  mutating func take(_ tag: [UInt8]) -> Answer {
    guard case .recoveryCodes(var codes) = content else { return .rejected(.wrong) }
    var found: Int?
    for index in codes.indices where equalInConstantTime(codes[index].tag, tag) { found = index }
    guard let found else { return .rejected(.wrong) }
    guard !codes[found].isUsed else { return .rejected(.replayed) }
    codes[found].isUsed = true
    content = .recoveryCodes(codes)
    return .accepted(Acceptance(movingFactor: UInt64(codes[found].number), drift: drift))
  }
}

extension SecureRandom {
  /// Random bytes in memory that is wiped.
  func secret(_ count: Int) throws(FactorRecordError) -> SecretBytes {
    do throws(KeyringError) { return try secretBytes(count) } catch { throw FactorRecordError(error) }
  }
}
