/// A parameter that the key URI format defines.
enum KnownParameter: UInt8 {
  case secret, issuer, algorithm, digits, period, counter

  /// The parameter with a name, ignoring case; `nil` if the format does not define it.
  init?(utf8Name name: Span<UInt8>) {
    if name.equalsIgnoringASCIICase("secret") {
      self = .secret
    } else if name.equalsIgnoringASCIICase("issuer") {
      self = .issuer
    } else if name.equalsIgnoringASCIICase("algorithm") {
      self = .algorithm
    } else if name.equalsIgnoringASCIICase("digits") {
      self = .digits
    } else if name.equalsIgnoringASCIICase("period") {
      self = .period
    } else if name.equalsIgnoringASCIICase("counter") {
      self = .counter
    } else {
      return nil
    }
  }

  init?(_ name: String) {
    let known = withUTF8(of: name) { name in KnownParameter(utf8Name: name) }
    guard let known else { return nil }
    self = known
  }

  /// Whether the parameter applies to this kind of key. One that does not is kept like an unknown one.
  func applies(to kind: OTPAuthURI.KindName) -> Bool {
    switch self {
    case .secret, .issuer, .algorithm, .digits: true
    case .period: kind == .totp
    case .counter: kind == .hotp
    }
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

  /// The known parameters read so far, to detect duplicates.
  struct Seen {
    private var bits: UInt8 = 0

    /// Adds a parameter.
    ///
    /// - Throws: `OTPError` with code `duplicateParameter` if it was there already.
    mutating func insert(_ parameter: KnownParameter) throws(OTPError) {
      let bit: UInt8 = 1 << parameter.rawValue
      guard bits & bit == 0 else { throw OTPError(.duplicateParameter, part: parameter.part) }
      bits |= bit
    }
  }
}
