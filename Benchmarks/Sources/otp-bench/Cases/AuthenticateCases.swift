import Foundation
import MultiFactor
import MultiFactorSQLite

/// Sign-ins by a second factor, and the minimum that a durable store must do for one.
enum AuthenticateCases {
  private static let sqlite = "sign-in, SQLite"

  static var all: [Case] {
    [
      Case(name: "sign-in, in memory") {
        let users = try EnrolledUsers(store: InMemoryFactorStore(), userCount: 1)
        return [try users.subject("swift-otp", inParallel: 1, operations: 64, row: "sign-in, in memory")]
      },
      Case(name: sqlite) {
        let folder = try TemporaryFolder()
        let store = try SQLiteFactorStore.create(path: folder.path("factors.sqlite"))
        let users = try EnrolledUsers(store: store, userCount: 64)
        try users.settle()
        // The limit, measured in turn with the sign-ins, since the disk's speed drifts.
        let raw = try RawUpdates(path: folder.path("raw.sqlite"), byteCount: users.documentByteCount())
        return [
          try users.subject("swift-otp", inParallel: 1, operations: 8, row: sqlite, keeping: folder),
          try users.subject("64 at once", inParallel: 64, operations: 64, row: sqlite, keeping: folder),
          raw.subject("an update", keeping: folder),
        ]
      },
    ]
  }
}
