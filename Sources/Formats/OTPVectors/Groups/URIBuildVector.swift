import OTP

/// A test of writing a key URI, exactly as this engine does or in whatever form, and of reading it back.
struct URIBuildVector: PlainVectorTest {
  private let key: URIKey
  /// `nil` for any form.
  private let uri: String?

  init(_ fields: inout Fields, in hasURI: Bool) throws(LocatedError) {
    key = try fields.object("key") { fields throws(LocatedError) in try URIKey(&fields) }
    uri = try hasURI ? fields.text("uri") : nil
    if let uri, !uri.utf8.starts(with: "otpauth://".utf8) {
      throw fields.fault("uri", "does not begin with otpauth://")
    }
  }

  func run() throws(Mismatch) {
    let written = try key.writtenAndReadBack()
    if let uri { try Mismatch.unlessSame("uri", written, uri) }
  }
}

/// A key in a test of writing a key URI.
private struct URIKey: Sendable {
  let kind: OTPAuthURI.Kind
  let issuer: String?
  let account: String
  let secret: OTPSecret
  let algorithm: HashAlgorithm
  let digits: OTPCode.Digits

  init(_ fields: inout Fields) throws(LocatedError) {
    kind =
      switch try fields.word("type", as: KeyType.self) {
      case .totp: .totp(period: try fields.period())
      case .hotp: .hotp(counter: try fields.decimal("counter"))
      }
    issuer = try fields.isNull("issuer") ? nil : fields.filledText("issuer")
    account = try fields.account()
    secret = try fields.secret("secretHex")
    algorithm = try fields.algorithm()
    digits = try fields.digits()
  }

  /// Writes the key, checks that the text reads back as the same key, and returns the text.
  func writtenAndReadBack() throws(Mismatch) -> String {
    let value = try Mismatch.ifThrown { () throws(OTPError) in
      try OTPAuthURI(kind, secret: secret, issuer: issuer, account: account, algorithm: algorithm, digits: digits)
    }
    let text = value.uriString()
    let readBack = try Mismatch.ifThrown { () throws(OTPError) in try OTPAuthURI(text) }
    guard readBack == value else {
      throw Mismatch("reading it back gives another value: \(Quotation.text(readBack.uriString()))")
    }
    return text
  }
}
