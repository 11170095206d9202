import Foundation

/// Why an operation was refused.
///
/// It contains no secret, code, token or phone number, so it can be logged and sent on to the client. What only the
/// server may know (whether a code was wrong, late or already used) is in the audit events.
public struct AuthError: Error, Sendable {
  /// What went wrong.
  public let code: Code
  /// When to try again, with the codes `tooManyRequests` and `quotaExceeded`. With `tooManyRequests`, `nil` means not
  /// until an administrator unlocks the factor or, after 100 failures, the user enrolls again.
  public let retryAfter: Date?
  /// Continues the sign-in, with the code `secondFactorRequired`.
  public let resolver: MultiFactorResolver?
  /// What failed on the server, with the code `internalError`, for the server's operator; or `spent`, with the code
  /// `tooManyRequests`, if that is not because of failures but because the store has lost changes. If it is
  /// `cancelled`, for example because the client disconnected while the store or a provider was working, it is unknown
  /// whether the change was made.
  public let reason: AuditEvent.Reason?
  /// Why the store failed, with the reason `store`; `nil` if the store threw an error of its own.
  public let storeError: FactorStoreError?

  /// Whether the operation may have been completed although it failed, with the code `internalError`: a code that was
  /// submitted may be spent, so let the user type the next one. Otherwise no code was spent but perhaps one by text
  /// message or of another ``ExternalFactor``, and the same one can be submitted again, though the attempt may be
  /// counted.
  public var isOutcomeUnknown: Bool {
    switch reason {
    case .cancelled: true
    case .store: storeError.map { $0.kind == .outcomeUnknown } ?? true
    default: false
    }
  }

  /// An error, for a host's own ``ExternalFactor``.
  public init(
    _ code: Code, retryAfter: Date? = nil, resolver: MultiFactorResolver? = nil, reason: AuditEvent.Reason? = nil,
    storeError: FactorStoreError? = nil
  ) {
    self.code = code
    self.retryAfter = retryAfter
    self.resolver = resolver
    self.reason = reason
    self.storeError = storeError
  }
}

extension AuthError: Equatable, Hashable {
  /// True if all but the resolvers are equal: each of those is a sign-in of its own.
  public static func == (left: AuthError, right: AuthError) -> Bool {
    left.code == right.code && left.retryAfter == right.retryAfter && left.reason == right.reason
      && left.storeError == right.storeError
  }

  /// Hashes what is compared.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(retryAfter)
    hasher.combine(reason)
    hasher.combine(storeError)
  }
}

extension AuthError: CustomStringConvertible {
  /// The code's name and number, the reason if there is one, and the kind of the store's error if there is one.
  public var description: String {
    "\(code) (\(code.rawValue))" + (reason.map { ": \($0.rawValue)" } ?? "")
      + (storeError.map { ", \($0.kind.rawValue)" } ?? "")
  }
}
