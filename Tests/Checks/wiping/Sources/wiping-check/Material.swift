import CMemoryProbe

/// A scenario's secret, which exists only while a closure uses it.
struct Material {
  let seed: UInt64
  let byteCount: Int

  /// A code that is submitted, and is wrong.
  var code: String {
    var digits: [UInt8] = [0, 0, 0, 0, 0, 0]
    unsafe digits.withUnsafeMutableBufferPointer { unsafe probe_write_code(seed, $0.baseAddress) }
    return String(decoding: digits, as: UTF8.self)
  }

  /// Passes the secret's bytes to a closure.
  func withSecret<R>(_ body: (Span<UInt8>) throws -> R) throws -> R {
    try unsafe lend(byteCount, { bytes in unsafe probe_write_secret(seed, bytes, byteCount) }, body)
  }

  /// Passes the secret's base32 text, between other texts, to a closure.
  func withBase32<R>(before: String = "", after: String = "", _ body: (Span<UInt8>) throws -> R) throws -> R {
    try unsafe withText((byteCount * 8 + 4) / 5, before, after, probe_write_base32, body)
  }

  /// Passes the secret's base64 text, between other texts, to a closure.
  func withBase64<R>(before: String, after: String, _ body: (Span<UInt8>) throws -> R) throws -> R {
    try unsafe withText((byteCount + 2) / 3 * 4, before, after, probe_write_base64, body)
  }

  /// Lends the secret's text in hexadecimal, between other texts.
  func withHex<R>(before: String, after: String, _ body: (Span<UInt8>) throws -> R) throws -> R {
    try unsafe withText(byteCount * 2, before, after, probe_write_hex, body)
  }

  private func withText<R>(
    _ size: Int, _ before: String, _ after: String, _ write: (UInt64, UnsafeMutablePointer<UInt8>?, Int) -> Void,
    _ body: (Span<UInt8>) throws -> R
  ) throws -> R {
    let count = before.utf8.count + size + after.utf8.count
    return try unsafe lend(
      count,
      { bytes in
        for (index, byte) in before.utf8.enumerated() { unsafe bytes[index] = byte }
        unsafe write(seed, bytes + before.utf8.count, byteCount)
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
