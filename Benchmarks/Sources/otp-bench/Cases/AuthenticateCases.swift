import Foundation
import GRDB
import MultiFactor
import MultiFactorSQLite
import OTP

/// Sign-ins by a second factor, and the least that a durable store could do for one.
enum AuthenticateCases {
  static var all: [Case] {
    [
      Case(name: "authenticate/totp/memory", unit: "sign-in") {
        let scene = try Scene(store: InMemoryFactorStore(), userCount: 1)
        return [try scene.subject("swift-otp", inParallel: 1, operations: 64, row: "authenticate/totp/memory")]
      },
      Case(name: "authenticate/totp/sqlite", unit: "sign-in") {
        let folder = try TemporaryFolder()
        let scene = try Scene(store: SQLiteFactorStore(path: folder.path("factors.sqlite")), userCount: 64)
        let row = "authenticate/totp/sqlite"
        try scene.settle()
        // The limit, measured in turn with the sign-ins: what the disk takes drifts.
        let raw = try RawUpdates(path: folder.path("raw.sqlite"))
        return [
          try scene.subject("swift-otp", inParallel: 1, operations: 8, row: row, keeping: folder),
          try scene.subject("swift-otp-parallel64", inParallel: 64, operations: 64, row: row, keeping: folder),
          raw.subject("sqlite-raw-update", keeping: folder),
        ]
      },
      Case(name: "store/sqlite/raw-update", unit: "transaction") {
        let folder = try TemporaryFolder()
        let raw = try RawUpdates(path: folder.path("raw.sqlite"))
        return [raw.subject("sqlite", keeping: folder)]
      },
    ]
  }
}

/// Users with an authenticator app each, and a clock that moves one step for each sign-in, so that no code is offered
/// twice.
private final class Scene: Sendable {
  private struct Moment {
    var step: UInt64 = Fixtures.firstStep
    var resolvers: [MultiFactorResolver] = []
    var stepOfResolvers: UInt64 = 0
  }

  /// How many steps a resolver is used for: a year has 1,051,200.
  private static let stepsPerResolver: UInt64 = 500_000

  private let auth: MultiFactorAuth
  private let factorUIDs: [String]
  private let totp: TOTP
  private let moment: Guarded<Moment>

  init(store: any FactorStore, userCount: Int) throws {
    let moment = Guarded(Moment())
    let secret = try OTPSecret(bytes: Fixtures.secret(for: .sha1))
    let auth = try MultiFactorAuth(
      configuration: MultiFactorConfiguration(
        providerConfigs: [.totp(adjacentIntervals: 5)], sessionLifetime: MultiFactorConfiguration.longestInterval,
        userTokenLifetime: MultiFactorConfiguration.longestInterval),
      store: store, keyring: Keyring(),
      clock: { Date(timeIntervalSince1970: TimeInterval(Fixtures.time(ofStep: moment.withValue { $0.step }))) })
    self.auth = auth
    self.moment = moment
    totp = try TOTP(secret: secret)
    factorUIDs = try blocking {
      var uids: [String] = []
      for user in 0..<userCount {
        uids.append(try await auth.admin.importFactor(.totp(secret: secret), for: Scene.name(user)))
      }
      return uids
    }
  }

  private static func name(_ user: Int) -> String { "user\(user)" }

  /// Goes one step on.
  ///
  /// - Returns: The code of the new step, and each user's resolver.
  private func advance() async throws -> (code: String, resolvers: [MultiFactorResolver]) {
    let (step, resolvers) = moment.withValue { moment in
      moment.step += 1
      return (moment.step, moment.step < moment.stepOfResolvers + Self.stepsPerResolver ? moment.resolvers : [])
    }
    let code = try totp.code(forStep: step).description
    guard resolvers.isEmpty else { return (code, resolvers) }
    var fresh: [MultiFactorResolver] = []
    for user in factorUIDs.indices {
      do {
        _ = try await auth.signIn(Principal(id: Self.name(user)), firstFactor: .password)
      } catch let error as AuthError where error.code == .secondFactorRequired {
        if let resolver = error.resolver { fresh.append(resolver) }
      }
    }
    moment.withValue { moment in
      moment.resolvers = fresh
      moment.stepOfResolvers = step
    }
    return (code, fresh)
  }

  /// Signs in so many users at once, each in a task of its own, or one after the other where it is only one.
  ///
  /// - Returns: How many users were signed in, with a second factor in their claims.
  private func signIn(inParallel count: Int) async throws -> Int {
    let (code, resolvers) = try await advance()
    @Sendable func signIn(_ user: Int) async throws -> Int {
      let assertion = TOTPMultiFactorGenerator.assertionForSignIn(
        withEnrollmentID: factorUIDs[user], oneTimePassword: code)
      let claims = try await resolvers[user].resolveSignIn(with: assertion).user.claims
      return claims.secondFactorIdentifier == factorUIDs[user] ? 1 : 0
    }
    if count == 1 { return try await signIn(0) }
    return try await withThrowingTaskGroup(of: Int.self) { group in
      for user in 0..<count { group.addTask { try await signIn(user) } }
      return try await group.reduce(0, +)
    }
  }

  /// Signs in until SQLite's log is as long as it gets, and is written over from its start: to make a file longer costs
  /// the disk more than to change it, and a server does so once.
  func settle() throws {
    for _ in 0..<256 { _ = try blocking { try await self.signIn(inParallel: self.factorUIDs.count) } }
  }

  func subject(
    _ name: String, inParallel count: Int, operations: Int, row: String, keeping folder: TemporaryFolder? = nil
  ) throws -> Subject {
    let run: @Sendable () throws -> Int = {
      try blocking {
        var signedIn = 0
        for _ in 0..<operations / count { signedIn += try await self.signIn(inParallel: count) }
        return signedIn
      }
    }
    try require(run() == operations, row, name)
    return Subject(name, operationsPerCall: operations) { _ in
      withExtendedLifetime(folder) { consume((try? run()) == operations) }
    }
  }
}

/// The limit of a store that promises durability: one row changed in one transaction, in the same file mode.
private struct RawUpdates {
  private let pool: DatabasePool

  init(path: String) throws {
    var configuration = Configuration()
    configuration.journalMode = .wal
    pool = try DatabasePool(path: path, configuration: configuration)
    try pool.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA synchronous = FULL; CREATE TABLE rows (id INTEGER PRIMARY KEY, value INTEGER)")
      try db.execute(sql: "INSERT INTO rows VALUES (1, 0)")
    }
  }

  /// - Parameter folder: Lives as long as the subject.
  func subject(_ name: String, keeping folder: TemporaryFolder) -> Subject {
    // As in `Scene.settle()`.
    for _ in 0..<1024 { update() }
    return Subject(name, operationsPerCall: 8) { _ in withExtendedLifetime(folder) { for _ in 0..<8 { update() } } }
  }

  private func update() {
    do {
      try pool.writeWithoutTransaction { db in
        try db.inTransaction(.immediate) {
          try db.cachedStatement(sql: "UPDATE rows SET value = value + 1 WHERE id = 1").execute()
          return .commit
        }
      }
    } catch {
      consume(false)
    }
  }
}

/// A value that one thread at a time uses.
private final class Guarded<Value>: @unchecked Sendable {
  private let lock = NSLock()
  private var value: Value

  init(_ value: Value) { self.value = value }

  func withValue<R>(_ body: (inout Value) -> R) -> R {
    lock.lock()
    defer { lock.unlock() }
    return body(&value)
  }
}

/// A folder that is removed with its last user. It lies in the working folder: a folder for temporary files may be in
/// memory, where no write is durable.
private final class TemporaryFolder: Sendable {
  private let url: URL

  init() throws {
    url = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
      .appendingPathComponent(".build-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  deinit { try? FileManager.default.removeItem(at: url) }
}
