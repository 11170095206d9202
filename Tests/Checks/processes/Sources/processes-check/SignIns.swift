import Foundation
import MultiFactor
import MultiFactorOperations
import OTP

/// The server of one process: the store and keyring that all processes share, and a clock that the check sets.
struct Server {
  let auth: MultiFactorAuth

  /// - Parameter isNew: Whether the store and the keyring are created if they are missing.
  init(_ folder: String, isNew: Bool = false, time: @escaping @Sendable () -> Int64) async throws {
    let path = folder + "/keyring.json"
    if isNew, (try? Keyring(file: path))?.storeID == nil {
      // Another process may be creating the two, or have been killed while it did.
      try await creating {
        try await MultiFactorAuth.createStore(keyringFile: path) { try await openStore(in: folder, isNew: true) }
      }
    }
    try await self.init(openStore(in: folder, isNew: false), Keyring(file: path), time)
  }

  /// - Parameter keyring: The store's; both are new if it has none yet.
  init(_ store: any FactorStore, _ keyring: Keyring, _ time: @escaping @Sendable () -> Int64) async throws {
    if keyring.storeID == nil { try await MultiFactorAuth.createStore(store, keyring: keyring) }
    auth = try await MultiFactorAuth(
      configuration: MultiFactorConfiguration(
        providerConfigs: [.totp(adjacentIntervals: 0)], attemptLimit: patientPolicy()),
      store: store, keyring: keyring, clock: { Date(timeIntervalSince1970: TimeInterval(time())) })
  }

  private static func secret() throws -> OTPSecret { try OTPSecret(bytes: [UInt8](1...20)) }

  /// The code that the users' app shows, which every process knows.
  static func code(at step: Int64) throws -> String {
    try TOTP(secret: secret()).code(at: step * 30).description
  }

  /// Imports the app for a user, when the check begins.
  func prepare(_ user: String) async throws {
    try await auth.admin.importFactor(.totp(secret: Self.secret()), for: user)
  }

  /// Submits a code in a new sign-in.
  ///
  /// - Returns: The code of the error; `nil` if the code is accepted.
  func signIn(_ user: String, _ code: String) async throws -> AuthError.Code? {
    do {
      _ = try await auth.signIn(Principal(id: user), firstFactor: .password)
      throw Wrong(description: "signed in without the second factor")
    } catch let error as AuthError where error.code == .secondFactorRequired {
      guard let resolver = error.resolver, let hint = resolver.hints.first else { throw error }
      do {
        _ = try await resolver.resolveSignIn(
          with: TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: hint.uid, oneTimePassword: code))
        return nil
      } catch let error as AuthError {
        return error.code
      }
    }
  }

  /// The same on a store that may fail: a failure before the second factor is required is also returned as a code.
  func signInOrFail(_ user: String, _ code: String) async throws -> AuthError.Code? {
    do {
      return try await signIn(user, code)
    } catch let error as AuthError {
      return error.code
    }
  }

  /// What the store has counted.
  func tally(of user: String) async throws -> Tally {
    guard let factor = try await auth.admin.user(user).factors.first else {
      throw Wrong(description: "\(user): the factor is gone")
    }
    return Tally(acceptances: factor.acceptances, failures: factor.consecutiveFailures)
  }
}

/// The outcomes of the attempts on one factor.
struct Tally: Equatable {
  var acceptances = 0
  /// The number of failures since the last acceptance.
  var failures = 0
}
