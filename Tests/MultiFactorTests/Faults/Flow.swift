import Foundation
import Keyring
import MultiFactorBrowsers
import MultiFactorOperations
import OTP
import Testing

@testable import MultiFactor

/// An operation of a user or an administrator that a store's fault can break off at any call.
struct Flow: Sendable, CustomTestStringConvertible {
  /// A user ready to perform it.
  struct Ready: Sendable {
    /// Performs it, with all of its calls of the store; can be called repeatedly.
    let run: @Sendable () async throws -> Void
    /// What to do if the answer to the previous attempt was lost; `run` by default.
    let again: @Sendable () async throws -> Void

    init(_ run: @escaping @Sendable () async throws -> Void, again: (@Sendable () async throws -> Void)? = nil) {
      self.run = run
      self.again = again ?? run
    }
  }

  let testDescription: String
  let prepare: @Sendable (Host) async throws -> Ready

  private init(_ name: String, _ prepare: @escaping @Sendable (Host) async throws -> Ready) {
    testDescription = name
    self.prepare = prepare
  }

  /// Whether its last write but one is one whose failure is only reported: the count of verified phone numbers.
  var hasNote: Bool { testDescription == "enroll a phone" }

  static let all: [Flow] = signIns + enrollments + changes + administration

  /// Flows that verify a second factor.
  static let signIns: [Flow] = [
    Flow("sign in by an app, on another server") { host in
      let (_, key, uid) = try await host.enrollTOTP()
      return Ready {
        host.clock.advance(by: 30)
        let resolver = try await host.auth.resolver(from: host.resolver().token())
        let assertion = TOTPMultiFactorGenerator.assertionForSignIn(
          withEnrollmentID: uid, oneTimePassword: try host.code(of: key))
        _ = try await resolver.resolveSignIn(with: assertion)
      }
    },
    Flow("sign in by a phone") { host in
      let (_, uid) = try await host.enrollPhone()
      return Ready {
        let resolver = try await host.resolver()
        _ = try await resolver.resolveSignIn(with: host.phoneAssertion(uid, in: resolver))
      }
    },
    Flow("sign in by a recovery code") { host in
      let (user, _, _) = try await host.enrollTOTP()
      let codes = Locked(try await user.multiFactor.generateRecoveryCodes().codes)
      return Ready {
        let assertion = RecoveryCodeMultiFactorGenerator.assertionForSignIn(
          recoveryCode: codes.withLock { $0.removeLast() })
        _ = try await host.resolver().resolveSignIn(with: assertion)
      }
    },
    token("sign in by a token", presses: 0, codes: 1), token("resynchronize a token", presses: 30, codes: 2),
  ]

  /// Signs in with consecutive codes of a hardware token whose button was pressed some extra times.
  private static func token(_ name: String, presses: UInt64, codes: UInt64) -> Flow {
    Flow(name) { host in
      let secret = try OTPSecret.random()
      let token = try HOTP(secret: secret)
      let uid = try await host.auth.admin.importFactor(.hotp(secret: secret), for: Host.alice.id)
      let counter = Locked<UInt64>(0)
      return Ready {
        let first = counter.withLock { counter in
          counter += presses + codes
          return counter - codes
        }
        let shown = try (first..<first + codes).map { try token.code(counter: $0).description }
        _ = try await host.resolve(hotp: uid, codes: shown)
      }
    }
  }

  private static let enrollments: [Flow] = [
    Flow("enroll a first app") { host in
      let secrets = Locked<[TOTPSecret]>([])
      @Sendable func enroll() async throws {
        let user = try await host.signIn()
        let secret = try await TOTPMultiFactorGenerator.generateSecret(with: user.multiFactor.session())
        secrets.withLock { $0.append(secret) }
        let assertion = try host.assertion(secret)
        try await user.multiFactor.enroll(with: assertion, displayName: nil)
      }
      return Ready(enroll) {
        // The app may have been enrolled although the answer was lost: then it verifies the second factor.
        guard let uid = try await host.auth.admin.user(Host.alice.id).factors.first?.info.uid else {
          return try await enroll()
        }
        let secret = try #require(secrets.withLock { $0.first { $0.content.uid == uid } })
        host.clock.advance(by: 30)
        _ = try await host.resolve(uid, code: host.code(of: secret.sharedSecretKey()))
      }
    },
    Flow("enroll another app") { host in
      let (user, _, _) = try await host.enrollTOTP()
      return Ready { _ = try await host.enrollTOTP(as: user) }
    },
    Flow("enroll a token") { host in
      let (user, _, _) = try await host.enrollTOTP()
      return Ready {
        let secret = try await HOTPMultiFactorGenerator.generateSecret(with: user.multiFactor.session())
        let code = try HOTP(secret: OTPSecret(base32: secret.sharedSecretKey())).code(counter: 0).description
        try await user.multiFactor.enroll(
          with: HOTPMultiFactorGenerator.assertionForEnrollment(with: secret, oneTimePassword: code), displayName: nil)
      }
    },
    Flow("enroll a phone") { host in
      let (user, _, _) = try await host.enrollTOTP()
      let number = Locked(0)
      return Ready {
        let number = number.withLock { number in
          number += 1
          return number
        }
        _ = try await host.enrollPhone("+1510555123\(number)", as: user)
      }
    },
  ]

  private static let changes: [Flow] = [
    Flow("sign in without a second factor") { host in Ready { _ = try await host.signIn(Host.bob) } },
    Flow("unenroll an app") { host in
      let user = try await host.enrollTOTP().user
      for _ in 0..<3 { _ = try await host.enrollTOTP(as: user) }
      return Ready {
        guard let factor = try await user.multiFactor.enrolledFactors.first else { throw NothingToChooseFrom() }
        try await user.multiFactor.unenroll(with: factor)
      }
    },
    Flow("go on with a handle, on another server") { host in
      let token = try await host.enrollTOTP().user.token()
      return Ready { _ = try await host.auth.user(from: token) }
    },
    Flow("make recovery codes") { host in
      let (user, _, _) = try await host.enrollTOTP()
      return Ready { _ = try await user.multiFactor.generateRecoveryCodes() }
    },
    Flow("count recovery codes") { host in
      let (user, _, _) = try await host.enrollTOTP()
      return Ready { _ = try await user.multiFactor.recoveryCodesRemaining }
    },
    Flow("remember a browser") { host in
      let (user, _, _) = try await host.enrollTOTP()
      return Ready { _ = try await host.browsers.remember(for: user) }
    },
    Flow("forget a browser") { host in
      let (user, _, _) = try await host.enrollTOTP()
      _ = try await host.browsers.remember(for: user)
      return Ready { try await host.browsers.forget(nil, of: user) }
    },
    Flow("sign in from a remembered browser") { host in
      let token = try await host.browsers.remember(for: host.enrollTOTP().user)
      return Ready { _ = try await host.browsers.beginSignIn(Host.alice, firstFactor: .password, token: token) }
    },
    Flow("require a second factor") { host in
      let (user, _, _) = try await host.enrollTOTP()
      return Ready { try await user.requireSecondFactor(within: .seconds(60)) }
    },
  ]

  private static let administration: [Flow] = [
    Flow("list factors") { host in
      _ = try await host.enrollTOTP()
      return Ready { _ = try await host.auth.admin.user(Host.alice.id).factors }
    },
    Flow("export") { host in
      _ = try await host.enrollTOTP()
      return Ready { _ = try await host.auth.admin.users() }
    },
    Flow("export secrets") { host in
      _ = try await host.enrollTOTP()
      return Ready { _ = try await host.auth.admin.exportSecrets(of: Host.alice.id) }
    },
    Flow("import a factor") { host in
      Ready { try await host.auth.admin.importFactor(.totp(secret: try .random()), for: Host.alice.id) }
    },
    Flow("overwrite factors") { host in
      Ready { try await host.auth.admin.overwriteFactors(of: Host.alice.id, with: [.totp(secret: try .random())]) }
    },
    Flow("remove a factor") { host in
      for _ in 0..<4 { try await host.auth.admin.importFactor(.totp(secret: try .random()), for: Host.alice.id) }
      return Ready {
        guard let factor = try await host.auth.admin.user(Host.alice.id).factors.first else {
          throw NothingToChooseFrom()
        }
        try await host.auth.admin.removeFactor(factor.info.uid, of: Host.alice.id)
      }
    },
    Flow("unlock a factor") { host in
      let (_, _, uid) = try await host.enrollTOTP()
      return Ready { try await host.auth.admin.unlock(uid, of: Host.alice.id) }
    },
    Flow("revoke handles") { host in Ready { try await host.auth.admin.revokeTokens(of: Host.alice.id) } },
    Flow("delete a user") { host in
      _ = try await host.enrollTOTP()
      return Ready { try await host.auth.admin.deleteUser(Host.alice.id) }
    },
    Flow("seal all again") { host in
      _ = try await host.enrollTOTP()
      return Ready { try await host.auth.admin.resealAll() }
    },
  ]
}
