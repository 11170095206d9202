import OTP

extension Keyring {
  private static let hashDomain = "swift-otp hash"

  /// The keyed hash of bytes, for one purpose and one place: 32 bytes by HMAC-SHA-256.
  ///
  /// - Parameters:
  ///   - message: The bytes, any number.
  ///   - purpose: What for.
  ///   - context: Where it belongs: the user, the challenge.
  /// - Throws: `KeyringError` with `cryptographyFailed`.
  ///
  /// Timing: depends on lengths alone.
  func hash(
    _ message: Span<UInt8>, for purpose: HashPurpose, boundTo context: [String]
  ) throws(KeyringError) -> [UInt8] {
    var writer = ByteWriter()
    writer.append(Self.hashDomain)
    writer.append(purpose.rawValue)
    writer.append(length: context.count)
    for part in context { writer.append(part) }
    writer.append(message)
    do throws(OTPError) {
      return try writer.finish().withBytes { (bytes) throws(OTPError) in try hashKey.tag(for: bytes) }
    } catch {
      throw KeyringError(.cryptographyFailed)
    }
  }

  /// The keyed hash of bytes. See ``hash(_:for:boundTo:)-(Span<UInt8>,_,_)``.
  func hash(_ message: [UInt8], for purpose: HashPurpose, boundTo context: [String]) throws(KeyringError) -> [UInt8] {
    try hash(message.span, for: purpose, boundTo: context)
  }
}
