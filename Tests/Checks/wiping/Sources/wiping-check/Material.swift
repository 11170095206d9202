import CMemoryProbe

/// A scenario's secret, which exists only while a closure uses it.
struct Material {
  let seed: UInt64
  let byteCount: Int

  /// Passes the secret's bytes to a closure.
  func withSecret<R>(_ body: (Span<UInt8>) throws -> R) throws -> R {
    try unsafe lend(byteCount, { bytes in unsafe probe_write_secret(seed, bytes, byteCount) }, body)
  }

  /// Passes the secret's base32 text, between other texts, to a closure.
  func withBase32<R>(before: String = "", after: String = "", _ body: (Span<UInt8>) throws -> R) throws -> R {
    let size = (byteCount * 8 + 4) / 5
    let count = before.utf8.count + size + after.utf8.count
    return try unsafe lend(
      count,
      { bytes in
        for (index, byte) in before.utf8.enumerated() { unsafe bytes[index] = byte }
        unsafe probe_write_base32(seed, bytes + before.utf8.count, byteCount)
        for (index, byte) in after.utf8.enumerated() { unsafe bytes[before.utf8.count + size + index] = byte }
      }, body)
  }

  /// Passes the secret's base64 text, between other texts, to a closure.
  func withBase64<R>(before: String, after: String, _ body: (Span<UInt8>) throws -> R) throws -> R {
    let size = (byteCount + 2) / 3 * 4
    let count = before.utf8.count + size + after.utf8.count
    return try unsafe lend(
      count,
      { bytes in
        for (index, byte) in before.utf8.enumerated() { unsafe bytes[index] = byte }
        unsafe probe_write_base64(seed, bytes + before.utf8.count, byteCount)
        for (index, byte) in after.utf8.enumerated() { unsafe bytes[before.utf8.count + size + index] = byte }
      }, body)
  }

  private func lend<R>(
    _ count: Int, _ fill: (UnsafeMutablePointer<UInt8>) -> Void, _ body: (Span<UInt8>) throws -> R
  ) throws -> R {
    let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: count)
    unsafe fill(bytes)
    defer {
      unsafe probe_wipe(bytes, count)
      unsafe bytes.deallocate()
    }
    return try unsafe body(Span(_unsafeStart: bytes, count: count))
  }
}
