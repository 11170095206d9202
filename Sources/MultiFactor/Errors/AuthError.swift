import Foundation

/// Why an operation was refused.
///
/// It contains no secret, code, token or phone number, so it can be logged and sent on to the client. What only the
/// server may know (whether a code was wrong, late or already used) is in the audit events. The SDK's samples call it ``AuthErrorCode``.
public struct AuthError: Error, Sendable {
  /// What went wrong.
  public let code: Code
  /// When to try again, with the codes `tooManyRequests` and `quotaExceeded`. With `tooManyRequests`, `nil` means not
  /// until an administrator unlocks the factor.
  public let retryAfter: Date?
  /// Continues the sign-in, with the code `secondFactorRequired`.
  public let resolver: MultiFactorResolver?
  /// What failed on the server, with the code `internalError`: a fixed word, for the server's operator.
  public let reason: Reason?

  /// What can fail on the server.
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
    /// The task was cancelled, for example because the client disconnected, while the store or a provider was working.
    /// It is unknown whether the change was made.
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

/// The name of ``AuthError`` in the SDK's samples.
public typealias AuthErrorCode = AuthError

// The SDK's names; this project's convention would start them in lower case.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The domain of an ``AuthError`` as an `NSError`.
public let AuthErrorDomain = "FIRAuthErrorDomain"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the ``MultiFactorResolver`` in ``AuthError/userInfo``.
public let AuthErrorUserInfoMultiFactorResolverKey = "FIRAuthErrorUserInfoMultiFactorResolverKey"

extension AuthError: CustomNSError {
  /// The resolver, under ``AuthErrorUserInfoMultiFactorResolverKey``, and the description, as in the SDK's errors.
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
  /// True if the codes, the reasons and ``retryAfter`` are equal. Resolvers are not compared: each is a sign-in of its
  /// own.
  public static func == (left: AuthError, right: AuthError) -> Bool {
    left.code == right.code && left.retryAfter == right.retryAfter && left.reason == right.reason
  }

  /// Hashes the code, the reason and ``retryAfter``.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(retryAfter)
    hasher.combine(reason)
  }
}

extension AuthError: CustomStringConvertible {
  /// The code's name and number, and the reason if there is one.
  public var description: String {
    if let reason { "\(code) (\(code.rawValue)): \(reason.rawValue)" } else { "\(code) (\(code.rawValue))" }
  }
}
