@_spi(Diagnostics) import OTP

/// A test of a counter's code and, if given, of the intermediate values (RFC 4226, section 5.3).
struct HOTPVector: BackendVectorTest {
  private let group: CodeSettings
  private let counter: UInt64
  private let tag: [UInt8]?
  private let truncated: UInt32?
  private let code: String

  init(_ fields: inout Fields, in group: CodeSettings) throws(LocatedError) {
    self.group = group
    counter = try fields.decimal("counter")
    tag = try fields.has("hmacHex") ? fields.bytes("hmacHex") : nil
    if let tag, tag.count != group.algorithm.tagByteCount {
      throw fields.fault("hmacHex", "not the \(group.algorithm.tagByteCount) bytes of a tag")
    }
    truncated = try fields.has("truncated") ? fields.number("truncated", in: 0...0x7FFF_FFFF) : nil
    code = try fields.code(group.digits)
  }

  func run(on backend: HMACBackend) throws(Mismatch) {
    let hotp = try group.hotp(on: backend)
    if tag != nil || truncated != nil { try checkWay(hotp.key) }
    let code = try Mismatch.ifThrown { () throws(OTPError) in try hotp.code(counter: counter) }
    try Mismatch.unlessSame("code", code.description, self.code)
  }

  private func checkWay(_ key: HMACKey) throws(Mismatch) {
    let message = stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: counter >> UInt64($0)) }
    let computed = try Mismatch.ifThrown { () throws(OTPError) in try key.tag(for: message.span) }
    if let tag { try Mismatch.unlessEqual("hmac", bytes: computed, tag) }
    guard let truncated else { return }
    guard let value = DynamicTruncation.truncate(computed.span) else {
      throw Mismatch("truncated: a tag of \(computed.count) bytes is too short")
    }
    try Mismatch.unlessEqual("truncated", value, truncated)
  }
}
