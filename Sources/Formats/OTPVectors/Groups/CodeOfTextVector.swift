import OTP

/// The expected result for a text, such as a secret or a key URI: a code, or an error.
private enum CodeOfText: Sendable {
  case code(String)
  case refusal

  init(_ fields: inout Fields, digits: ClosedRange<Int>) throws(LocatedError) {
    self =
      switch try fields.answer(as: Validity.self) {
      case .valid: .code(try fields.code(digits))
      case .invalid: .refusal
      }
  }

  func check(_ code: () throws(OTPError) -> OTPCode) throws(Mismatch) {
    switch self {
    case .code(let expected):
      try Mismatch.unlessSame("code", try Mismatch.ifThrown(code).description, expected)
    case .refusal:
      if let code = try? code() { throw Mismatch("expected an error, got the code \(code)") }
    }
  }
}

/// A test of generating a code from a secret in base32.
struct Base32CodeVector: BackendVectorTest {
  /// The settings of a group, for all its tests.
  struct Settings: Sendable {
    let algorithm: HashAlgorithm
    let digits: OTPCode.Digits

    init(_ fields: inout Fields) throws(LocatedError) {
      algorithm = try fields.algorithm()
      digits = try fields.digits()
    }
  }

  private let group: Settings
  private let text: String
  private let counter: UInt64
  private let expectation: CodeOfText

  init(_ fields: inout Fields, in group: Settings) throws(LocatedError) {
    self.group = group
    text = try fields.text("text")
    counter = try fields.decimal("counter")
    expectation = try CodeOfText(&fields, digits: group.digits.rawValue...group.digits.rawValue)
  }

  func run(on backend: HMACBackend) throws(Mismatch) {
    try expectation.check { () throws(OTPError) in
      let secret = try OTPSecret(base32: text)
      let hotp = try HOTP(secret: secret, algorithm: group.algorithm, digits: group.digits, backend: backend)
      return try hotp.code(counter: counter)
    }
  }
}

/// A test of generating a code from a key URI.
struct URICodeVector: BackendVectorTest {
  private let uri: String
  /// `nil` for an HOTP key, which has its own counter.
  private let time: Int64?
  private let expectation: CodeOfText

  init(_ fields: inout Fields, in _: Void) throws(LocatedError) {
    uri = try fields.text("uri")
    time = try fields.isNull("time") ? nil : fields.decimal("time")
    expectation = try CodeOfText(&fields, digits: 6...8)
  }

  func run(on backend: HMACBackend) throws(Mismatch) {
    let value = Result { () throws(OTPError) in try OTPAuthURI(uri) }
    if time == nil, case .totp? = (try? value.get())?.kind { throw Mismatch("time: null, and the key is of type totp") }
    try expectation.check { () throws(OTPError) in
      let value = try value.get()
      switch value.kind {
      case .totp(let period):
        let totp = try TOTP(
          secret: value.secret, algorithm: value.algorithm, digits: value.digits, period: period, backend: backend)
        return try totp.code(at: time ?? 0)
      case .hotp(let counter):
        let hotp = try HOTP(
          secret: value.secret, algorithm: value.algorithm, digits: value.digits, backend: backend)
        return try hotp.code(counter: counter)
      }
    }
  }
}
