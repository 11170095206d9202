import FactorRecord
import Foundation

/// An event for the server's operator: which user did what with which factor and, if something was refused, the reason,
/// including what the client was not told.
///
/// No event carries a secret, a code, a token or a phone number.
public struct AuditEvent: Sendable, Hashable {
  /// What happened.
  @nonexhaustive public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A first factor was verified, and the user is signed in: a second factor is not required.
    case signedInWithoutSecondFactor = "signed_in_without_second_factor"
    /// A first factor was verified, and a second one is required.
    case secondFactorRequired = "second_factor_required"
    /// A second factor was verified, now or earlier in a browser that is remembered, and the user is signed in.
    case signedIn = "signed_in"
    /// A code was refused.
    case codeRefused = "code_refused"
    /// An attempt was refused without checking the code: the factor is delayed or locked.
    case attemptRefused = "attempt_refused"
    /// A factor was enrolled.
    case enrolled
    /// An enrollment was refused.
    case enrollmentRefused = "enrollment_refused"
    /// A factor was removed.
    case unenrolled
    /// A text message was handed over to the sender.
    case messageSent = "message_sent"
    /// A text message was not sent.
    case messageRefused = "message_refused"
    /// New recovery codes replaced the old ones.
    case recoveryCodesReplaced = "recovery_codes_replaced"
    /// A browser is remembered from now on.
    case browserRemembered = "browser_remembered"
    /// A remembered browser, or all of them, was forgotten.
    case browserForgotten = "browser_forgotten"
    /// An operation was refused before any code was involved: it is disabled, or needs a more recent sign-in.
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
    /// An administrator asked why a code of the user is not accepted.
    case explained
    /// An administrator cleared a factor's failures; with the reason ``Reason/locked``, it had 100, and stays locked.
    case unlocked
    /// An administrator deleted a user's account.
    case userDeleted = "user_deleted"
    /// A user's document was sealed again, with the active key.
    case resealed
    /// The store may have lost acknowledged changes, up to ``FactorStore/lossDate``: no TOTP code is accepted whose
    /// step was in the window by then. Each process reports a loss once, unless it was over a day before the process
    /// began.
    case changesLost = "changes_lost"
    /// The server failed.
    case failed
  }

  /// Why something was refused, or what failed.
  @nonexhaustive public enum Reason: String, Sendable, Hashable, CaseIterable {
    /// The code does not belong to any step or counter nearby.
    case wrong
    /// The code is of the window, and it, or a later one, was already accepted; or it is a recovery code that was used.
    case replayed
    /// The code belongs to a step shortly before the window, whatever was accepted.
    case late
    /// The code belongs to a step shortly after the window.
    case early
    /// The text is not a code.
    case malformed
    /// The factor is delayed after failures.
    case delayed
    /// The factor is locked.
    case locked
    /// The codes that the app shows are spent, because the store has lost changes or a backup of it was restored.
    case spent
    /// The handle, session, token or secret has expired.
    case expired
    /// The handle, session or sign-in was revoked.
    case revoked
    /// The token was changed, or was never issued.
    case invalid
    /// The token belongs to another user.
    case mismatch
    /// There is no such factor or challenge.
    case notFound = "not_found"
    /// The user already has this factor.
    case duplicate
    /// The user already has as many factors as are allowed.
    case tooMany = "too_many"
    /// The first factor was verified too long ago, or no second one was.
    case notRecent = "not_recent"
    /// The e-mail address is not verified.
    case unverifiedEmail = "unverified_email"
    /// This first factor cannot be combined with a second one.
    case unsupportedFirstFactor = "unsupported_first_factor"
    /// The provider is not enabled.
    case disabled
    /// Too many messages.
    case quota
    /// Too few of the messages to numbers with the same prefix were answered.
    case unanswered
    /// The number is not in a region that messages are sent to.
    case region
    /// The request does not come from the host's app.
    case appNotVerified = "app_not_verified"
    /// The client disconnected.
    case cancelled
    /// The store failed.
    case store
    /// A sealed value does not open.
    case sealing
    /// The random source failed.
    case randomness
    /// An external factor failed, or its service.
    case externalFactor = "external_factor"
    /// The provider of text messages failed.
    case sender
    /// The host's app verifier failed.
    case appVerifier = "app_verifier"
    /// The cryptographic library failed.
    case cryptography
    /// The server's clock, or a date that the host passed, is before 2000 or after 2199.
    case clock
  }

  /// When it happened, by the server's clock.
  public let date: Date
  /// What happened.
  public let kind: Kind
  /// Why, if something was refused or failed.
  public let reason: Reason?
  /// The host's ID for the user; `nil` if it is not known, as for an invalid token.
  public let userID: String?
  /// The factor, or `nil`.
  public let factorUID: String?
  /// The kind of factor: ``TOTPMultiFactorID`` and the like, or `nil`.
  public let factorID: String?
  /// The number on the user's list of the recovery code that was used, or `nil`.
  public let recoveryCodeNumber: Int?
  /// Why the store failed, with the reason ``Reason/store``; `nil` if the store threw an error of its own.
  public let storeError: FactorStoreError.Kind?
  /// What explains a code that did not confirm an enrollment, with ``Kind/enrollmentRefused``; `nil` if nothing does.
  /// It is a guess, for the operator: never give it to a client that has not verified the first factor.
  public let diagnosis: FactorRecord.Diagnosis?
  /// With the outcome of ``MultiFactorResolver/resolveSignIn(with:)``, the time since its call, including its
  /// transaction; `nil` with any other event, and with what an external factor reports itself.
  public let duration: Duration?
}

extension AuditEvent.Reason {
  /// Why a function of a record failed.
  init(_ error: FactorRecordError) {
    self =
      switch error.kind {
      case .invalidTime: .clock
      case .randomnessUnavailable: .randomness
      default: .cryptography
      }
  }

  /// Why a record did not accept a code.
  init(_ reason: FactorRecord.Reason) {
    self =
      switch reason {
      case .malformed: .malformed
      case .wrong: .wrong
      case .replayed: .replayed
      case .late: .late
      case .early: .early
      case .disabled: .disabled
      case .pending, .confirmed: .invalid
      case .usedUp: .notFound
      @unknown default: .invalid
      }
  }
}
