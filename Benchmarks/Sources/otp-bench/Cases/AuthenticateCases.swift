import Foundation
import MultiFactor
import MultiFactorSQLite

/// Sign-ins by a second factor, and the minimum that a durable store must do for one.
enum AuthenticateCases {
  static var all: [Case] {
    [
      Case(name: "authenticate/totp/memory", unit: "sign-in") {
        let users = try EnrolledUsers(store: InMemoryFactorStore(), userCount: 1)
        return [try users.subject("swift-otp", inParallel: 1, operations: 64, row: "authenticate/totp/memory")]
      },
      Case(name: "authenticate/totp/sqlite", unit: "sign-in") {
        let folder = try TemporaryFolder()
        let store = try SQLiteFactorStore.create(path: folder.path("factors.sqlite"))
        let users = try EnrolledUsers(store: store, userCount: 64)
        let row = "authenticate/totp/sqlite"
        try users.settle()
        // The limit, measured in turn with the sign-ins, since the disk's speed drifts.
        let raw = try RawUpdates(path: folder.path("raw.sqlite"), byteCount: users.documentByteCount())
        return [
          try users.subject("swift-otp", inParallel: 1, operations: 8, row: row, keeping: folder),
          try users.subject("swift-otp-parallel64", inParallel: 64, operations: 64, row: row, keeping: folder),
          raw.subject("sqlite-raw-update", keeping: folder),
        ]
      },
      Case(name: "store/sqlite/raw-update", unit: "transaction") {
        let folder = try TemporaryFolder()
        let users = try EnrolledUsers(store: InMemoryFactorStore(), userCount: 1)
        let raw = try RawUpdates(path: folder.path("raw.sqlite"), byteCount: users.documentByteCount())
        return [raw.subject("sqlite", keeping: folder)]
      },
    ]
  }

  /// What must not grow with the number of a store's users: a sign-in, compared with one among 64 users; opening; a
  /// page of keys.
  static func all(users count: Int) -> [Case] {
    [
      Case(name: "authenticate/totp/sqlite/users-\(count)", unit: "sign-in") {
        let folder = try TemporaryFolder()
        let row = "authenticate/totp/sqlite/users-\(count)"
        let path = folder.path("many.sqlite")
        let many = try EnrolledUsers(store: SQLiteFactorStore.create(path: path), userCount: count)
        let few = try EnrolledUsers(
          store: SQLiteFactorStore.create(path: folder.path("few.sqlite")), userCount: 64)
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        print("\(row): \(size / count) bytes a user")
        for users in [many, few] { try users.settle() }
        return [
          try many.subject("swift-otp", inParallel: 1, operations: 8, row: row, keeping: folder),
          try few.subject("swift-otp-users64", inParallel: 1, operations: 8, row: row, keeping: folder),
          Subject("open") { _ in consume((try? SQLiteFactorStore(path: path)) != nil) },
        ]
      },
      Case(name: "store/memory/page100/users-\(count)", unit: "page") {
        let many = InMemoryFactorStore()
        let few = InMemoryFactorStore()
        _ = try EnrolledUsers(store: many, userCount: count)
        _ = try EnrolledUsers(store: few, userCount: 1000)
        return [pages(of: many, "swift-otp"), pages(of: few, "swift-otp-users1000")]
      },
    ]
  }

  private static func pages(of store: InMemoryFactorStore, _ name: String) -> Subject {
    Subject(name, operationsPerCall: 64) { input in
      // Begins anywhere among the users.
      let start = DocumentKey("user/user\(1 + input % 9)")
      let count = try? blocking {
        var count = 0
        for _ in 0..<64 { count += await store.keys(after: start, limit: 100).count }
        return count
      }
      consume(count == 6400)
    }
  }
}
