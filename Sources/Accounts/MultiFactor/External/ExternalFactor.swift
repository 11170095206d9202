import Foundation
import OTP

/// A kind of second factor whose answers cannot be computed here: a text message, a passkey that the host has verified,
/// anything else that the host asks about.
///
/// A ``MultiFactorAuth`` counts an attempt durably, asks ``verify(_:of:)``, and completes the sign-in durably if the
/// answer was right: whatever the factor does, guesses are limited, and its failures, locks, claims and removal are
/// those of every factor. The factor itself must ensure that an answer is accepted only once, and limit the guesses at
/// an enrollment, which are not counted here.
///
/// ```swift
/// struct Approval: ExternalFactor {
///   let factorID = "approval"
///
///   func factorUID(of answer: ExternalAnswer) -> String { … }
///   func verify(
///     _ answer: ExternalAnswer, of factor: FactorInfo
///   ) async throws -> ExternalVerdict { … }
///   func enroll(
///     _ answer: ExternalAnswer
///   ) async throws -> ExternalVerdict { … }
/// }
/// ```
public protocol ExternalFactor: Sendable {
  /// The kind's name in configurations, hints, claims and events: 1...32 lower-case ASCII letters, digits and hyphens,
  /// and none of `totp`, `hotp`, `recovery` and `remembered`.
  var factorID: String { get }

  /// Which factor an answer at a sign-in is for: its `uid`. It is called before an attempt is counted, to read the
  /// answer and not to check it.
  ///
  /// - Throws: An ``AuthError`` for anything that is not an answer for a factor of this user: no attempt is counted.
  func factorUID(of answer: ExternalAnswer) throws(AuthError) -> String

  /// Checks an answer at a sign-in, whose attempt is counted by now.
  ///
  /// - Throws: Any error: nothing is accepted, the attempt stays counted, and the user gets it if it is an
  ///   ``AuthError``, otherwise `internalError` with the reason `externalFactor`, or `cancelled` if the client has
  ///   disconnected.
  func verify(_ answer: ExternalAnswer, of factor: FactorInfo) async throws -> ExternalVerdict

  /// Checks an answer that enrolls a new factor, as long as a session for that can last. It must refuse one to a
  /// question of a sign-in or of another user, as ``factorUID(of:)`` must one to a question of an enrollment.
  ///
  /// - Throws: As ``verify(_:of:)``.
  func enroll(_ answer: ExternalAnswer) async throws -> ExternalVerdict

  /// What a client may know about an enrolled factor; by default, everything but its details.
  ///
  /// - Parameters:
  ///   - factor: The factor.
  ///   - isHint: Whether the client has verified only the first factor.
  func info(of factor: FactorInfo, isHint: Bool) -> any MultiFactorInfo
}

extension ExternalFactor {
  /// Everything but the factor's details.
  public func info(of factor: FactorInfo, isHint: Bool) -> any MultiFactorInfo { factor.withoutDetails }
}

/// What a user has submitted for an external factor. Its description does not show it.
public struct ExternalAnswer: Sendable {
  /// The question that it answers, as the factor's service has named it.
  public let challenge: String
  /// The answer.
  public let response: String
  /// The sign-in or enrollment.
  package let session: MultiFactorSession
  /// The host's ID for the user who has submitted it, and whose question it must be.
  public var userID: String { session.uid }
}

extension ExternalAnswer: Redacted {}

/// An ``ExternalFactor``'s verdict on an answer.
@nonexhaustive public enum ExternalVerdict: Sendable {
  /// The answer is right. The details are what to keep of the factor, at most 2,048 bytes: at an enrollment, what
  /// distinguishes it from the user's other factors, such as a number or a public key; at a sign-in, the same details,
  /// updated if need be.
  case accepted(details: [UInt8])
  /// The answer is wrong, for a reason that the client does not get.
  case refused(AuditEvent.Reason)
}
