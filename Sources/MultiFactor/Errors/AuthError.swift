import Foundation

/// Why an operation was refused.
///
/// It carries what a client may know and nothing else: no secret, code, token or phone number, so that it can be logged
/// and sent on. What only the server may know (whether a code was wrong, late or used before) is in the audit events.
/// Two errors are equal when their codes are. The SDK's samples call it ``AuthErrorCode``.
public struct AuthError: Error, Sendable {
  /// What went wrong.
  public let code: Code
  /// When it makes sense to try again, with the codes `tooManyRequests` and `quotaExceeded`. `nil` with
  /// `tooManyRequests` means: not before an administrator unlocks the factor.
  public let retryAfter: Date?
  /// Goes on with the sign-in, with the code `secondFactorRequired`.
  public let resolver: MultiFactorResolver?
  /// What the server failed at, with the code `internalError`: fixed words, for the server's operator.
  public let reason: Reason?

  /// What a server can fail at.
  @nonexhaustive public enum Reason: String, Sendable {
    /// The store threw, or lost what it was given.
    case store
    /// A document does not open: it was changed, belongs to another key or store, or its key is gone.
    case sealing
    /// The random generator failed.
    case randomness
    /// The provider of text messages failed.
    case smsSender
    /// The host's app verifier failed.
    case appVerifier
    /// The cryptographic library failed.
    case cryptography
    /// The task was cancelled, by a client that has hung up for one, while the store or a provider was at work. Whether
    /// the change was made is not known.
    case cancelled
  }

  init(
    _ code: Code, retryAfter: Date? = nil, resolver: MultiFactorResolver? = nil, reason: Reason? = nil
  ) {
    self.code = code
    self.retryAfter = retryAfter
    self.resolver = resolver
    self.reason = reason
  }
}

/// The name that the SDK's samples have for ``AuthError``.
public typealias AuthErrorCode = AuthError

// The SDK's names; by this project's they would begin in lower case.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The domain that an ``AuthError`` has as an `NSError`.
public let AuthErrorDomain = "FIRAuthErrorDomain"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key under which ``AuthError/userInfo`` has the ``MultiFactorResolver``.
public let AuthErrorUserInfoMultiFactorResolverKey = "FIRAuthErrorUserInfoMultiFactorResolverKey"

extension AuthError: CustomNSError {
  /// The resolver, under ``AuthErrorUserInfoMultiFactorResolverKey``, and the description: as the SDK's errors have them.
  public var userInfo: [String: Any] {
    var userInfo: [String: Any] = [NSLocalizedDescriptionKey: description]
    userInfo[AuthErrorUserInfoMultiFactorResolverKey] = resolver
    return userInfo
  }

  /// ``AuthErrorDomain``.
  public static var errorDomain: String { AuthErrorDomain }
  /// The code's number.
  public var errorCode: Int { code.rawValue }
  /// ``userInfo``.
  public var errorUserInfo: [String: Any] { userInfo }
}

extension AuthError: Equatable, Hashable {
  /// True where the codes are equal.
  public static func == (left: AuthError, right: AuthError) -> Bool { left.code == right.code }

  /// Hashes the code.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension AuthError: CustomStringConvertible {
  /// The code by its name and number, and the reason where there is one.
  public var description: String {
    if let reason { "\(code) (\(code.rawValue)): \(reason.rawValue)" } else { "\(code) (\(code.rawValue))" }
  }
}
