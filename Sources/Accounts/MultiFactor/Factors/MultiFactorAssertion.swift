import FactorRecord
import OTP

/// A user's claim to have a factor, with a code or an answer. `enroll` or `resolveSignIn` verifies it.
public struct MultiFactorAssertion: Sendable {
  enum Content: Sendable {
    case enrollment(EnrollmentSecret, code: String, FactorKind)
    /// One code, or two or three consecutive ones; or a recovery code.
    case codes([String], count: ClosedRange<Int>, factor: String, FactorKind)
    case external(FactorKind, challenge: String, response: String)
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
    content = .external(FactorKind(rawValue: factorID), challenge: challenge, response: response)
  }

  /// The kind of factor: ``TOTPMultiFactorID`` and the like.
  public var factorID: String {
    switch content {
    case .enrollment(_, _, let kind), .codes(_, _, _, let kind), .external(let kind, _, _): kind.rawValue
    }
  }
}

extension MultiFactorAssertion: Redacted {}

// What the rules need. What cannot be a code is not a guess: it is refused without counting an attempt.
extension MultiFactorAssertion {
  /// The offer that this makes at a sign-in. For an external factor, the attempt is then counted, and its service
  /// asked.
  nonisolated(nonsending) func offer(in session: MultiFactorSession) async throws -> Offer {
    let context = session.context
    switch content {
    case .codes(let texts, let count, let uid, let kind):
      guard !uid.isEmpty else { throw AuthError(.missingMultiFactorInfo) }
      try context.checkAllows(kind)
      guard !texts.isEmpty else { throw AuthError(.missingVerificationCode) }
      guard count ~= texts.count, texts.allSatisfy(TypedCode.isShort) else { throw Refusal.code(.malformed, uid, kind) }
      guard !texts.contains(where: TypedCode.isBlank) else { throw AuthError(.missingVerificationCode) }
      guard Factor.isName(uid) else { throw Refusal.notFound(uid, kind) }
      return .codes(texts, factor: uid, kind)

    case .external(let kind, let challenge, let response):
      let external = try context.allowedFactor(kind)
      let answer = ExternalAnswer(challenge: challenge, response: response, session: session)
      let uid = try external.factorUID(of: answer)
      guard Factor.isName(uid) else { throw Refusal.notFound(uid, kind) }
      return try await context.ask(external, about: answer, of: uid)

    case .enrollment: throw AuthError(.missingMultiFactorInfo)
    }
  }

  /// The factor that this would enroll. The service of an external factor is asked.
  func candidate(in session: MultiFactorSession) async throws -> Candidate {
    let context = session.context
    switch content {
    case .enrollment(let issued, let text, let kind):
      let secret = issued.content
      guard secret.kind == kind, issued.context.documents.storeID == context.documents.storeID else {
        throw AuthError(.invalidMultiFactorSession)
      }
      try context.checkAllows(kind)
      guard secret.userID.hasBytes(of: session.uid) else {
        throw Refusal(.userMismatch, .enrollmentRefused, .mismatch, nil, kind)
      }
      guard TypedCode.isShort(text) else { throw Refusal.enrollmentCode(.malformed, secret.uid, kind) }
      guard !TypedCode.isBlank(text) else { throw AuthError(.missingVerificationCode) }
      return .secret(secret, code: text)

    case .external(let kind, let challenge, let response):
      let answer = ExternalAnswer(challenge: challenge, response: response, session: session)
      return try await context.ask(try context.allowedFactor(kind), about: answer)

    case .codes: throw AuthError(.missingMultiFactorSession)
    }
  }
}

extension Context {
  fileprivate func checkAllows(_ kind: FactorKind) throws(Refusal) {
    guard configuration.allows(kind) else { throw .disabled(kind) }
  }

  /// The host's factor of a kind that is enabled.
  fileprivate func allowedFactor(_ kind: FactorKind) throws(Refusal) -> any ExternalFactor {
    guard configuration.allows(kind), let factor = externalFactor(kind) else { throw .disabled(kind) }
    return factor
  }
}

/// What can be said of a typed code before it is read.
private enum TypedCode {
  /// Whether a text is short enough to be a code: any other is refused without a look at the store.
  static func isShort(_ text: String) -> Bool { text.utf8.count <= 4 * TypedCharacters.maximumCount }

  /// Whether nothing was typed, or only what may stand between digits.
  ///
  /// Timing: depends on what is before the first digit.
  static func isBlank(_ text: String) -> Bool {
    var typed = TypedDigits()
    return text.utf8.allSatisfy { byte in
      do throws(OTPError) { return try typed.read(byte) == nil } catch { return false }
    }
  }
}
