/// From an HMAC tag to 31 bits (RFC 4226, section 5.3).
///
/// The RFC reads four bytes at an offset that the tag's last four bits name. The tag is secret, and with it the
/// offset: here the tag is shifted into place instead of indexed.
public enum DynamicTruncation {
  /// The truncated value, 0...2^31-1, of a tag.
  ///
  /// - Parameter tag: 20 bytes or more: an HMAC tag of SHA-1, SHA-256 or SHA-512.
  /// - Returns: `nil` where the tag is shorter.
  ///
  /// Timing: depends on the tag's length alone; no memory address depends on the tag.
  public static func truncate(_ tag: Span<UInt8>) -> UInt32? {
    guard tag.count >= 20 else { return nil }
    return unsafe tag.withUnsafeBufferPointer { tag in unsafe truncate(tag, byteCount: tag.count) }
  }

  /// The truncated value of the tag in the first `byteCount` bytes, 20 or more.
  static func truncate(_ tag: UnsafeBufferPointer<UInt8>, byteCount: Int) -> UInt32 {
    let offset = UInt64(unsafe tag[byteCount - 1] & 0xF)

    // Bytes 0...19 hold all that an offset can reach: as three words, the first byte the most significant.
    let bytes = UnsafeRawBufferPointer(tag)
    var first = unsafe UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
    var second = unsafe UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    let third = unsafe UInt64(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt32.self))) << 32

    // By eight bytes where the offset is 8 or more, then by the rest, 0 to 7 bytes.
    let isFar = Mask.equal(UInt32(truncatingIfNeeded: offset >> 3), 1)
    first = isFar.select(second, else: first)
    second = isFar.select(third, else: second)
    let shift = (offset & 7) &* 8
    // A shift by 64 is a shift by 1 and one by 63, which keeps each within its range.
    let word = first &<< shift | (second &>> 1) &>> (63 &- shift)
    return UInt32(truncatingIfNeeded: word &>> 32) & 0x7FFF_FFFF
  }
}
