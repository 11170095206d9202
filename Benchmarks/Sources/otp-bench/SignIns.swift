import Foundation
import GRDB
import Keyring
import MultiFactor
import MultiFactorOperations
import MultiFactorPostgreSQL
import MultiFactorSQLite
import OTP
import Synchronization

/// Sign-ins by users with an authenticator app each, beside the least that a durable store must do for one: an update.
final class SignIns: Sendable {
  /// A clock, which advances with each sign-in, so that no code is submitted twice.
  private static let step = Atomic<UInt64>(Fixtures.firstStep)
  /// How often each user signs in per call, each time as soon as the last one has ended: 1...10, all of whose steps are
  /// in the window at once. (A resolver lasts a year, which has 131,400 times 8 steps.)
  private static let rounds = 8

  private let totp: TOTP
  private let factors: [(uid: String, resolver: MultiFactorResolver)]

  private init(_ store: any FactorStore, userCount: Int) async throws {
    let secret = try OTPSecret(bytes: Fixtures.secret(for: .sha1))
    let (keyring, year) = (try Keyring(), MultiFactorConfiguration.maximumDuration)
    try await MultiFactorAuth.createStore(store, keyring: keyring)
    let auth = try await MultiFactorAuth(
      configuration: MultiFactorConfiguration(
        providerConfigs: [.totp(adjacentIntervals: 5)], sessionLifetime: year, userTokenLifetime: year),
      store: store, keyring: keyring,
      clock: { Date(timeIntervalSince1970: TimeInterval(Fixtures.time(ofStep: Self.step.load(ordering: .relaxed)))) })
    totp = try TOTP(secret: secret)
    factors = try await withThrowingTaskGroup(of: (String, MultiFactorResolver).self) { group in
      for user in 0..<userCount {
        group.addTask {
          let uid = try await auth.admin.importFactor(.totp(secret: secret), for: "user\(user)")
          do {
            _ = try await auth.signIn(Principal(id: "user\(user)"), firstFactor: .password)
          } catch let error as AuthError {
            if let resolver = error.resolver { return (uid, resolver) }
          }
          throw Failure(description: "no second factor is asked for")
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }

  /// - Returns: The number of sign-ins with the second factor in their claims.
  private func signIn(_ userCount: Int) async throws -> Int {
    let rounds = UInt64(Self.rounds)
    let first = Self.step.add(rounds, ordering: .relaxed).newValue - rounds / 2
    let codes = try (first..<first + rounds).map { try totp.code(forStep: $0).description }
    @Sendable func signIn(_ user: Int) async throws -> Int {
      let (uid, resolver) = factors[user]
      var signedIn = 0
      for code in codes {
        let assertion = TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: uid, oneTimePassword: code)
        let claims = try await resolver.resolveSignIn(with: assertion).user.claims
        if claims.secondFactorIdentifier == uid { signedIn += 1 }
      }
      return signedIn
    }
    if userCount == 1 { return try await signIn(0) }
    return try await withThrowingTaskGroup(of: Int.self) { group in
      for user in 0..<userCount { group.addTask { try await signIn(user) } }
      return try await group.reduce(0, +)
    }
  }

  private func subjects(atOnce userCounts: Int...) -> [Subject] {
    userCounts.map { count in
      let name = count == 1 ? "swift-otp" : "\(count) at once"
      return Subject(name, operationsPerCall: count * Self.rounds) { calls in
        for _ in calls { try require(try await self.signIn(count) == count * Self.rounds, name) }
      }
    }
  }

  /// - Parameter postgres: The URLs of servers, the second of which has its files in memory.
  static func rows(in folder: String, postgres: [String]) -> [Row] {
    let rows = [
      Row(name: "sign-in, in memory") { try await SignIns(InMemoryFactorStore(), userCount: 1).subjects(atOnce: 1) },
      Row(name: "sign-in, SQLite") {
        // Not where temporary files are, which may be in memory, where no write is durable.
        let files = folder + "/sqlite/"
        try? FileManager.default.removeItem(atPath: files)
        try FileManager.default.createDirectory(atPath: files, withIntermediateDirectories: true)
        let store = try SQLiteFactorStore.create(path: files + "factors")
        let users = try await SignIns(store, userCount: 64)
        // Until the log has reached its full size and is reused from its start: extending a file costs more than
        // changing it, and a server extends it only once.
        for _ in 0..<32 { _ = try await users.signIn(64) }
        guard let key = DocumentKey("user/user0"), let document = try await store.document(key) else {
          throw Failure(description: "the user has no document")
        }
        return users.subjects(atOnce: 1, 64) + [try update(files + "raw", byteCount: document.count)]
      },
    ]
    // A first flush after a pause takes several times as long as those that follow, so all samples are as long as the
    // peer's. In memory, what is least disturbed says the most.
    let shared = zip(postgres, [("", 0.5), (", without the disk", 0.1)]).map { url, kind in
      Row(name: "sign-in, PostgreSQL" + kind.0, nanoseconds: 1e9, quantile: kind.1) {
        _ = try await PostgreSQLFactorStore.create(url: url)
        let users = try await SignIns(PostgreSQLFactorStore(url: url), userCount: 512)
        return users.subjects(atOnce: 1, 64, 512) + [Programs.subject("an update by libpq", [folder + "/update", url])]
      }
    }
    return rows + shared
  }

  /// One row as long as a document, replaced in a transaction, in the same file mode.
  private static func update(_ path: String, byteCount: Int) throws -> Subject {
    let pool = try DatabasePool(path: path)
    try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    try pool.write { try $0.execute(sql: "CREATE TABLE raw (document BLOB); INSERT INTO raw VALUES (NULL)") }
    func update(_ numbers: Range<Int>) throws {
      for _ in numbers {
        try pool.write { try $0.cachedStatement(sql: "UPDATE raw SET document = randomblob(\(byteCount))").execute() }
      }
    }
    try update(0..<1024)
    return Subject("an update", operationsPerCall: 1, calls: update)
  }
}
