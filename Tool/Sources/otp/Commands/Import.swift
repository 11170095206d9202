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
      here, and 'imported keys=N present=N refused=N weak=N', or 'refused …' if nothing was taken. No value is shown. \
      Of the keys, those that their account has already are 'present', so that an import that was broken off is gone \
      on with by the same command; 'weak' are those under 16 bytes.

      A key is its account's by what the file says; --account names the account of those of which it says nothing. \
      A key's drift becomes a part of its steps.

      EXAMPLE: otp import tokens.xml --format pskc --password-file password.txt --check
      """)

  @OptionGroup var file: SeedFileOptions
  @OptionGroup var store: StoreOptions

  @Option(help: ArgumentHelp("Whose the keys are of which the file does not say it.", valueName: "name"))
  var account: String?

  @Flag(help: "Only read the file, and print what would be refused. The store is not opened.")
  var check = false

  @Flag(help: "Take the keys that can be taken, although others are refused.")
  var partial = false

  @OptionGroup var output: JSONOption

  var paths: [PathArgument] { file.paths + store.paths }

  func run() async throws {
    try OperatorBackend.check()
    let seeds = try SeedFile.open(file)
    var accounts = try Accounts(named: account)
    var report = try seeds.report { (seed) throws(SeedRefusal) in _ = try accounts.name(for: seed) }
    if !check, report.refused == 0 || partial {
      try await take(from: seeds, into: &report)
      report.result = "imported"
    } else if report.refused > 0 {
      report.result = "refused"
    }
    try report.print(asJSON: output.json)
    guard report.refused == 0 else { throw ExitStatus.negative }
  }

  /// Imports the keys.
  private func take(from seeds: borrowing SeedFile, into report: inout SeedReport) async throws {
    let auth = try await store.location().open(creating: true)
    var taken = 0
    var accounts = try Accounts(named: account)
    var reader = try seeds.reader()
    while let record = try nextRecord(of: &reader) {
      guard case .seed(let seed) = record, let name = try? accounts.name(for: seed) else { continue }
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

/// Whose the keys of a file are: what a key needs here beside being one.
private struct Accounts {
  private let standard: String?
  private let limit: Int
  /// How many keys an account has had, by the hash of its name: a million names would take much memory.
  private var counts: [Int: Int] = [:]

  /// - Parameter standard: Whose those are of which the file does not say it.
  init(named standard: String?) throws {
    self.standard = standard
    limit = try StoreLocation.configuration.maximumFactorCount
  }

  /// The account of the next key.
  mutating func name(for seed: Seed) throws(SeedRefusal) -> String {
    guard let name = seed.account ?? standard else { throw SeedRefusal(line: seed.line, .account, .missing) }
    // As the layer tells names from each other: by their bytes.
    let hash = Array(name.utf8).hashValue
    guard name.utf8.count <= 256, counts[hash, default: 0] < limit else {
      throw SeedRefusal(line: seed.line, .account, .tooLong)
    }
    _ = try seed.t0()
    counts[hash, default: 0] += 1
    return name
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
