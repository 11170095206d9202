import ArgumentParser
import MultiFactor
import OTPSeeds

/// `otp import`
struct Import: AsyncParsableCommand, PathTaking {
  static let configuration = CommandConfiguration(
    abstract:
      "Add the keys of another system's file to accounts. Exits 1 if any key was refused, else 0.",
    discussion: """
      The file is read twice: if any key is refused the first time, none is added, unless --partial is given. Prints \
      'refused line=N field=… reason=…' for each refused key (the first \(SeedReport.maximumListedCount)), 'dropped \
      field=… keys=N' for data of the file that cannot be kept, 'unverified field=signature' if a container is signed, \
      since signatures are not verified, and 'imported keys=N present=N refused=N weak=N', or 'refused …' if nothing \
      was added. No value is shown. 'present' counts keys that their account already had, so repeating the command \
      resumes an interrupted import; 'weak' counts keys under 16 bytes.

      The account of a key is the one that --accounts assigns to its serial number, else the one in the file, else \
      that of --account. A key's drift becomes part of its steps.

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

  @Option(help: ArgumentHelp("The account of keys that neither --accounts nor the file assigns.", valueName: "name"))
  var account: String?

  @Option(
    help: ArgumentHelp(
      "The accounts of devices: a file with a serial number, a comma and an account on each line.", valueName: "path"),
    completion: .file())
  var accounts: PathArgument?

  @Flag(help: "Only read the file, and print what would be refused. The store is not opened.")
  var check = false

  @Flag(help: "Add the other keys even if some are refused.")
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
        // The account is full because of factors that it already had.
        report.withdraw(SeedRefusal(line: seed.line, .account, .tooLong))
      } catch let error as AuthError {
        let cause = ToolError(error).message
        throw ToolError.data("line \(seed.line): \(cause); \(taken) keys were taken before")
      }
    }
  }
}

extension FactorImport {
  /// Creates the import of a key, under its name in the file or its device's serial number.
  static func seed(_ seed: Seed) throws -> FactorImport {
    let name = seed.displayName ?? seed.serial
    return switch seed.kind {
    case .totp(let period, _, let lastAcceptedStep):
      try totp(
        secret: seed.secret, algorithm: seed.algorithm, digits: seed.digits, period: period, t0: seed.t0(),
        lastAcceptedStep: lastAcceptedStep, displayName: name)
    case .hotp(let counter):
      try hotp(
        secret: seed.secret, algorithm: seed.algorithm, digits: seed.digits,
        lastAcceptedCounter: counter == 0 ? nil : counter - 1, displayName: name)
    }
  }
}
