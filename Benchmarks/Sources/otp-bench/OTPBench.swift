import ArgumentParser
import Foundation
@_spi(Diagnostics) import OTP

@main struct OTPBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "otp-bench",
    abstract: "Compare the engine's speed with the alternatives': Benchmarks/README.md says how.")

  @Argument(help: "The folder that Benchmarks/build.sh has made.")
  var folder: String

  @Flag(help: "A few short rounds, which say little.")
  var quick = false

  @Option(help: "Only rows whose name contains this.")
  var filter = ""

  @Option(help: "The URL of a new PostgreSQL server on a disk, and of one in memory, to measure the store there.")
  var postgres: [String] = []

  static func main() async {
    // Threads may still be ending when the process exits.
    OTPEngine.keepLibcryptoAtExit()
    await main(nil)
  }

  func run() async throws {
    // As a server does when it starts: it also finds out which kernels are the fastest.
    _ = try OTPEngine.selfTest { _, _ in }
    let cpu = try String(contentsOfFile: folder + "/cpu", encoding: .utf8).trimmingCharacters(in: .newlines)
    let backend = try HMACBackend.standard
    let lanes = backend == .lanes ? HMACBackend.InstructionSet.widest.name : backend.name
    let peers = try Peer.all(in: folder)
    let all =
      try VerifyRows.all(peers) + BatchRows.all(peers) + RecordRows.all(peers)
      + SignIns.rows(in: folder, postgres: postgres) + Programs.rows(in: folder)
    let rows = all.filter { filter.isEmpty || $0.name.contains(filter) }
    if rows.isEmpty { throw ValidationError("No row's name contains \(filter).") }
    write("\(cpu), \(lanes), \(OTPEngine.openSSLVersion)\n\n\(Table.head)")
    let table = quick ? Table(rounds: 3, nanoseconds: 0.6e6) : Table(rounds: 31, nanoseconds: 3e6)
    for row in rows {
      do { write(try await table.line(row)) } catch { throw Failure(description: "\(row.name): \(error)") }
    }
  }

  /// Writes a line at once, to a file too.
  private func write(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}
