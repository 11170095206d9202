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
  func ask(
    _ external: any ExternalFactor, about answer: ExternalAnswer, of uid: String, in session: MultiFactorSession
  ) async throws(AuthError) -> Offer {
    let (time, configuration, signIn) = (now(), configuration, session.signIn)
    let kind = FactorKind(rawValue: external.factorID)
    let factor = try await change(signIn.userID) { account throws(Refusal) in
      try account.beginAttempt(on: uid, kind, in: signIn, at: time, under: configuration)
    }
    switch try await verdict(of: external, on: answer, factor, in: session) {
    case .accepted(let details): return .external(factor, details: details)
    case .refused(let reason): throw refused(.code(reason, uid, kind), signIn.userID)
    }
  }

  /// Checks that the user may enroll a factor, then asks whether the answer is right.
  func ask(
    _ external: any ExternalFactor, about answer: ExternalAnswer, in session: MultiFactorSession
  ) async throws(AuthError) -> Candidate {
    let (signIn, kind) = (session.signIn, FactorKind(rawValue: external.factorID))
    let (account, _) = try await account(admitting: signIn)
    do { try account.checkMayEnroll(signIn, under: configuration) } catch { throw refused(error, signIn.userID) }
    switch try await verdict(of: external, on: answer, nil, in: session) {
    case .accepted(let details):
      return .external(uid: try randomName(user: signIn.userID), kind, details: details)
    case .refused(let reason): throw refused(.enrollmentCode(reason, nil, kind), signIn.userID)
    }
  }

  private func verdict(
    of external: any ExternalFactor, on answer: ExternalAnswer, _ factor: Factor?, in session: MultiFactorSession
  ) async throws(AuthError) -> ExternalVerdict {
    do {
      let verdict = try await external.verify(answer, of: factor.flatMap(ExternalFactorInfo.init), in: session)
      if case .accepted(let details) = verdict, details.count > ExternalFactorInfo.maximumDetailsByteCount {
        throw AuthError(.internalError, reason: .externalFactor)
      }
      return verdict
    } catch let error as AuthError {
      throw error
    } catch {
      throw externalFailure(
        .externalFactor, FactorKind(rawValue: external.factorID), session.uid,
        factor == nil ? .enrollmentRefused : .codeRefused, factor: factor?.uid)
    }
  }

  /// Changes an external factor's own document about a user.
  package func change<D: Document, R: Sendable>(
    _ kind: FactorKind, of userID: String, _ rule: @escaping @Sendable (inout D) throws(Refusal) -> R
  ) async throws(AuthError) -> R {
    let (result, _) = try await change(.external(kind, userID), user: userID, rule)
    do { return try result.get() } catch { throw refused(error, userID) }
  }

  /// Deletes an external factor's own document about a user.
  package func delete(_ kind: FactorKind, of userID: String) async throws(AuthError) {
    do { try await store.update(.external(kind, userID)) { $0 = nil } } catch { throw failure(error, user: userID) }
  }

  /// The error for a failure of a service of the host's, which is reported; or of the client's disconnecting, which
  /// cancels the service's work.
  package func externalFailure(
    _ reason: AuditEvent.Reason, _ kind: FactorKind, _ userID: String,
    _ event: AuditEvent.Kind, factor: String? = nil
  ) -> AuthError {
    let reason = Task.isCancelled ? .cancelled : reason
    record(event, reason, user: userID, factor: factor, factorID: kind.rawValue)
    return AuthError(.internalError, reason: reason)
  }

  /// What a factor's user, or an administrator, may know about it; or, as a hint, a client that has verified only the
  /// first factor.
  func info(of factor: Factor, isHint: Bool = false) -> any MultiFactorInfo {
    if let external = ExternalFactorInfo(factor) {
      return externalFactor(factor.kind)?.info(of: external, isHint: isHint) ?? external.withoutDetails
    }
    if factor.kind == .hotp {
      return HOTPMultiFactorInfo(
        uid: factor.uid, displayName: factor.displayName, enrollmentDate: factor.enrollmentDate)
    }
    return TOTPMultiFactorInfo(uid: factor.uid, displayName: factor.displayName, enrollmentDate: factor.enrollmentDate)
  }
}
