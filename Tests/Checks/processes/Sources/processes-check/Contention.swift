import Foundation
import MultiFactor
import MultiFactorSQLite

/// Processes that all offer the same positions.
enum Contention {
  private static let user = "u"

  /// A process: offers each position in turn, and reports what it accepted and how often it was refused.
  static func contend(path: String, positions: Int) async throws {
    let store = try SQLiteFactorStore(path: path)
    report("ready")
    // Until the driver closes the other end.
    _ = FileHandle.standardInput.readDataToEndOfFile()
    for position in 1...UInt64(positions) {
      let reservation = try await reserve(on: store)
      let acceptance = Acceptance(
        .position(position, drift: 0, factorUID: factor(of: user).uid), reservation: reservation.number,
        generation: reservation.generation)
      report("\(try await store.accept(acceptance, of: user)) \(position) \(reservation.number)")
    }
  }

  /// Reserves an attempt. A process that is behind is refused so often that it locks the factor, and has to unlock it.
  private static func reserve(on store: SQLiteFactorStore) async throws -> Reservation {
    while true {
      let target = AttemptTarget.factor(uid: factor(of: user).uid)
      let outcome = try await store.reserveAttempt(on: target, of: user, at: Date(), under: patientPolicy())
      if case .reserved(let reservation) = outcome { return reservation }
      guard case .refused = outcome else { throw Wrong(description: "an attempt was \(outcome)") }
      _ = try await store.unlock(.factor(uid: factor(of: user).uid), of: user)
    }
  }

  /// Runs the processes and compares what they report with what the file holds.
  static func check(processes: Int, positions: Int) async throws -> String {
    let folder = try Folder()
    let store = try SQLiteFactorStore(path: folder.file)
    _ = try await store.enroll(factor(of: user), under: anyConditions)
    let children = try (0..<processes).map { _ in try Child(["contend", folder.file, "\(positions)"]) }
    while !children.allSatisfy(\.hasWritten) { try await Task.sleep(for: .milliseconds(1)) }
    for child in children { child.begin() }
    let results = children.map { $0.wait() }
    try require(results.allSatisfy(\.isWell), "a process failed")

    let reports = results.flatMap(\.lines).map { $0.split(separator: " ") }.filter { $0.count == 3 }
    let accepted = reports.filter { $0[0] == "accepted" }.compactMap { Int($0[1]) }.sorted()
    let refused = reports.count { $0[0] == "replayed" }
    try require(accepted == Array(1...positions), "the positions accepted are not each one once")
    try require(accepted.count + refused == processes * positions, "\(accepted.count) + \(refused) reports")
    try require(Set(reports.map { $0[2] }).count == reports.count, "two attempts had one number")

    let state = try await store.account(of: user).factors[0].attempts
    try require(state.acceptances == positions, "\(state.acceptances) acceptances are recorded")
    try require(
      state.attempts - state.acceptances == refused, "\(state.attempts) attempts are recorded, \(refused) were refused")
    return "\(processes) processes accepted \(positions) positions once each and counted \(refused) failures"
  }
}
