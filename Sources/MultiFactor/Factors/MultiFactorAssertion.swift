import FactorRecord
import OTP

/// A user's claim to have a factor, with a code or an answer. `enroll` or `resolveSignIn` verifies it.
public struct MultiFactorAssertion: Sendable {
  enum Content: Sendable {
    case enrollment(EnrollmentSecret, code: String, Context)
    /// One code, or two or three consecutive ones.
    case codes([String], count: ClosedRange<Int>, factor: String, FactorKind)
    case external(FactorKind, ExternalAnswer)
    case recoveryCode(String)
  }

  let content: Content

  init(content: Content) { self.content = content }

  /// The claim that an answer verifies, or enrolls, an external factor.
  ///
  /// - Parameters:
  ///   - factorID: The factor's kind: ``ExternalFactor/factorID``.
  ///   - challenge: What the user was asked, as the factor's service has named it.
  ///   - response: What the user, or the user's device, has answered.
  public init(factorID: String, challenge: String, response: String) {
    content = .external(
      FactorKind(rawValue: factorID), ExternalAnswer(challenge: challenge, response: response))
  }

  /// The kind of factor: ``TOTPMultiFactorID`` and the like.
  public var factorID: String {
    switch content {
    case .enrollment(let secret, _, _): secret.secret.kind.rawValue
    case .codes(_, _, _, let kind), .external(let kind, _): kind.rawValue
    case .recoveryCode: RecoveryCodeMultiFactorID
    }
  }
}

extension MultiFactorAssertion: Redacted {}

// What the rules need. What cannot be a code is not a guess: it is refused without counting an attempt.
extension MultiFactorAssertion {
  /// The offer that this makes at a sign-in. For an external factor, the attempt is then counted, and its service
  /// asked.
  func offer(in session: MultiFactorSession) async throws(AuthError) -> Offer {
    let (context, userID) = (session.context, session.uid)
    switch content {
    case .codes(let texts, let count, let uid, let kind):
      guard !uid.isEmpty else { throw AuthError(.missingMultiFactorInfo) }
      try context.checkAllows(kind, userID)
      guard !texts.isEmpty else { throw AuthError(.missingVerificationCode) }
      guard count ~= texts.count, texts.allSatisfy(CodeText.isShort) else {
        throw context.refused(.code(.malformed, uid, kind), userID)
      }
      guard !texts.contains(where: CodeText.isBlank) else { throw AuthError(.missingVerificationCode) }
      try context.checkIsName(uid, kind, userID)
      return .codes(texts, factor: uid, kind)

    case .external(let kind, let answer):
      let external = try context.allowedFactor(kind, userID)
      guard let uid = try external.factorUID(of: answer, in: session) else {
        throw AuthError(.missingMultiFactorInfo)
      }
      try context.checkIsName(uid, kind, userID)
      return try await context.ask(external, about: answer, of: uid, in: session)

    case .recoveryCode(let text):
      try context.checkAllows(.recovery, userID)
      guard CodeText.isShort(text) else {
        throw context.refused(.code(.malformed, RecoveryCodeMultiFactorID, .recovery), userID)
      }
      guard !CodeText.isBlank(text) else { throw AuthError(.missingVerificationCode) }
      return .codes([text], factor: RecoveryCodeMultiFactorID, .recovery)

    case .enrollment: throw AuthError(.missingMultiFactorInfo)
    }
  }

  /// The factor that this would enroll. The service of an external factor is asked.
  func candidate(in session: MultiFactorSession) async throws(AuthError) -> Candidate {
    let (context, userID) = (session.context, session.uid)
    switch content {
    case .enrollment(let secret, let text, let issuer):
      guard issuer.storeID == context.storeID else { throw AuthError(.invalidMultiFactorSession) }
      let kind = secret.secret.kind
      try context.checkAllows(kind, userID)
      guard secret.userID.hasBytes(of: userID) else {
        throw context.refused(Refusal(.userMismatch, .enrollmentRefused, .mismatch, nil, kind), userID)
      }
      guard CodeText.isShort(text) else {
        throw context.refused(.enrollmentCode(.malformed, secret.uid, kind), userID)
      }
      guard !CodeText.isBlank(text) else { throw AuthError(.missingVerificationCode) }
      return .secret(secret, code: text)

    case .external(let kind, let answer):
      let external = try context.allowedFactor(kind, userID)
      guard try external.factorUID(of: answer, in: session) == nil else {
        throw AuthError(.missingMultiFactorSession)
      }
      return try await context.ask(external, about: answer, in: session)

    case .codes, .recoveryCode: throw AuthError(.missingMultiFactorSession)
    }
  }
}

extension Context {
  fileprivate func checkAllows(_ kind: FactorKind, _ userID: String) throws(AuthError) {
    guard configuration.allows(kind) else { throw refused(.disabled(kind), userID) }
  }

  /// The host's factor of a kind that is enabled.
  fileprivate func allowedFactor(_ kind: FactorKind, _ userID: String) throws(AuthError) -> any ExternalFactor {
    guard configuration.allows(kind), let factor = externalFactor(kind) else {
      throw refused(.disabled(kind), userID)
    }
    return factor
  }

  fileprivate func checkIsName(_ uid: String, _ kind: FactorKind, _ userID: String) throws(AuthError) {
    guard Factor.isName(uid) else {
      throw refused(Refusal(.multiFactorInfoNotFound, .codeRefused, .notFound, uid, kind), userID)
    }
  }
}

/// A code as a person typed it, on any keyboard: read by the engine's rule, ``OTP/TypedDigits``.
package enum CodeText {
  /// Whether a text is short enough to be a code: any other is refused without a look at the store.
  static func isShort(_ text: String) -> Bool { text.utf8.count <= 4 * TypedDigits.maximumScalarCount }

  /// Whether nothing was typed, or only what may stand between digits.
  ///
  /// Timing: depends on what is before the first digit.
  static func isBlank(_ text: String) -> Bool {
    var typed = TypedDigits()
    return text.utf8.allSatisfy { byte in
      do throws(OTPError) { return try typed.read(byte) == nil } catch { return false }
    }
  }

  /// The ASCII digits of a text, empty if it contains only separators, or `nil` if it is not a code.
  ///
  /// Timing: as `SubmittedCode(typed:)`.
  private static func canonical(_ text: String) -> String? {
    var typed = TypedDigits()
    var canonical = ""
    do throws(OTPError) {
      for byte in text.utf8 {
        if let digit = try typed.read(byte) { canonical.unicodeScalars.append(Unicode.Scalar(digit)) }
      }
      try typed.end()
    } catch {
      return nil
    }
    return canonical
  }

  /// The ASCII digits of a text that has as many as a code, or `nil` if it is not a code.
  ///
  /// - Throws: ``AuthError`` with code `missingVerificationCode` if nothing was typed.
  ///
  /// Timing: as ``canonical(_:)``.
  package static func digits(of text: String, _ lengths: ClosedRange<Int>) throws(AuthError) -> String? {
    guard let canonical = canonical(text) else { return nil }
    guard !canonical.isEmpty else { throw AuthError(.missingVerificationCode) }
    return lengths.contains(canonical.utf8.count) ? canonical : nil
  }
}
