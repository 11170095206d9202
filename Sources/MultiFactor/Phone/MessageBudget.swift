import Foundation
import Keyring

/// What a text message is counted in besides its user's account: a few documents, each with a limit.
///
/// | for | to the number | to those that begin alike | overall |
/// |---|---|---|---|
/// | an enrolment | ✓ | ✓ | ✓ |
/// | a sign-in | ✓ | | ✓ |
///
/// Enrolments are counted in other documents than sign-ins, so that neither takes anything of the other's.
struct MessageBudget: Sendable {
  /// Where a message is counted.
  enum Place: Sendable, CaseIterable { case number, prefix, overall }

  let context: Context
  let userID: String
  let number: PhoneNumber
  let isEnrollment: Bool

  private var limits: SendLimits { context.configuration.sendLimits }
  private var places: [Place] { isEnrollment ? Place.allCases : [.number, .overall] }

  /// Counts a message that the user's own limit has let through. One that is refused is taken back wherever it was
  /// counted before, so that it uses up nothing of others'; where that fails, it stays counted. Its challenge goes too, or
  /// those of refused messages would push out the one that was answered to.
  func count(for challengeID: String, at clock: Date) async throws(AuthError) {
    var counted: [Place] = []
    do throws(AuthError) {
      for place in places {
        try await count(in: place, at: clock)
        counted.append(place)
      }
      // A client that has hung up already is sent nothing.
      if Task.isCancelled { throw context.messageFailure(.smsSender, .sender, userID) }
    } catch {
      await takeBack(from: counted, challengeID)
      throw error
    }
  }

  /// Takes back a message that was not handed over. What the user asked for stays counted as the user's, so that asking
  /// again and again is bounded; so does what a client that has hung up may have made the host pay for.
  func takeBack(after error: AuthError) async {
    await takeBack(from: error.reason == .cancelled ? [.number] : places)
  }

  /// Notes that the number was enrolled. If that fails, it is one proof less that speaks for its prefix.
  func noteProof(at clock: Date) async {
    guard limits.leastProvedShare > 0, let key = try? key(of: .prefix, "proof") else { return }
    let limit = SendLimits.Limit(checked: .max, every: limits.enrollmentsPerPrefix.interval)
    _ = try? await context.change(key, user: userID) { (log: inout MessageLog) throws(Refusal) in
      try log.count(under: limit, by: clock)
    }
  }

  private func count(in place: Place, at clock: Date) async throws(AuthError) {
    let limits = limits
    let lifetime = context.configuration.phoneChallengeLifetime
    let limit =
      switch place {
      case .number: isEnrollment ? limits.enrollmentsPerNumber : limits.signInsPerNumber
      case .prefix: limits.enrollmentsPerPrefix
      case .overall: isEnrollment ? limits.enrollmentsOverall : limits.signInsOverall
      }
    let proofs = place == .prefix && limits.leastProvedShare > 0 ? try await proofs() : nil
    let (result, _) = try await context.change(try key(of: place), user: userID) {
      (log: inout MessageLog) throws(Refusal) in
      if let proofs { try log.checkShare(of: proofs, under: limits, lifetime: lifetime, by: clock) }
      try log.count(under: limit, by: clock)
    }
    do { try result.get() } catch { throw context.refused(error, userID) }
  }

  private func proofs() async throws(AuthError) -> MessageLog {
    let key = try key(of: .prefix, "proof")
    do {
      return try context.open(try await context.store.document(key), of: MessageLog.self, under: key).document
    } catch {
      throw context.failure(error, user: userID)
    }
  }

  /// - Parameter challengeID: The challenge that goes, and with it the user's own message.
  private func takeBack(from places: [Place], _ challengeID: String? = nil) async {
    await context.uninterrupted {
      if let challengeID {
        _ = try? await context.change(userID) { account in
          account.messages.takeBack()
          account.challenges.removeAll { $0.id == challengeID }
        }
      }
      for place in places {
        guard let key = try? key(of: place) else { continue }
        _ = try? await context.change(key, user: userID) { (log: inout MessageLog) in log.takeBack() }
      }
    }
  }

  private func key(of place: Place, _ purpose: String? = nil) throws(AuthError) -> DocumentKey {
    let purpose = purpose ?? (isEnrollment ? "enrollment" : "sign-in")
    func hash(_ text: String) throws(AuthError) -> [UInt8] {
      try context.hash(Array(text.utf8), for: .phoneNumberHash, boundTo: [])
    }
    return switch place {
    case .number: .number(purpose, try hash(number.e164))
    case .prefix: .prefix(purpose, try hash(number.prefix))
    case .overall: .messages(purpose)
    }
  }
}

extension Context {
  /// A host's service has failed that sends messages or checks their codes; or the client has hung up, which ends what
  /// the service was doing.
  func messageFailure(
    _ reason: AuthError.Reason, _ told: AuditEvent.Reason, _ userID: String,
    _ kind: AuditEvent.Kind = .messageRefused, factor: String? = nil
  ) -> AuthError {
    let isCancelled = Task.isCancelled
    events.record(kind, isCancelled ? .cancelled : told, user: userID, factor: factor, factorID: PhoneMultiFactorID)
    return AuthError(.internalError, reason: isCancelled ? .cancelled : reason)
  }

  /// Does something to its end, whether or not the client hangs up meanwhile.
  func uninterrupted<R: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () async throws(Failure) -> R
  ) async throws(Failure) -> R {
    let task = Task {
      do throws(Failure) { return Result<R, Failure>.success(try await work()) } catch { return .failure(error) }
    }
    return try await task.value.get()
  }
}
