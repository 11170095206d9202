import OTP

/// The expected contents of a key URI. A field that is not given is not compared.
struct URIExpectation: Sendable {
  /// An expected issuer; `nil` as its name means that there is none.
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

  init(_ fields: inout Fields) throws(LocatedError) {
    type = try fields.has("type") ? fields.word("type", as: KeyType.self) : nil
    issuer = try URIExpectation.readIssuer("issuer", &fields)
    labelIssuer = try URIExpectation.readIssuer("labelIssuer", &fields)
    account = try fields.has("account") ? fields.account() : nil
    secret = try fields.has("secretHex") ? fields.secret("secretHex") : nil
    algorithm = try fields.has("algorithm") ? fields.algorithm() : nil
    digits = try fields.has("digits") ? fields.digits() : nil
    // The field of the other type of key is not read, and so refused as one that does not belong here.
    period = try type != .hotp && fields.has("period") ? fields.period() : nil
    counter = try type != .totp && period == nil && fields.has("counter") ? fields.decimal("counter") : nil
    guard !fields.isEmpty else { throw fields.fault(nil, "expects nothing") }
  }

  private static func readIssuer(_ name: String, _ fields: inout Fields) throws(LocatedError) -> Issuer? {
    guard fields.has(name) else { return nil }
    return Issuer(name: try fields.isNull(name) ? nil : fields.filledText(name))
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
