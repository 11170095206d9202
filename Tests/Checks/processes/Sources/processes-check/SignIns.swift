import Foundation
import MultiFactor
import MultiFactorSQLite
import OTP

/// The server of one process: the same factors and keys as the others', and a clock that the check sets.
struct Server {
  static let user = Principal(id: "u", email: "u@example.com", isEmailVerified: true)

  let auth: MultiFactorAuth
  let store: SQLiteFactorStore

  init(_ folder: String, time: @escaping @Sendable () -> Int64) throws {
    store = try SQLiteFactorStore(path: folder + "/factors.sqlite")
    auth = try MultiFactorAuth(
      configuration: MultiFactorConfiguration(
        providerConfigs: [.totp(adjacentIntervals: 0)], attemptPolicy: patientPolicy()),
      store: store, keyring: Keyring(file: folder + "/keyring.json"),
      clock: { Date(timeIntervalSince1970: TimeInterval(time())) })
  }

  /// The secret that every process knows, as the user's app does.
  static func totp() throws -> TOTP { try TOTP(secret: OTPSecret(bytes: [UInt8](1...20))) }

  /// Gives the user the app, as the check begins.
  func prepare() async throws {
    let secret = try OTPSecret(bytes: [UInt8](1...20))
    try await auth.admin.importFactor(.totp(secret: secret), for: Self.user.id)
  }

  /// Offers a code, as a new sign-in.
  ///
  /// - Returns: The code of the error that it ends in; `nil` if it is accepted.
  func signIn(_ code: String) async throws -> AuthErrorCode? {
    do {
      _ = try await auth.signIn(Self.user, firstFactor: .password)
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

  /// What the file has counted.
  func attempts() async throws -> AttemptState {
    guard let factor = try await store.account(of: Self.user.id).factors.first else {
      throw Wrong(description: "the factor is gone")
    }
    return factor.attempts
  }
}

/// Processes that sign one user in with one code.
enum OneCode {
  private static let tries = 12
  static let step: Int64 = 50_000_000

  /// A process: offers one code again and again, several times at once.
  static func submit(_ folder: String) async throws {
    let server = try Server(folder) { step * 30 }
    let code = try Server.totp().code(at: step * 30).description
    report("ready")
    _ = FileHandle.standardInput.readDataToEndOfFile()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<tries {
        group.addTask { report(try await server.signIn(code).map { "\($0)" } ?? "accepted") }
      }
      try await group.waitForAll()
    }
  }

  static func check(processes: Int) async throws -> String {
    let folder = try Folder()
    let server = try Server(folder.path) { step * 30 }
    try await server.prepare()
    let children = try (0..<processes).map { _ in try Child(["submit", folder.path, ""]) }
    while !children.allSatisfy(\.hasWritten) { try await Task.sleep(for: .milliseconds(1)) }
    for child in children { child.begin() }
    let results = children.map { $0.wait() }
    try require(results.allSatisfy(\.isWell), "a process failed")

    let answers = results.flatMap(\.lines).filter { $0 != "ready" }
    let accepted = answers.count { $0 == "accepted" }
    let refused = answers.count { $0 == "invalidVerificationCode" }
    try require(answers.count == processes * tries, "\(answers.count) answers")
    try require(accepted + refused == answers.count, "answers: \(Set(answers).sorted())")
    try require(accepted == 1, "one code was accepted \(accepted) times")
    let state = try await server.attempts()
    try require(state.acceptances == 1, "\(state.acceptances) acceptances are recorded")
    try require(
      state.attempts - state.acceptances == refused, "\(state.attempts) attempts are recorded, \(refused) were refused")
    return "\(processes) processes signed in with one code once and counted \(refused) failures"
  }
}
