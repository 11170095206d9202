import OTP

/// A key from another system's file, with what that file says about it.
///
/// Its description and mirror are redacted.
public struct Seed: Sendable {
  /// TOTP or HOTP, with the properties that only that kind has.
  @frozen public enum Kind: Sendable, Hashable {
    /// TOTP.
    ///
    /// - `period`: The length of a step in seconds, 1 or more.
    /// - `drift`: The number of steps by which the device's clock is ahead of the server's; negative if it is behind.
    /// - `lastAcceptedStep`: The step that the other system accepted last, by the device's clock.
    case totp(period: Int64 = 30, drift: Int64 = 0, lastAcceptedStep: UInt64? = nil)
    /// HOTP; `counter` is that of the next code.
    case hotp(counter: UInt64)
  }

  /// TOTP or HOTP.
  public let kind: Kind
  /// The shared secret.
  public let secret: OTPSecret
  /// The hash function.
  public let algorithm: HashAlgorithm
  /// The number of digits in a code.
  public let digits: OTPCode.Digits
  /// The serial number of the device, if the file has one.
  public let serial: String?
  /// The key's identifier in the file, if it has one: a device can have several keys.
  public let keyID: String?
  /// The other system's name for the account; `nil` if the file does not say.
  public let account: String?
  /// The issuer, if the file names one.
  public let issuer: String?
  /// The user's name for the key, if the file has one.
  public let displayName: String?
  /// How many attempts have failed in the other system since the last success.
  public let failures: Int
  /// Whether a code has confirmed the enrollment in the other system. Most files have only such keys, and do not say.
  public let isConfirmed: Bool
  /// The line of the file on which the key begins, from 1; 0 if it is not from a file.
  public let line: Int
  /// The properties of the key in the file that cannot be kept. A report should list them.
  public let dropped: [SeedRefusal.Field]

  /// Creates a key.
  ///
  /// - Parameters:
  ///   - kind: TOTP or HOTP.
  ///   - secret: The shared secret, of any length; see `OTPSecret.isWeak`.
  ///   - algorithm: The hash function.
  ///   - digits: The number of digits in a code.
  ///   - serial: The device's serial number.
  ///   - keyID: The key's identifier in the file.
  ///   - account: The account's name.
  ///   - issuer: The issuer.
  ///   - displayName: The user's name for the key.
  ///   - failures: How many attempts have failed since the last success.
  ///   - isConfirmed: Whether a code has confirmed the enrollment.
  ///   - line: The line of the file, from 1; 0 if the key is not from a file.
  ///   - dropped: The properties that were in the file and cannot be kept.
  public init(
    _ kind: Kind, secret: OTPSecret, algorithm: HashAlgorithm = .sha1, digits: OTPCode.Digits = .six,
    serial: String? = nil, keyID: String? = nil, account: String? = nil, issuer: String? = nil,
    displayName: String? = nil, failures: Int = 0, isConfirmed: Bool = true, line: Int = 0,
    dropped: [SeedRefusal.Field] = []
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
    self.failures = failures
    self.isConfirmed = isConfirmed
    self.line = line
    self.dropped = dropped
  }

  /// The name to show for the key: the user's own; else the device's serial number; else issuer and account, as in the
  /// label of a key URI (`Example:alice`). `nil` if the file says no more than the account.
  public var label: String? {
    if let name = displayName ?? serial { return name }
    guard let issuer else { return nil }
    return account.map { "\(issuer):\($0)" } ?? issuer
  }

  /// The Unix time at which step 0 began by the device's clock. With this `t0`, the server's steps are the device's; it
  /// is 0 for a key without drift and for HOTP.
  ///
  /// - Throws: ``SeedRefusal`` for a drift that overflows when converted to seconds.
  public func t0() throws(SeedRefusal) -> Int64 {
    guard case .totp(let period, let drift, _) = kind else { return 0 }
    let (time, isTooFar) = drift.multipliedReportingOverflow(by: period)
    guard !isTooFar, time != .min else { throw SeedRefusal(line: line, .drift, .outOfRange) }
    return -time
  }
}

extension Seed: Redacted {
  package var redactedDescription: String { "Seed(redacted)" }

  /// A fixed text that shows nothing about the key.
  public var description: String { redactedDescription }
}

/// The next record of a file.
@frozen public enum SeedRecord: Sendable {
  /// A key that was read.
  case seed(Seed)
  /// A key that is malformed or cannot be used here. The reader can continue after it.
  case refused(SeedRefusal)
}
