internal import COTPSupport
import OTP

extension Keyring {
  private static var hashDomain: String { "swift-otp hash" }

  /// The keyed hash of bytes for one purpose and context: 32 bytes of HMAC-SHA-256.
  ///
  /// - Parameters:
  ///   - message: The bytes, any number of them.
  ///   - purpose: What the hash is for.
  ///   - context: What the hash belongs to: the user, the challenge.
  /// - Throws: `KeyringError` with `cryptographyFailed`.
  ///
  /// Timing: depends only on lengths.
  package func hash(
    _ message: [UInt8], for purpose: Purpose, boundTo context: [String]
  ) throws(KeyringError) -> [UInt8] {
    var writer = ByteWriter()
    writer.append(Self.hashDomain)
    writer.append(purpose.name)
    writer.append(context)
    writer.append(message)
    do throws(OTPError) {
      return try writer.finish().withBytes { (bytes) throws(OTPError) in try hashKey.tag(for: bytes) }
    } catch {
      throw KeyringError(.cryptographyFailed)
    }
  }
}

/// Whether two arrays, such as two hashes, hold the same bytes.
///
/// Timing: depends only on their sizes.
package func equalInConstantTime(_ left: [UInt8], _ right: [UInt8]) -> Bool {
  guard left.count == right.count, !left.isEmpty else { return left.count == right.count }
  return unsafe left.withUnsafeBufferPointer { left in
    unsafe right.withUnsafeBufferPointer { right in
      guard let leftBase = left.baseAddress, let rightBase = right.baseAddress else { return false }
      return unsafe otp_equal(leftBase, rightBase, left.count) == 1
    }
  }
}
