import ArgumentParser
import MultiFactor
import OTPSeeds

/// `otp import`
struct Import: AsyncParsableCommand, PathTaking {
  static let configuration = CommandConfiguration(
    abstract:
      "Give accounts the keys of another system's file. Exits 0 where they were taken, 1 where any was refused.",
    discussion: """
      The file is read twice: if any key is refused the first time, none is taken, unless --partial asks for the \
      others. Prints 'refused line=N field=… reason=…' for each that is refused (the first \
      \(SeedReport.maximumListedCount)), 'dropped field=… keys=N' for what the file says of keys that has no place \
      here, 'unverified field=signature' for a container's signature, which is not verified, and 'imported keys=N \
      present=N refused=N weak=N', or 'refused …' if nothing was taken. No value is shown. Of the keys, those that \
      their account has already are 'present', so that an import that was broken off is gone on with by the same \
      command; 'weak' are those under 16 bytes.

      A key is the account's that --accounts names for its serial number, else that of the file, else --account's. A \
      key's drift becomes a part of its steps.

      EXAMPLE: otp import tokens.xml --format pskc --password-file password.txt --check
      """)

  @Argument(help: SeedFileOptions.fileHelp, completion: .file())
  var file: PathArgument

  @Option(
    help: SeedFileOptions.formatHelp, completion: .list(SeedFileOptions.Format.allCases.map(\.rawValue)),
    transform: SeedFileOptions.format)
  var format: SeedFileOptions.Format

  @OptionGroup var reading: SeedFileOptions
  @OptionGroup var store: StoreOptions

  @Option(help: ArgumentHelp("Whose the keys are of which neither a table nor the file says it.", valueName: "name"))
  var account: String?

  @Option(
    help: ArgumentHelp(
      "Whose the devices are: a file with a serial number, a comma and an account on each line.", valueName: "path"),
    completion: .file())
  var accounts: PathArgument?

  @Flag(help: "Only read the file, and print what would be refused. The store is not opened.")
  var check = false

  @Flag(help: "Take the keys that can be taken, although others are refused.")
  var partial = false

  @OptionGroup var output: JSONOption

  var paths: [PathArgument] { [file] + reading.paths + store.paths + [accounts].compactMap(\.self) }

  func run() async throws {
    try OperatorBackend.check()
    let location = try store.location()
    let seeds = try SeedFile.open(file, reading.seedFormat(format))
    let table = try accounts.map { (path) throws(ToolError) in try AccountTable(path) }
    let accounts = try Accounts(table, standard: account)
    var counted = accounts
    var report = try seeds.report { (seed) throws(SeedRefusal) in _ = try counted.name(for: seed) }
    if !check, report.refused == 0 || partial {
      try await take(from: seeds, for: accounts, to: location, into: &report)
      report.result = "imported"
    } else if report.refused > 0 {
      report.result = "refused"
    }
    try report.print(asJSON: output.json)
    guard report.refused == 0 else { throw ExitStatus.negative }
  }

  /// Imports the keys.
  private func take(
    from seeds: borrowing SeedFile, for accounts: Accounts, to location: StoreLocation, into report: inout SeedReport
  ) async throws {
    let auth = try await location.open(creating: true)
    var taken = 0
    var accounts = accounts
    var reader = try seeds.reader()
    while let record = try nextRecord(of: &reader) {
      guard case .seed(let seed) = record, let name = try? accounts.name(for: seed) else {
        guard partial else { throw ToolError.data("the file has changed while it was read; \(taken) keys were taken") }
        continue
      }
      do {
        try await auth.admin.importFactor(FactorImport.seed(seed), for: name)
        taken += 1
      } catch let error as AuthError where error.code == .secondFactorAlreadyEnrolled {
        report.present += 1
      } catch let error as AuthError where error.code == .maximumSecondFactorCountExceeded && partial {
        // With what it has already.
        report.withdraw(SeedRefusal(line: seed.line, .account, .tooLong))
      } catch let error as AuthError {
        let cause = ToolError(error).message
        throw ToolError.data("line \(seed.line): \(cause); \(taken) keys were taken before")
      }
    }
  }
}

extension FactorImport {
  /// A key of another system's file, called as it was there, or by its device's serial number.
  static func seed(_ seed: Seed) throws -> FactorImport {
    let name = seed.displayName ?? seed.serial
    return switch seed.kind {
    case .totp(let period, _, let lastAcceptedStep):
      try totp(
        secret: seed.secret, algorithm: seed.algorithm, digits: seed.digits, period: period, t0: seed.t0(),
        lastAcceptedStep: lastAcceptedStep, displayName: name)
    case .hotp(let counter):
      hotp(
        secret: seed.secret, counter: counter, algorithm: seed.algorithm, digits: seed.digits, displayName: name)
    }
  }
}
