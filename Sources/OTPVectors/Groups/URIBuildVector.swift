import OTP

/// A test of writing a key URI, and of reading it back.
struct URIBuildVector: PlainVectorTest {
  private struct Key: Sendable {
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
      account = try fields.filledText("account")
      secret = try fields.secret("secretHex")
      algorithm = try fields.algorithm()
      digits = try fields.digits()
    }
  }

  private let key: Key
  private let uri: String

  static func readSettings(_ fields: inout Fields) throws(Fault) {}

  init(_ fields: inout Fields, in group: Void) throws(Fault) {
    key = try fields.object("key") { fields throws(Fault) in try Key(&fields) }
    uri = try fields.text("uri")
    guard uri.utf8.starts(with: "otpauth://".utf8) else { throw fields.fault("uri", "does not begin with otpauth://") }
  }

  func run() throws(Mismatch) {
    let value = try Mismatch.ifThrown { () throws(OTPError) in
      try OTPAuthURI(
        key.kind, secret: key.secret, issuer: key.issuer, account: key.account, algorithm: key.algorithm,
        digits: key.digits)
    }
    let text = value.uriString()
    try Mismatch.unlessSame("uri", text, uri)
    let readBack = try Mismatch.ifThrown { () throws(OTPError) in try OTPAuthURI(text) }
    guard readBack == value else {
      throw Mismatch("reading it back gives another value: \(Quotation.text(readBack.uriString()))")
    }
  }
}
