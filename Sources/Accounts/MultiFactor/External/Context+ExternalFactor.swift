import Foundation

// Asking external factors.
extension Context {
  /// The factor of a kind, if the host has passed one.
  package func externalFactor(_ kind: FactorKind) -> (any ExternalFactor)? {
    externalFactors.first { $0.factorID == kind.rawValue }
  }

  /// Counts an attempt durably, then asks whether the answer is right.
  ///
  /// - Returns: The factor as it was asked, and its details from now on.
  func ask(_ external: any ExternalFactor, about answer: ExternalAnswer, of uid: String) async throws -> Offer {
    let (time, configuration, signIn) = (events.now(), configuration, answer.session.signIn)
    let kind = FactorKind(rawValue: external.factorID)
    let factor = try await apply(to: signIn.userID) { account throws(Refusal) in
      try account.beginAttempt(on: uid, kind, in: signIn, at: time, under: configuration)
    }
    switch try await verdict(kind, .codeRefused, uid, { try await external.verify(answer, of: factor) }) {
    case .accepted(let details): return .external(factor, details: details)
    case .refused(let reason): throw Refusal.code(reason, uid, kind)
    }
  }

  /// Checks that the user may enroll a factor, then asks whether the answer is right.
  func ask(_ external: any ExternalFactor, about answer: ExternalAnswer) async throws -> Candidate {
    let (signIn, kind) = (answer.session.signIn, FactorKind(rawValue: external.factorID))
    let (account, now) = try await account(admitting: signIn)
    try account.checkMayEnroll(signIn, under: configuration)
    // By then, a session for enrolling would be over, also if the factor has asked without one.
    let latest = configuration.recentLoginInterval + configuration.sessionLifetime
    guard abs(now.timeIntervalSince(signIn.firstFactorDate)) <= latest.timeInterval else {
      throw Refusal(.requiresRecentLogin, .operationRefused, .notRecent)
    }
    switch try await verdict(kind, .enrollmentRefused, nil, { try await external.enroll(answer) }) {
    case .accepted(let details):
      return .external(uid: try randomName(user: signIn.userID), kind, details: details)
    case .refused(let reason): throw Refusal.enrollmentCode(reason, nil, kind)
    }
  }

  private func verdict(
    _ kind: FactorKind, _ event: AuditEvent.Kind, _ uid: String?, _ ask: () async throws -> ExternalVerdict
  ) async throws -> ExternalVerdict {
    do {
      let verdict = try await ask()
      if case .accepted(let details) = verdict, details.count > FactorInfo.maximumDetailsByteCount {
        throw Refusal.serviceFailed(.externalFactor, event, kind, uid)
      }
      return verdict
    } catch  where error is AuthError || error is Refusal {
      throw error
    } catch {
      throw Refusal.serviceFailed(.externalFactor, event, kind, uid)
    }
  }

  /// Changes an external factor's own document about a user.
  package func change<D: Document, R: Sendable>(
    _ kind: FactorKind, of userID: String, _ rule: @escaping @Sendable (inout D) throws(Refusal) -> R
  ) async throws(AuthError) -> R {
    do { return try await documents.change(.external(kind, userID), rule) } catch {
      throw events.error(for: error, userID)
    }
  }

  /// Deletes an external factor's own document about a user.
  package func delete(_ kind: FactorKind, of userID: String) async throws(AuthError) {
    do { try await documents.delete(.external(kind, userID)) } catch { throw events.error(for: error, userID) }
  }

  /// What a factor's user, or an administrator, may know about it; or, as a hint, a client that has verified only the
  /// first factor.
  package func info(of factor: Factor, isHint: Bool = false) -> any MultiFactorInfo {
    guard factor.kind != .totp else {
      return TOTPMultiFactorInfo(
        uid: factor.uid, displayName: factor.displayName, enrollmentDate: factor.enrollmentDate)
    }
    let info = FactorInfo(factor)
    return externalFactor(factor.kind)?.info(of: info, isHint: isHint) ?? info.withoutDetails
  }
}
