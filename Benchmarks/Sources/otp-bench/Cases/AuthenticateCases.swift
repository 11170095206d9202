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
    ]
  }
}
