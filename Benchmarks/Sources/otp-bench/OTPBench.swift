import ArgumentParser
import Foundation
import OTP

@main struct OTPBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "otp-bench",
    abstract: "Compare the engine's speed with the alternatives'.",
    discussion: """
      Every row measures all its subjects in one run, in turn, round after round, and reports the median. Each subject \
      is first checked to give right results. OTP_BACKEND selects the engine's backend, such as lanes-avx2. \
      The C library is the one that OTP_LIBOTP names, or that 'make libotp' built, or that the system has.
      """)

  @Flag(help: "Fewer and shorter rounds: under 40 seconds in all.")
  var quick = false

  @Option(help: ArgumentHelp("Write the results to a file, in the format otp-bench/1.", valueName: "file"))
  var json: String?

  @Option(help: ArgumentHelp("Only rows whose name contains this text.", valueName: "text"))
  var filter: String?

  @Option(
    help: ArgumentHelp(
      "Also measure the store on this PostgreSQL server, in new schemas, and pgbench if PATH has it.",
      valueName: "url"))
  var postgres: String?

  static func main() {
    // Threads may still be ending when the process exits.
    OTPEngine.keepLibcryptoAtExit()
    main(nil)
  }

  func validate() throws {
    guard !cases.isEmpty else { throw ValidationError("--filter leaves no row") }
  }

  func run() throws {
    do { try measure() } catch let wrong as WrongAnswer {
      FileHandle.standardError.write(Data("otp-bench: \(wrong)\n".utf8))
      throw ExitCode(1)
    }
  }

  private func measure() throws {
    let runner: Runner = quick ? .quick : .full
    // As a server does when it starts.
    _ = try OTPEngine.selfTest { _, _ in }
    var rows: [BenchmarkReport.Row] = []
    for (index, item) in cases.enumerated() {
      FileHandle.standardError.write(Data("\(index + 1)/\(cases.count) \(item.name)\n".utf8))
      rows += try runner.measure(item)
    }
    let report = BenchmarkReport(machine: try .current(), rows: rows)
    print("\(report.machine.cpu), \(report.machine.openssl), \(report.machine.lanes)")
    for row in rows { print(report.line(of: row)) }
    let doubtful = rows.count { report.isRatioMeaningless(of: $0) }
    if doubtful > 0 {
      let how = quick ? "run without --quick, on a quiet machine" : "the machine is not quiet"
      let warning =
        "otp-bench: warning: the samples of \(doubtful) ratios, marked '?', vary too much to mean anything; \(how)\n"
      FileHandle.standardError.write(Data(warning.utf8))
    }
    if let json {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      try encoder.encode(report).write(to: URL(fileURLWithPath: json))
    }
  }

  private var cases: [Case] {
    let all =
      CodeCases.all + VerifyCases.all + BatchCases.all + [Base32Case.decode] + RecordCases.all + AuthenticateCases.all
      + (postgres.map(PostgreSQLCases.all) ?? [])
    return all.filter { $0.name.contains(filter ?? "") || filter == nil }
  }
}
