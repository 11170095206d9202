import Foundation

/// Something that the operator of the server may want to know of: who did what with which factor, and why something was
/// refused that the client was told less about.
///
/// No event carries a secret, a code, a token or a phone number.
public struct AuditEvent: Sendable, Hashable {
  /// What happened.
  @nonexhaustive public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A first factor was proved, and the user has no second one: signed in.
    case signedInWithoutSecondFactor = "signed_in_without_second_factor"
    /// A first factor was proved, and a second one was asked for.
    case secondFactorRequired = "second_factor_required"
    /// A second factor was proved: signed in.
    case signedIn = "signed_in"
    /// A code was refused.
    case codeRefused = "code_refused"
    /// An attempt was refused without a look at the code: the factor is delayed or locked.
    case attemptRefused = "attempt_refused"
    /// A factor was enrolled.
    case enrolled
    /// An enrolment was refused.
    case enrollmentRefused = "enrollment_refused"
    /// A factor was removed.
    case unenrolled
    /// A text message was handed to the sender.
    case messageSent = "message_sent"
    /// A text message was not sent.
    case messageRefused = "message_refused"
    /// New recovery codes replaced the old ones.
    case recoveryCodesReplaced = "recovery_codes_replaced"
    /// Something was refused before any code came into it: it is disabled, or needs a more recent sign-in.
    case operationRefused = "operation_refused"
    /// The user's handles were revoked.
    case handlesRevoked = "handles_revoked"
    /// A handle, session or token was refused: changed, expired, revoked, or another user's.
    case tokenRefused = "token_refused"
    /// An administrator added a factor.
    case imported
    /// An administrator replaced the user's factors.
    case overwritten
    /// An administrator was shown a factor's secret.
    case exported
    /// An administrator cleared a factor's failures.
    case unlocked
    /// An administrator deleted all that was held of a user.
    case userDeleted = "user_deleted"
    /// A user's document was sealed again, by the active key.
    case resealed
    /// The server failed.
    case failed
  }

  /// Why something was refused, or what failed.
  @nonexhaustive public enum Reason: String, Sendable, Hashable, CaseIterable {
    /// The code is not the right one at any time near.
    case wrong
    /// The code, or a later one, was accepted before.
    case replayed
    /// The code is of a step not long before the window.
    case late
    /// The code is of a step not long after the window.
    case early
    /// The text is not a code.
    case malformed
    /// The factor waits after failures.
    case delayed
    /// The factor is locked.
    case locked
    /// It has expired.
    case expired
    /// It was revoked.
    case revoked
    /// It was changed, or was never issued.
    case invalid
    /// It belongs to another user.
    case mismatch
    /// There is no such factor or challenge.
    case notFound = "not_found"
    /// The user has it already.
    case duplicate
    /// The user has as many factors as are allowed.
    case tooMany = "too_many"
    /// The first factor was proved too long ago, or no second one was.
    case notRecent = "not_recent"
    /// The e-mail address is not verified.
    case unverifiedEmail = "unverified_email"
    /// No second factor goes with this first one.
    case unsupportedFirstFactor = "unsupported_first_factor"
    /// The provider is not enabled.
    case disabled
    /// Too many messages.
    case quota
    /// Too few of the messages to numbers that begin alike were answered.
    case unproved
    /// The number is in no region that messages are sent to.
    case region
    /// The request does not come from the host's app.
    case appNotVerified = "app_not_verified"
    /// The client has hung up.
    case cancelled
    /// Failed: the store.
    case store
    /// Failed: a sealed value does not open.
    case sealing
    /// Failed: the random source.
    case randomness
    /// Failed: the provider of text messages.
    case sender
    /// Failed: the host's app verifier.
    case appVerifier = "app_verifier"
    /// Failed: the cryptographic library.
    case cryptography
  }

  /// When it happened, by the server's clock.
  public let date: Date
  /// What happened.
  public let kind: Kind
  /// Why, where something was refused or failed.
  public let reason: Reason?
  /// The host's name for the user; `nil` where a token does not say.
  public let userID: String?
  /// The factor, or `nil`.
  public let factorUID: String?
  /// The kind of factor: ``TOTPMultiFactorID`` and the like, or `nil`.
  public let factorID: String?
  /// The number of the recovery code that was used, by the user's list, or `nil`.
  public let recoveryCodeNumber: Int?
  /// How long the sign-in by a second factor had taken by then, from ``MultiFactorResolver/resolveSignIn(with:)`` on, its
  /// transaction included; `nil` for what happens elsewhere.
  public let duration: Duration?
}

extension AuditEvent.Reason {
  /// What an error of the server's says to its operator.
  init?(_ reason: AuthError.Reason) {
    switch reason {
    case .store: self = .store
    case .sealing: self = .sealing
    case .randomness: self = .randomness
    case .smsSender: self = .sender
    case .appVerifier: self = .appVerifier
    case .cryptography: self = .cryptography
    case .cancelled: return nil
    }
  }
}

/// The audit events of a ``MultiFactorAuth``, from the moment on when this sequence was asked for.
///
/// Each `for await` loop should have a sequence of its own. A loop that falls more than 4,096 events behind loses the
/// oldest: keep the whole record by a loop that only writes events on.
public struct AuditEvents: AsyncSequence, Sendable {
  let stream: AsyncStream<AuditEvent>

  /// Iterates over the events as they happen.
  public struct AsyncIterator: AsyncIteratorProtocol {
    var iterator: AsyncStream<AuditEvent>.Iterator

    /// The next event; `nil` once the ``MultiFactorAuth`` is gone.
    public mutating func next() async -> AuditEvent? { await iterator.next() }
  }

  /// An iterator.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(iterator: stream.makeAsyncIterator()) }
}
