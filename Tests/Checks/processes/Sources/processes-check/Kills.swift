import Foundation
import GRDB
import MultiFactor
import MultiFactorSQLite

/// Processes that are killed at random moments.
enum Kills {
  private static let usersOfAWorker = 4

  /// A process: signs its users in, over and over, and reports each result once it has it.
  static func work(path: String, name: String) async throws {
    let store = try SQLiteFactorStore(path: path)
    let policy = try patientPolicy()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<usersOfAWorker {
        group.addTask {
          let user = "\(name)-\(index)"
          let uid = factor(of: user).uid
          var position = try await store.account(of: user).factors[0].lastAccepted ?? 0
          while true {
            let outcome = try await store.reserveAttempt(on: .factor(uid: uid), of: user, at: Date(), under: policy)
            guard case .reserved(let reservation) = outcome else { throw Wrong(description: "\(user): \(outcome)") }
            report("reserved \(user) \(reservation.number)")
            // Every third attempt is a wrong code.
            if reservation.number.isMultiple(of: 3) { continue }
            position += 1
            let acceptance = Acceptance(
              .position(position, drift: 0, factorUID: uid), reservation: reservation.number,
              generation: reservation.generation)
            let result = try await store.accept(acceptance, of: user)
            guard result == .accepted else { throw Wrong(description: "\(user): \(position) was \(result)") }
            report("accepted \(user) \(position)")
          }
        }
      }
      try await group.waitForAll()
    }
  }

  /// What a user's process has reported in all its lives.
  private struct Reported {
    var reservations: Set<UInt64> = []
    var acceptances: Set<UInt64> = []
  }

  /// Kills a process while another one works on the same file, then that one too, and checks the file each time.
  static func check(_ kills: Int, seed: UInt64) async throws -> String {
    var random = Generator(state: seed)
    let folder = try Folder()
    let names = ["a", "b"]
    let users = names.flatMap { name in (0..<usersOfAWorker).map { "\(name)-\($0)" } }
    do {
      let store = try SQLiteFactorStore(path: folder.file)
      for user in users { _ = try await store.enroll(factor(of: user), under: anyConditions) }
    }

    var reported: [String: Reported] = [:]
    var done = 0
    while done < kills {
      let children = try names.shuffled(using: &random).map { try Child(["work", folder.file, $0]) }
      while !children.allSatisfy(\.hasWritten) { try await Task.sleep(for: .milliseconds(1)) }
      for child in children where done < kills {
        try await Task.sleep(for: .microseconds(Int.random(in: 0..<150_000, using: &random)))
        child.kill()
        done += 1
      }
      for child in children { child.kill() }
      for child in children {
        for line in child.wait().lines { try record(line, in: &reported) }
      }
      try await compare(reported, with: folder.file, users: users, lives: done)
    }
    let acceptances = reported.values.reduce(0) { $0 + $1.acceptances.count }
    let failures = reported.values.reduce(0) { $0 + $1.reservations.count } - acceptances
    return "after \(done) kills none of \(acceptances) acceptances and \(failures) failures was lost or doubled"
  }

  private static func record(_ line: String, in reported: inout [String: Reported]) throws {
    let words = line.split(separator: " ")
    guard words.count == 3, let number = UInt64(words[2]) else { throw Wrong(description: "the line \(line)") }
    let user = String(words[1])
    let isNew =
      words[0] == "accepted"
      ? reported[user, default: Reported()].acceptances.insert(number).inserted
      : reported[user, default: Reported()].reservations.insert(number).inserted
    try require(isNew, "\(line), for the second time")
  }

  private static func compare(
    _ reported: [String: Reported], with path: String, users: [String], lives: Int
  ) async throws {
    let store = try SQLiteFactorStore(path: path)
    for user in users {
      let factor = try await store.account(of: user).factors[0]
      let reports = reported[user] ?? Reported()
      let last = reports.acceptances.max() ?? 0
      try require(factor.lastAccepted ?? 0 >= last, "\(user): the acceptance of \(last) is lost")
      try require(
        factor.attempts.attempts >= reports.reservations.max() ?? 0, "\(user): a counted attempt is lost")
      // What a process had no time to report is one operation for each of its lives.
      let attempts = Int(factor.attempts.attempts) - reports.reservations.count
      let acceptances = Int(factor.attempts.acceptances) - reports.acceptances.count
      try require(0...lives ~= attempts, "\(user): \(attempts) attempts more than reported")
      try require(0...lives ~= acceptances, "\(user): \(acceptances) acceptances more than reported")
      try require(UInt64(factor.attempts.acceptances) == factor.lastAccepted ?? 0, "\(user): a position was skipped")
      if last > 0 {
        let again = Acceptance(.position(last, drift: 0, factorUID: factor.uid), reservation: 0, generation: 0)
        try await require(store.accept(again, of: user) == .replayed, "\(user): \(last) was accepted again")
      }
    }
    let queue = try DatabaseQueue(path: path)
    let check = try await queue.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") }
    try require(check == ["ok"], "integrity_check: \(check)")
  }
}
