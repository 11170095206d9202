/// A parameter that the key URI format defines.
enum KnownParameter {
  case secret, issuer, algorithm, digits, period, counter

  /// The parameter of a name, in any case; `nil` where the format does not define it for this kind of key.
  init?(utf8Name name: Span<UInt8>, in kind: OTPAuthURI.KindName) {
    if name.equalsIgnoringASCIICase("secret") {
      self = .secret
    } else if name.equalsIgnoringASCIICase("issuer") {
      self = .issuer
    } else if name.equalsIgnoringASCIICase("algorithm") {
      self = .algorithm
    } else if name.equalsIgnoringASCIICase("digits") {
      self = .digits
    } else if kind == .totp, name.equalsIgnoringASCIICase("period") {
      self = .period
    } else if kind == .hotp, name.equalsIgnoringASCIICase("counter") {
      self = .counter
    } else {
      return nil
    }
  }

  init?(_ name: String, in kind: OTPAuthURI.Kind) throws(OTPError) {
    let known = try withUTF8(of: name) { name in KnownParameter(utf8Name: name, in: kind.name) }
    guard let known else { return nil }
    self = known
  }

  /// The part that an error in the parameter's value names.
  var part: OTPError.Part {
    switch self {
    case .secret: .secret
    case .issuer: .issuer
    case .algorithm: .algorithm
    case .digits: .digits
    case .period: .period
    case .counter: .counter
    }
  }
}

extension OTPAuthURI {
  /// The kind alone, as a URI's type names it.
  enum KindName {
    case totp, hotp
  }
}

extension OTPAuthURI.Kind {
  var name: OTPAuthURI.KindName {
    switch self {
    case .totp: .totp
    case .hotp: .hotp
    }
  }
}
