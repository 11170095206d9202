import OTP

/// Reads key URIs, one a line.
struct URIListParser: SeedParser {
  private var lines: LineReader

  init(_ source: SeedSource) { lines = LineReader(source) }

  var line: Int { lines.line }

  mutating func next() throws(SeedRefusal) -> SeedRecord? {
    try lines.nextRecord { (text, line) throws(SeedRefusal) in
      let uri: OTPAuthURI
      do throws(OTPError) { uri = try OTPAuthURI(utf8: text) } catch { throw SeedRefusal(error, line: line) }
      guard uri.secret.byteCount <= SecretEncoding.maximumByteCount else {
        throw SeedRefusal(line: line, .secret, .tooLong)
      }
      return Seed(uri, line: line)
    }
  }
}

extension Seed {
  /// Creates the key that a key URI describes.
  ///
  /// - Parameters:
  ///   - uri: The URI.
  ///   - line: The line of the file, from 1; 0 if the URI is not from a file.
  public init(_ uri: OTPAuthURI, line: Int = 0) {
    let kind: Kind =
      switch uri.kind {
      case .totp(let period): .totp(period: period)
      case .hotp(let counter): .hotp(counter: counter)
      }
    self.init(
      kind, secret: uri.secret, algorithm: uri.algorithm, digits: uri.digits, account: uri.account, issuer: uri.issuer,
      line: line, dropped: uri.additionalParameters.isEmpty ? [] : [.setting])
  }

  /// The key as a URI, which cannot hold a serial number, a drift, or a last accepted step.
  ///
  /// - Parameter account: The account's name in the URI. If it is `nil`, the first of the key's own account, serial
  ///   number and identifier is used.
  /// - Throws: `OTPError` if the URI would be invalid or too long.
  ///
  /// Timing: does not depend on the secret's bytes.
  public func uri(account: String? = nil) throws(OTPError) -> OTPAuthURI {
    let kind: OTPAuthURI.Kind =
      switch kind {
      case .totp(let period, _, _): .totp(period: period)
      case .hotp(let counter): .hotp(counter: counter)
      }
    return try OTPAuthURI(
      kind, secret: secret, issuer: issuer, account: account ?? self.account ?? serial ?? keyID ?? "",
      algorithm: algorithm, digits: digits)
  }
}

extension SeedRefusal {
  /// Translates an error in a key URI that is read or built.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - line: The line of the file, from 1; 0 if the URI is not from a file.
  public init(_ error: OTPError, line: Int) {
    let field: Field =
      switch error.part {
      case .secret: .secret
      case .type: .type
      case .algorithm: .algorithm
      case .digits: .digits
      case .period: .period
      case .counter: .counter
      case .account, .label: .account
      case .issuer: .issuer
      default: .uri
      }
    let reason: Reason =
      switch error.code {
      case .missingParameter, .emptySecret: .missing
      case .duplicateParameter: .duplicate
      case .uriTooLong: .tooLong
      case .invalidAlgorithm, .invalidType, .invalidIssuer: .unsupported
      case .invalidDigits, .invalidPeriod, .invalidCounter: .outOfRange
      default: .malformed
      }
    self.init(line: line, field, reason)
  }
}
