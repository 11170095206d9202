import Foundation
import Keyring
import MultiFactor

/// The documents in which a text message is counted besides its user's account, each with a limit.
///
/// | for | to the number | to its prefix | overall |
/// |---|---|---|---|
/// | an enrollment | ✓ | ✓ | ✓ |
/// | a sign-in | ✓ | | ✓ |
///
/// Enrollments and sign-ins are counted in separate documents, so that neither uses up the other's budget.
struct MessageBudget: Sendable {
  /// What a message is counted for.
  enum Scope: Sendable, CaseIterable { case number, prefix, overall }

  let factor: PhoneFactor
  let context: Context
  let userID: String
  let number: PhoneNumber
  let isEnrollment: Bool

  private var limits: SendLimits { factor.limits }
  private var scopes: [Scope] { isEnrollment ? Scope.allCases : [.number, .overall] }

  /// Counts a message that the user's own limit has admitted. A refused message is taken back wherever it was already
  /// counted, so that it does not use up other users' budget; if that fails, it stays counted. Its challenge is removed
  /// too, so that the challenges of refused messages cannot displace one that can still be answered.
  func count(for challengeID: String, at time: Date) async throws(AuthError) {
    var counted: [Scope] = []
    do throws(AuthError) {
      for scope in scopes {
        try await count(in: scope, at: time)
        counted.append(scope)
      }
      // Send nothing to a client that has already disconnected.
      if Task.isCancelled { throw context.events.refused(.serviceFailed(.sender, .messageRefused, .phone), userID) }
    } catch {
      await withdraw(from: counted, challengeID)
      throw error
    }
  }

  /// Takes back a message that was not handed over. It stays counted for the user, so that repeated requests are
  /// bounded. If the client has disconnected, it also stays counted for the prefix and overall, because the host may be
  /// charged for it.
  func withdraw(after error: AuthError) async {
    await withdraw(from: error.reason == .cancelled ? [.number] : scopes)
  }

  /// Notes that the number was enrolled. If that fails, its prefix merely has one answered message less.
  func noteAnswer(at time: Date) async {
    guard limits.minimumAnsweredShare > 0, let key = try? key(of: .prefix, "proof") else { return }
    let limit = SendLimits.Limit(checked: .max, every: limits.enrollmentsPerPrefix.interval)
    _ = try? await change(key) { log throws(Refusal) in
      try log.count(under: limit, at: time)
    }
  }

  private func count(in scope: Scope, at time: Date) async throws(AuthError) {
    let limits = limits
    let lifetime = factor.challengeLifetime
    let limit =
      switch scope {
      case .number: isEnrollment ? limits.enrollmentsPerNumber : limits.signInsPerNumber
      case .prefix: limits.enrollmentsPerPrefix
      case .overall: isEnrollment ? limits.enrollmentsOverall : limits.signInsOverall
      }
    let answered = scope == .prefix && limits.minimumAnsweredShare > 0 ? try await answered() : nil
    try await change(try key(of: scope)) { log throws(Refusal) in
      if let answered { try log.checkShare(of: answered, under: limits, lifetime: lifetime, at: time) }
      try log.count(under: limit, at: time)
    }
  }

  private func change(
    _ key: DocumentKey, _ rule: @escaping @Sendable (inout MessageLog) throws(Refusal) -> Void
  ) async throws(AuthError) {
    do { try await context.documents.change(key, rule) } catch { throw context.events.error(for: error, userID) }
  }

  private func answered() async throws(AuthError) -> MessageLog {
    let key = try key(of: .prefix, "proof")
    do {
      return try await context.documents.read(key)
    } catch {
      throw context.events.error(for: error, userID)
    }
  }

  /// - Parameter challengeID: The challenge to remove, along with the message counted for the user.
  private func withdraw(from scopes: [Scope], _ challengeID: String? = nil) async {
    await uninterrupted {
      if let challengeID {
        _ = try? await factor.change(userID, in: context) { document in
          document.messages.withdraw()
          document.challenges.removeAll { $0.id == challengeID }
        }
      }
      for scope in scopes {
        guard let key = try? key(of: scope) else { continue }
        _ = try? await change(key) { log in log.withdraw() }
      }
    }
  }

  private func key(of scope: Scope, _ purpose: String? = nil) throws(AuthError) -> DocumentKey {
    let purpose = purpose ?? (isEnrollment ? "enrollment" : "sign-in")
    func hash(_ text: String) throws(AuthError) -> [UInt8] {
      try context.hash(Array(text.utf8), for: .phoneNumberHash, boundTo: [])
    }
    return switch scope {
    case .number: .limit(.phone, "\(purpose)/number", try hash(number.e164))
    case .prefix: .limit(.phone, "\(purpose)/prefix", try hash(number.prefix))
    case .overall: .limit(.phone, "\(purpose)/overall")
    }
  }
}

/// Completes an operation even if the client disconnects.
func uninterrupted<R: Sendable, Failure: Error>(
  _ work: @escaping @Sendable () async throws(Failure) -> R
) async throws(Failure) -> R {
  let task = Task {
    do throws(Failure) { return Result<R, Failure>.success(try await work()) } catch { return .failure(error) }
  }
  return try await task.value.get()
}
