import OTP

/// Reads key URIs, one a line.
struct URIListParser: SeedParser {
  private var lines: LineReader

  init(_ source: SeedSource) { lines = LineReader(source) }

  var line: Int { lines.line }

  mutating func next() throws(SeedRefusal) -> SeedRecord? {
    while try lines.next() {
      let line = line
      let record: SeedRecord? = try lines.text.withBytes { (text) throws(SeedRefusal) in
        let text = text.extracting(text.trimmed)
        if text.begins(with: "#") { return nil }
        do throws(OTPError) {
          return .seed(Seed(try OTPAuthURI(utf8: text), line: line))
        } catch {
          return .refused(SeedRefusal(error, line: line))
        }
      }
      if let record { return record }
    }
    return nil
  }
}

extension Seed {
  /// What a key URI describes.
  ///
  /// - Parameters:
  ///   - uri: The URI.
  ///   - line: Where it is in its file, from 1; 0 for nowhere.
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

  /// The key as a URI, which has no place for a serial number, a drift, or a last accepted step.
  ///
  /// - Parameters:
  ///   - account: The account's name in the URI; `nil` takes the key's own account, serial number or name, the first
  ///     that there is.
  /// - Throws: `OTPError` if the URI is not one, or would be too long.
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
  /// What is wrong with a key URI.
  init(_ error: OTPError, line: Int) {
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
      case .invalidAlgorithm, .invalidType: .unsupported
      case .invalidDigits, .invalidPeriod, .invalidCounter: .outOfRange
      default: .malformed
      }
    self.init(line: line, field, reason)
  }
}
