import ArgumentParser
import Foundation
import OTP

@main struct OTPBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "otp-bench",
    abstract: "Compare the engine's speed with the alternatives'.",
    discussion: """
      Prints a Markdown table. Every row measures all its subjects in one run, in turn, round after round, and has the \
      median. Each subject is first checked to give right results. OTP_BACKEND selects the engine's backend, such as \
      lanes-avx2. The C library is the one that OTP_LIBOTP names, or that 'make libotp' built, or that the system has.
      """)

  @Flag(help: "Fewer and shorter rounds: about a minute in all.")
  var quick = false

  @Option(help: ArgumentHelp("Only rows whose name contains this text.", valueName: "text"))
  var filter: String?

  @Option(
    help: ArgumentHelp(
      "Also measure the store on this PostgreSQL server, in new schemas, and pgbench if PATH has it.",
      valueName: "url"))
  var postgres: String?

  @Option(
    help: ArgumentHelp(
      "Also measure the programs in this folder, which Benchmarks/programs/build.sh has made.", valueName: "folder"))
  var programs: String?

  static func main() {
    // Threads may still be ending when the process exits.
    OTPEngine.keepLibcryptoAtExit()
    main(nil)
  }

  func validate() throws {
    guard !cases.isEmpty else { throw ValidationError("--filter leaves no row") }
  }

  func run() throws {
    do {
      // As a server does when it starts: it also finds out which kernels are the fastest.
      _ = try OTPEngine.selfTest { _, _ in }
      write("\(try Machine.description)\n\n\(Table.head)")
      for item in cases { write(Table.line(item.name, try (quick ? Runner.quick : .full).measure(item))) }
    } catch let wrong as WrongAnswer {
      FileHandle.standardError.write(Data("otp-bench: \(wrong)\n".utf8))
      throw ExitCode(1)
    }
  }

  /// Writes a line at once, to a file too.
  private func write(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

  private var cases: [Case] {
    var all = VerifyCases.all + BatchCases.all + RecordCases.all + AuthenticateCases.all
    if let postgres { all += PostgreSQLCases.all(url: postgres) }
    if let programs { all += ProgramCases.all(in: programs) }
    return all.filter { $0.name.contains(filter ?? "") || filter == nil }
  }
}
