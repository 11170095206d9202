/// A key URI: `otpauth://TYPE/LABEL?PARAMETERS`, which authenticator apps read from a QR code.
///
/// Source: the key URI format of Google Authenticator, as apps and issuers implement it.
///
/// The URI contains the secret, so `description` and debug descriptions write `secret=…`; only ``uriString()`` and
/// ``uriString(writingDefaults:)`` give the whole text. Reading back what they write always gives an equal value.
public struct OTPAuthURI: Sendable {
  /// The longest URI that is read or written, in bytes.
  public static var maximumByteCount: Int { 2048 }

  /// What kind of code the key is for, and the parameter that belongs to that kind.
  @frozen public enum Kind: Sendable, Hashable {
    /// Time-based codes, with a step of `period` seconds, 1 or more.
    case totp(period: Int64 = 30)
    /// Counter-based codes, starting at `counter`.
    case hotp(counter: UInt64)
  }

  /// A parameter that the format does not define, such as `image`. It is kept, in order, and written back.
  public struct Parameter: Sendable {
    /// The name, in its original case.
    public let name: String
    /// The value; `nil` if there is no `=`.
    public let value: String?

    /// A parameter; `OTPAuthURI` checks the name.
    public init(name: String, value: String?) {
      self.name = name
      self.value = value
    }
  }

  /// What kind of code the key is for.
  public let kind: Kind
  /// The shared secret.
  public let secret: OTPSecret
  /// The hash function. Many apps ignore any other than SHA-1.
  public let algorithm: HashAlgorithm
  /// How many digits a code has.
  public let digits: OTPCode.Digits
  /// The account's name, not empty: what the app shows under the issuer.
  public let account: String
  /// The issuer before the account in the label, if any.
  public let labelIssuer: String?
  /// The value of the parameter `issuer`, if any.
  public let issuerParameter: String?
  /// The parameters that the format does not define for this kind of key, in order. They include a `period` of
  /// counter-based codes and a `counter` of time-based ones: its value is valid and has no effect.
  public let additionalParameters: [Parameter]

  /// The issuer: the parameter's if there is one, else the label's.
  public var issuer: String? { issuerParameter ?? labelIssuer }

  /// A key to hand out.
  ///
  /// - Parameters:
  ///   - kind: Time-based or counter-based.
  ///   - secret: The shared secret.
  ///   - issuer: Who issues the key, without a colon. It is written both before the account and as a parameter. An
  ///     empty text means no issuer.
  ///   - account: The account's name: not empty, without a colon, and not beginning with a space, which readers drop.
  ///   - algorithm: The hash function.
  ///   - digits: How many digits a code has.
  ///   - additionalParameters: Further parameters, such as `image`. A name must not be empty or one that the format
  ///     defines.
  /// - Throws: `OTPError` with code `invalidIssuer`, `invalidAccount`, `invalidPeriod`, `invalidParameterName` or
  ///   `uriTooLong`, and the part's name.
  public init(
    _ kind: Kind, secret: OTPSecret, issuer: String? = nil, account: String, algorithm: HashAlgorithm = .sha1,
    digits: OTPCode.Digits = .six, additionalParameters: [Parameter] = []
  ) throws(OTPError) {
    // An issuer that was read may contain a percent-encoded colon, but new ones must not.
    if let issuer, issuer.utf8.contains(0x3A) { throw OTPError(.invalidIssuer, part: .issuer) }
    for parameter in additionalParameters where KnownParameter(parameter.name) != nil {
      throw OTPError(.invalidParameterName, part: .parameter)
    }
    try self.init(
      kind: kind, secret: secret, algorithm: algorithm, digits: digits, account: account, labelIssuer: issuer,
      issuerParameter: issuer, additionalParameters: additionalParameters)
  }

  /// Every other initializer ends here: what holds for every value is checked here.
  init(
    kind: Kind, secret: OTPSecret, algorithm: HashAlgorithm, digits: OTPCode.Digits, account: String,
    labelIssuer: String?, issuerParameter: String?, additionalParameters: [Parameter]
  ) throws(OTPError) {
    if case .totp(let period) = kind, period < 1 { throw OTPError(.invalidPeriod, part: .period) }
    guard let initial = account.utf8.first, initial != 0x20, !account.utf8.contains(0x3A) else {
      throw OTPError(.invalidAccount, part: .account)
    }
    for parameter in additionalParameters where parameter.name.utf8.isEmpty {
      throw OTPError(.invalidParameterName, part: .parameter)
    }

    self.kind = kind
    self.secret = secret
    self.algorithm = algorithm
    self.digits = digits
    self.account = account
    self.labelIssuer = labelIssuer.nonEmpty
    self.issuerParameter = issuerParameter.nonEmpty
    self.additionalParameters = additionalParameters

    guard encodedByteCount(writingDefaults: false) <= OTPAuthURI.maximumByteCount else {
      throw OTPError(.uriTooLong, part: .uri)
    }
  }
}

extension OTPAuthURI: Equatable {
  /// Whether two URIs have the same properties. Texts are compared byte by byte.
  ///
  /// Timing: depends on everything but the secrets' bytes, which are compared last and in constant time.
  public static func == (left: OTPAuthURI, right: OTPAuthURI) -> Bool {
    left.kind == right.kind && left.algorithm == right.algorithm
      && left.digits == right.digits && sameBytes(left.account, right.account)
      && sameBytes(left.labelIssuer, right.labelIssuer) && sameBytes(left.issuerParameter, right.issuerParameter)
      && left.additionalParameters.elementsEqual(right.additionalParameters) && left.secret == right.secret
  }
}

extension OTPAuthURI.Parameter: Equatable {
  /// Whether two parameters have the same name and value, compared byte by byte.
  public static func == (left: Self, right: Self) -> Bool {
    sameBytes(left.name, right.name) && sameBytes(left.value, right.value)
  }
}

extension OTPAuthURI: Redacted {
  package var redactedDescription: String { encoded(writingDefaults: false, showingSecret: false) }

  /// The URI with `…` in place of the secret and of the values of additional parameters, since these may be secret too.
  public var description: String { redactedDescription }
}

extension OTPAuthURI.Parameter: Redacted {
  package var redactedDescription: String { "OTPAuthURI.Parameter(redacted)" }

  /// A text that reveals neither name nor value.
  public var description: String { redactedDescription }
}

extension OTPAuthURI {
  /// The kind without its parameter, as a URI's type names it.
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
