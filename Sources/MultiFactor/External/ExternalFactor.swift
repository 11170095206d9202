import Foundation
import OTP

/// A kind of second factor whose answers cannot be computed here: a text message, a passkey that the host has verified,
/// anything else that the host asks about.
///
/// A ``MultiFactorAuth`` counts an attempt durably, asks ``verify(_:of:in:)``, and completes the sign-in durably if the
/// answer was right: whatever the factor does, guesses are limited, and its failures, locks, claims and removal are
/// those of every factor. The factor itself must ensure that an answer is accepted only once, and limit the guesses at
/// an enrollment, which are not counted here.
///
/// ```swift
/// struct Approval: ExternalFactor {
///   let factorID = "approval"
///
///   func factorUID(
///     of answer: ExternalAnswer, in session: MultiFactorSession
///   ) -> String? { … }
///   func verify(
///     _ answer: ExternalAnswer, of factor: ExternalFactorInfo?,
///     in session: MultiFactorSession
///   ) async throws -> ExternalVerdict { … }
/// }
/// ```
public protocol ExternalFactor: Sendable {
  /// The kind's name in configurations, hints, claims and events: 1...32 lower-case ASCII letters, digits and hyphens,
  /// and none of `totp`, `hotp` and `recovery`; `remembered` is that of `RememberedBrowsers`.
  var factorID: String { get }

  /// Which factor an answer is for. It is called before an attempt is counted, to read the answer and not to check it.
  ///
  /// - Returns: The `uid` of an enrolled factor, or `nil` if the answer is one for an enrollment.
  /// - Throws: An ``AuthError`` for anything that is not an answer: no attempt is counted.
  func factorUID(of answer: ExternalAnswer, in session: MultiFactorSession) throws(AuthError) -> String?

  /// Checks an answer.
  ///
  /// - Parameters:
  ///   - answer: What the user has submitted.
  ///   - factor: The factor that it is for, whose attempt is counted by now; `nil` at an enrollment.
  ///   - session: The sign-in or enrollment: its user.
  /// - Throws: Any error: nothing is accepted, the attempt stays counted, and the user gets it if it is an
  ///   ``AuthError``, otherwise `internalError` with the reason `externalFactor`, or `cancelled` if the client has
  ///   disconnected.
  func verify(
    _ answer: ExternalAnswer, of factor: ExternalFactorInfo?, in session: MultiFactorSession
  ) async throws -> ExternalVerdict

  /// What a client may know about an enrolled factor; by default, everything but its details.
  ///
  /// - Parameters:
  ///   - factor: The factor.
  ///   - isHint: Whether the client has verified only the first factor.
  func info(of factor: ExternalFactorInfo, isHint: Bool) -> any MultiFactorInfo
}

extension ExternalFactor {
  /// Everything but the factor's details.
  public func info(of factor: ExternalFactorInfo, isHint: Bool) -> any MultiFactorInfo { factor.withoutDetails }
}

/// What a user has submitted for an external factor. Its description does not show it.
public struct ExternalAnswer: Sendable {
  /// The question that it answers, as the factor's service has named it.
  public let challenge: String
  /// The answer.
  public let response: String
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

/// An enrolled external factor, with its details. Its description does not show them.
public struct ExternalFactorInfo: MultiFactorInfo, Hashable {
  /// The factor's name.
  public let uid: String
  /// What the user calls it.
  public let displayName: String?
  /// The kind's name: ``ExternalFactor/factorID``.
  public let factorID: String
  /// When it was enrolled.
  public let enrollmentDate: Date
  /// What the verdict at the enrollment, or at a later sign-in, contained; empty for a client.
  public let details: [UInt8]

  /// The maximum length of the details, in bytes.
  package static let maximumDetailsByteCount = 2048

  var withoutDetails: ExternalFactorInfo {
    ExternalFactorInfo(
      uid: uid, displayName: displayName, factorID: factorID, enrollmentDate: enrollmentDate, details: [])
  }
}

extension ExternalFactorInfo: Redacted {}

extension ExternalFactorInfo {
  /// `nil` if the factor's codes can be computed.
  init?(_ factor: Factor) {
    guard case .external(let kind, let details, _) = factor.content else { return nil }
    self.init(
      uid: factor.uid, displayName: factor.displayName, factorID: kind.rawValue,
      enrollmentDate: factor.enrollmentDate, details: details)
  }
}
