import Foundation
import MultiFactor
import MultiFactorOperations
import OTP
import Synchronization

/// A user at a host. Each call is reported as it begins, `began USER submit|unlock CODE CLOCK BEGAN`, and as it ends,
/// `ended`, the same words, `ENDED OUTCOME`.
struct User {
  let name: String
  let clock: Clock
  let auth: MultiFactorAuth

  /// The machine's clock, some seconds ahead.
  final class Clock: Sendable {
    private let seconds = Atomic<Int64>(0)
    var ahead: Int64 { seconds.load(ordering: .relaxed) }
    var now: Date { Date.now + TimeInterval(ahead) }

    func set(to time: Int64) {
      seconds.store(time - Int64(Date.now.timeIntervalSince1970), ordering: .relaxed)
    }
  }

  /// The secret of all users' apps.
  static func secret() throws -> OTPSecret { try OTPSecret(bytes: [UInt8](1...20)) }

  /// Submits the code of a time, or a wrong one, in a new sign-in.
  ///
  /// - Returns: `accepted`, `rejected`, `locked`, `expired`, `unknown`, or what should not be.
  func submit(at time: Int64, isRight: Bool) async throws -> String {
    clock.set(to: time)
    let right = try TOTP(secret: Self.secret()).code(at: time).description
    let code = isRight ? right : right == "000000" ? "000001" : "000000"
    return try await call("submit \(code)") {
      do {
        _ = try await auth.signIn(Principal(id: name), firstFactor: .password)
        return "signed-in-without-a-second-factor"
      } catch let error as AuthError where error.code == .secondFactorRequired {
        guard let resolver = error.resolver, let hint = resolver.hints.first else { throw error }
        _ = try await resolver.resolveSignIn(
          with: TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: hint.uid, oneTimePassword: code))
        return "accepted"
      }
    }
  }

  func unlock() async throws {
    _ = try await call("unlock -") {
      guard let uid = try await auth.admin.user(name).factors.first?.info.uid else { return "no-factor" }
      try await auth.admin.unlock(uid, of: name)
      return "unlocked"
    }
  }

  private func call(_ what: String, _ body: () async throws -> String) async throws -> String {
    let call = "\(name) \(what) \(clock.ahead) \(Date.now.timeIntervalSince1970)"
    report("began \(call)")
    var outcome: String
    do {
      outcome = try await body()
    } catch let error as AuthError {
      switch error.code {
      case .invalidVerificationCode: outcome = "rejected"
      case .tooManyRequests: outcome = "locked"
      // Of a shared user, if another host, at a later step, was faster.
      case .sessionExpired: outcome = "expired"
      case .internalError: outcome = "unknown"
      default: outcome = "\(error.code)"
      }
    }
    report("ended \(call) \(Date.now.timeIntervalSince1970) \(outcome)")
    return outcome
  }
}
