extension OTPAuthURI {
  /// Deviations from the format's own rules to accept.
  public struct ParsingOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: Int

    /// Options from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Reads `+` in a parameter as a space, for issuers that form-encode. By default it is a plus sign.
    public static var plusIsSpace: ParsingOptions { ParsingOptions(rawValue: 1 << 0) }
    /// Reads an HOTP URI without a counter as one that begins at 0. By default it is an error.
    public static var missingCounterIsZero: ParsingOptions { ParsingOptions(rawValue: 1 << 1) }
    /// Accepts in the secret only what RFC 4648 allows; see ``Base32/decode(_:strict:)``. It requires padding, which
    /// key URIs leave out.
    public static var strictBase32: ParsingOptions { ParsingOptions(rawValue: 1 << 2) }
  }

  /// Reads a URI.
  ///
  /// The scheme, type, parameter names and algorithm names may be in any case. In the label, the first `:` separates
  /// the issuer from the account, or the first `%3A` if there is no `:`; spaces before the account are dropped.
  /// Characters that should have been percent-encoded are accepted as they are, except control characters. Parameters
  /// that the format does not define, or not for this kind of key, are kept as ``additionalParameters``.
  ///
  /// - Parameters:
  ///   - text: The URI, at most 2,048 bytes, both as it is and as ``uriString()`` would write it.
  ///   - options: Deviations from these rules to accept.
  /// - Throws: `OTPError`, whose ``OTPError/part`` names what is wrong.
  ///
  /// Timing: depends on the URI's layout (which bytes are delimiters or escapes), not on the secret's symbols.
  @inlinable public init(_ text: some StringProtocol, options: ParsingOptions = []) throws(OTPError) {
    self = try withUTF8(of: text) { (text) throws(OTPError) in try OTPAuthURI(utf8: text, options: options) }
  }

  /// Reads a URI given as bytes. See ``init(_:options:)``.
  public init(utf8 text: Span<UInt8>, options: ParsingOptions = []) throws(OTPError) {
    guard text.count <= OTPAuthURI.maximumByteCount else { throw OTPError(.uriTooLong, part: .uri) }
    for index in text.indices {
      let isControl = Mask.contains(0x00...0x1F, text[index]) | Mask.equal(text[index], 0x7F)
      // Public: whether a text is well formed.
      guard !isControl.declassified else { throw OTPError(.invalidCharacter, part: .uri, position: index) }
    }
    guard text.firstIndex(of: 0x23) == nil else { throw OTPError(.unexpectedFragment, part: .fragment) }

    let prefix = "otpauth://" as StaticString
    guard text.count >= prefix.utf8CodeUnitCount,
      text.extracting(first: prefix.utf8CodeUnitCount).equalsIgnoringASCIICase(prefix)
    else { throw OTPError(.invalidScheme, part: .scheme) }
    let (beforeQuery, query) = text.split(prefix.utf8CodeUnitCount..<text.count, at: 0x3F)
    let (authority, label) = text.split(beforeQuery, at: 0x2F)

    let kindName = try OTPAuthURI.parseAuthority(text.extracting(authority))
    let (labelIssuer, account) = try OTPAuthURI.parseLabel(text.extracting(label))
    let parameters = try QueryReader(text.extracting(query), kind: kindName, options: options)

    guard let secret = parameters.secret else { throw OTPError(.missingParameter, part: .secret) }
    let kind: Kind
    switch kindName {
    case .totp: kind = .totp(period: parameters.period ?? 30)
    case .hotp:
      guard let counter = parameters.counter ?? (options.contains(.missingCounterIsZero) ? 0 : nil) else {
        throw OTPError(.missingParameter, part: .counter)
      }
      kind = .hotp(counter: counter)
    }
    try self.init(
      kind: kind, secret: secret, algorithm: parameters.algorithm ?? .sha1, digits: parameters.digits ?? .six,
      account: account, labelIssuer: labelIssuer, issuerParameter: parameters.issuer,
      additionalParameters: parameters.additional)
  }

  private static func parseAuthority(_ authority: Span<UInt8>) throws(OTPError) -> KindName {
    guard authority.firstIndex(of: 0x40) == nil, authority.firstIndex(of: 0x3A) == nil else {
      throw OTPError(.invalidAuthority, part: .authority)
    }
    if authority.equalsIgnoringASCIICase("totp") { return .totp }
    if authority.equalsIgnoringASCIICase("hotp") { return .hotp }
    throw OTPError(.invalidType, part: .type)
  }

  private static func parseLabel(_ label: Span<UInt8>) throws(OTPError) -> (issuer: String?, account: String) {
    func decode(_ text: Span<UInt8>) throws(OTPError) -> String {
      try naming(.label) { () throws(OTPError) in try PercentEncoding.decodeText(text) }
    }
    func decodeAccount(_ text: Span<UInt8>) throws(OTPError) -> String {
      String(try decode(text).utf8.drop { $0 == 0x20 }) ?? ""
    }
    guard let separator = labelSeparator(in: label) else { return (nil, try decodeAccount(label)) }
    return (
      try decode(label.extracting(first: separator.lowerBound)),
      try decodeAccount(label.extracting(droppingFirst: separator.upperBound))
    )
  }

  /// The separator of issuer and account: the first literal colon, else the first encoded one.
  private static func labelSeparator(in label: Span<UInt8>) -> Range<Int>? {
    if let colon = label.firstIndex(of: 0x3A) { return colon..<colon + 1 }
    for index in label.indices.dropLast(2) where label[index] == 0x25 {
      if label[index + 1] == 0x33, label[index + 2].asciiLowercased == 0x61 { return index..<index + 3 }
    }
    return nil
  }
}
