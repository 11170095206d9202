import OTP

/// A key as another system's file holds it, with what that file says of it.
///
/// It is redacted: neither description nor mirror shows anything of it.
public struct Seed: Sendable {
  /// What kind of code the key is for, with what only that kind has.
  @frozen public enum Kind: Sendable, Hashable {
    /// Codes by time.
    ///
    /// - `period`: The length of a step in seconds, 1 or more.
    /// - `drift`: By how many steps the device's clock is ahead of the server's; negative if it is behind.
    /// - `lastAcceptedStep`: The step that the other system accepted last, by the device's clock.
    case totp(period: Int64 = 30, drift: Int64 = 0, lastAcceptedStep: UInt64? = nil)
    /// Codes by counter, the next of which is that of `counter`.
    case hotp(counter: UInt64)
  }

  /// What kind of code the key is for.
  public let kind: Kind
  /// The shared secret.
  public let secret: OTPSecret
  /// The hash function.
  public let algorithm: HashAlgorithm
  /// How many digits a code has.
  public let digits: OTPCode.Digits
  /// The serial number of the device, if the file has one.
  public let serial: String?
  /// The key's own name in the file, where a device can have several.
  public let keyID: String?
  /// Whose key it is, as the other system names them; `nil` if the file does not say.
  public let account: String?
  /// Who issued the key.
  public let issuer: String?
  /// What its user calls it.
  public let displayName: String?
  /// The line of the file that the key begins on, from 1.
  public let line: Int
  /// What the file says of this key that has no place here: it is dropped, and a report should say so.
  public let dropped: [SeedRefusal.Field]

  /// A key with what is known of it.
  ///
  /// - Parameters:
  ///   - kind: By time or by counter.
  ///   - secret: The shared secret, of any length; see `OTPSecret.isWeak`.
  ///   - algorithm: The hash function.
  ///   - digits: How many digits a code has.
  ///   - serial: The device's serial number.
  ///   - keyID: The key's name in its file.
  ///   - account: Whose key it is.
  ///   - issuer: Who issued it.
  ///   - displayName: What its user calls it.
  ///   - line: Where it is in its file, from 1; 0 for nowhere.
  ///   - dropped: What was there and is not here.
  public init(
    _ kind: Kind, secret: OTPSecret, algorithm: HashAlgorithm = .sha1, digits: OTPCode.Digits = .six,
    serial: String? = nil, keyID: String? = nil, account: String? = nil, issuer: String? = nil,
    displayName: String? = nil, line: Int = 0, dropped: [SeedRefusal.Field] = []
  ) {
    self.kind = kind
    self.secret = secret
    self.algorithm = algorithm
    self.digits = digits
    self.serial = serial
    self.keyID = keyID
    self.account = account
    self.issuer = issuer
    self.displayName = displayName
    self.line = line
    self.dropped = dropped
  }

  /// The Unix time at which step 0 of codes by time began by the device's clock, so that its drift is part of the
  /// steps; 0 without drift, and for codes by counter.
  ///
  /// - Throws: ``SeedRefusal`` for a drift that no time in seconds expresses.
  public func t0() throws(SeedRefusal) -> Int64 {
    guard case .totp(let period, let drift, _) = kind else { return 0 }
    let (time, isTooFar) = drift.multipliedReportingOverflow(by: period)
    guard !isTooFar, time != .min else { throw SeedRefusal(line: line, .drift, .outOfRange) }
    return -time
  }
}

extension Seed: Redacted {
  package var redactedDescription: String { "Seed(redacted)" }

  /// A text that shows nothing of the key.
  public var description: String { redactedDescription }
}

/// What a reader comes to next in a file.
@frozen public enum SeedRecord: Sendable {
  /// A key.
  case seed(Seed)
  /// A key that is not one, or not one for here; what comes after it can be read.
  case refused(SeedRefusal)
}
