import OTP

/// A test of HMAC itself: a tag or its leading bytes, or one that must differ.
struct HMACVector: BackendVectorTest {
  private let algorithm: HashAlgorithm
  private let key: OTPSecret
  private let message: [UInt8]
  private let tag: [UInt8]
  private let result: Validity

  init(_ fields: inout Fields, in group: HashAlgorithm) throws(LocatedError) {
    algorithm = group
    key = try fields.secret("keyHex")
    message = try fields.bytes("messageHex")
    tag = try fields.bytes("tagHex")
    guard !tag.isEmpty else { throw fields.fault("tagHex", "empty") }
    result = try fields.word("result", as: Validity.self)
    // A longer tag can only be wrong, which some tests require.
    guard result == .invalid || tag.count <= algorithm.tagByteCount else {
      throw fields.fault("tagHex", "longer than the \(algorithm.tagByteCount) bytes of a tag")
    }
  }

  func run(on backend: HMACBackend) throws(Mismatch) {
    let computed = try Mismatch.ifThrown { () throws(OTPError) in
      try HMACKey(key, algorithm: algorithm, backend: backend).tag(for: message.span)
    }
    let leading = computed.prefix(tag.count)
    switch result {
    case .valid: try Mismatch.unlessEqual("tag", bytes: leading, tag)
    case .invalid:
      guard !leading.elementsEqual(tag) else { throw Mismatch("tag: expected a different one, got the given one") }
    }
  }
}
