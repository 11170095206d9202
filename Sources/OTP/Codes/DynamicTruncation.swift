internal import COTPSupport

/// The dynamic truncation of an HMAC tag to 31 bits (RFC 4226, section 5.3).
///
/// The RFC reads four bytes at an offset given by the tag's last four bits. The tag is secret, and so is the offset:
/// instead of being indexed, the tag is shifted into place.
public enum DynamicTruncation {
  /// The truncated value, 0...2^31-1, of a tag.
  ///
  /// - Parameter tag: 20 bytes or more: an HMAC tag of SHA-1, SHA-256 or SHA-512.
  /// - Returns: `nil` if the tag is shorter.
  ///
  /// Timing: depends only on the tag's length; no memory address depends on the tag.
  public static func truncate(_ tag: Span<UInt8>) -> UInt32? {
    guard tag.count >= 20 else { return nil }
    return unsafe tag.withUnsafeBufferPointer { tag in unsafe otp_truncate(tag.baseAddress, tag.count) }
  }
}
