import OTP

/// A key as the tests of writing a key URI state it.
struct URIKey: Sendable {
  let kind: OTPAuthURI.Kind
  let issuer: String?
  let account: String
  let secret: OTPSecret
  let algorithm: HashAlgorithm
  let digits: OTPCode.Digits

  init(_ fields: inout Fields) throws(Fault) {
    kind =
      switch try fields.word("type", as: KeyType.self) {
      case .totp: .totp(period: try fields.period())
      case .hotp: .hotp(counter: try fields.decimal("counter"))
      }
    issuer = try fields.nullable("issuer") { fields throws(Fault) in try fields.filledText("issuer") }
    account = try fields.account()
    secret = try fields.secret("secretHex")
    algorithm = try fields.algorithm()
    digits = try fields.digits()
  }

  /// Writes the key, reads what was written, and gives the text.
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
