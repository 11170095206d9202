import CMemoryProbe
import OTP

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

  /// The secret.
  func secret() throws -> OTPSecret { try withSecret { bytes in try OTPSecret(bytes: bytes) } }

  enum Encoding: UInt32 {
    case hex = 4
    case base32
    case base64
  }

  /// Passes the secret's text, between other texts, to a closure.
  func withText<R>(
    _ encoding: Encoding, before: String = "", after: String = "", _ body: (Span<UInt8>) throws -> R
  ) throws -> R {
    let (bits, start) = (encoding.rawValue, before.utf8.count)
    let size = unsafe probe_write_text(seed, byteCount, bits, nil)
    let padding = encoding == .base64 ? String(repeating: "=", count: (3 - byteCount % 3) % 3) : ""
    let end = padding + after
    return try unsafe lend(
      start + size + end.utf8.count,
      { bytes in
        for (index, byte) in before.utf8.enumerated() { unsafe bytes[index] = byte }
        _ = unsafe probe_write_text(seed, byteCount, bits, bytes + start)
        for (index, byte) in end.utf8.enumerated() { unsafe bytes[start + size + index] = byte }
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
