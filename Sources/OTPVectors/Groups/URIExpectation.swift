import OTP
import StrictJSON

/// What a key URI is expected to say: a field that is not named is not compared.
struct URIExpectation: Sendable {
  /// An issuer that was named, which may be that there is none.
  private struct Issuer: Sendable {
    let name: String?
  }

  private let type: KeyType?
  private let issuer: Issuer?
  private let labelIssuer: Issuer?
  private let account: String?
  private let secret: OTPSecret?
  private let algorithm: HashAlgorithm?
  private let digits: OTPCode.Digits?
  private let period: Int64?
  private let counter: UInt64?

  init(_ fields: inout Fields) throws(Fault) {
    type = try fields.optional("type") { fields throws(Fault) in try fields.word("type", as: KeyType.self) }
    issuer = try URIExpectation.readIssuer("issuer", &fields)
    labelIssuer = try URIExpectation.readIssuer("labelIssuer", &fields)
    account = try fields.optional("account") { fields throws(Fault) in try fields.account() }
    secret = try fields.optional("secretHex") { fields throws(Fault) in try fields.secret("secretHex") }
    algorithm = try fields.optional("algorithm") { fields throws(Fault) in try fields.algorithm() }
    digits = try fields.optional("digits") { fields throws(Fault) in try fields.digits() }
    // What the other type of key has is left unread, and so refused as a field that does not belong here.
    period = type == .hotp ? nil : try fields.optional("period") { fields throws(Fault) in try fields.period() }
    let hasCounter = type != .totp && period == nil
    counter =
      hasCounter ? try fields.optional("counter") { fields throws(Fault) in try fields.decimal("counter") } : nil
    guard !fields.isEmpty else { throw fields.fault(nil, "expects nothing") }
  }

  private static func readIssuer(_ name: FieldName, _ fields: inout Fields) throws(Fault) -> Issuer? {
    try fields.optional(name) { fields throws(Fault) in
      Issuer(name: try fields.nullable(name) { fields throws(Fault) in try fields.filledText(name) })
    }
  }

  func check(_ uri: OTPAuthURI) throws(Mismatch) {
    if let issuer { try Mismatch.unlessSame("issuer", uri.issuer, issuer.name) }
    if let labelIssuer { try Mismatch.unlessSame("labelIssuer", uri.labelIssuer, labelIssuer.name) }
    if let account { try Mismatch.unlessSame("account", uri.account, account) }
    if let secret, secret != uri.secret {
      throw Mismatch("secret: expected \(secret.base32String()), got \(uri.secret.base32String())")
    }
    if let algorithm { try Mismatch.unlessEqual("algorithm", uri.algorithm.name, algorithm.name) }
    if let digits { try Mismatch.unlessEqual("digits", uri.digits.rawValue, digits.rawValue) }
    try checkKind(uri.kind)
  }

  private func checkKind(_ kind: OTPAuthURI.Kind) throws(Mismatch) {
    switch kind {
    case .totp(let period):
      if let type { try Mismatch.unlessEqual("type", KeyType.totp, type) }
      if let expected = self.period { try Mismatch.unlessEqual("period", period, expected) }
      if let counter { throw Mismatch("counter: expected \(counter), got a URI of type totp") }
    case .hotp(let counter):
      if let type { try Mismatch.unlessEqual("type", KeyType.hotp, type) }
      if let expected = self.counter { try Mismatch.unlessEqual("counter", counter, expected) }
      if let period { throw Mismatch("period: expected \(period), got a URI of type hotp") }
    }
  }
}
