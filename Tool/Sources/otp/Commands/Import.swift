/// `otp import`
struct Import: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract:
      "Add the keys of another system's file to accounts.",
    discussion: """
      The file is read twice: if any key is refused the first time, none is added, unless --partial is given. Prints \
      'refused line=N key=N account=… field=… reason=…' for each refused key and 'present line=N key=N account=…' for \
      each that its account already had (of either, the first \(SeedReport.maximumListedCount)), 'dropped field=… \
      keys=N' for data of the file that cannot be kept, 'unverified field=signature' if a container is signed, since \
      signatures are not verified, and 'imported keys=N present=N refused=N weak=N', or 'refused …' if nothing was \
      added. Each key of the file is counted once, except that 'weak' is how many of 'keys' are under 16 bytes. Of \
      values, only accounts are shown. Repeating the command resumes an interrupted import.

      The account of a key is the one that --accounts assigns to its serial number, else the one in the file, else \
      that of --account. If an account turns out to be full of other factors, the key is refused, but not the others. \
      A key's drift becomes part of its steps, and a key that no code has confirmed is refused: the user enrolls again. \
      The factor's name is the user's name for the key, else its serial \
      number, else issuer and account as in a key URI (Example:alice).

      EXAMPLE: otp import tokens.xml --format pskc --password-file password.txt --check
      """)

  @Argument(help: SeedFileOptions.fileHelp, completion: .file())
  var file: PathArgument

  @Option(
    help: SeedFileOptions.formatHelp, completion: .list(SeedFileOptions.Format.allCases.map(\.rawValue)),
    transform: OptionValue.word(of: SeedFileOptions.Format.self))
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

  func run() async throws {
    let location = try store.location()
    let seeds = try SeedFile.open(file, reading.seedFormat(format))
    let table = try accounts.map { (path) throws(ToolError) in try AccountTable(path) }
    let accounts = try Accounts(table, standard: account)
    var counted = accounts
    var report = try seeds.report { (seed) throws(SeedRefusal) in _ = try counted.name(for: seed) }
    if !check, report.refused == 0 || partial {
      let unverified = report.unverified
      report = try await take(from: seeds, for: accounts, to: location)
      report.unverified = unverified
    } else if report.refused > 0 {
      report.result = "refused"
    }
    try report.report.print(asJSON: output.json)
    guard report.refused == 0 else { throw ExitStatus.negative }
  }

  /// The most keys that are added at the same time, and so share the store's commits.
  private static let largestWindow = 256

  /// A key to be added.
  private struct Key: Sendable {
    let index: Int
    let account: String
    let seed: Seed
    let factor: FactorImport
  }

  fileprivate enum Outcome: Sendable {
    case imported(Seed)
    case present(line: Int, account: String)
    case refused(SeedRefusal)
    case failed(any Error, line: Int)
  }

  /// Imports the keys.
  private func take(
    from seeds: borrowing SeedFile, for accounts: Accounts, to location: StoreLocation
  ) async throws -> SeedReport {
    let admin = try await location.open().admin
    var report = SeedReport()
    report.result = "imported"
    var accounts = accounts
    var reader = try seeds.reader()
    var index = 0
    while true {
      let before = index
      var window: [Key] = []
      var outcomes: [Int: Outcome] = [:]
      while index < before + Self.largestWindow, let record = try nextRecord(of: &reader) {
        index += 1
        do {
          let seed = try record.seed()
          let account = try accounts.name(for: seed)
          let factor = try FactorImport.record(.of(seed, at: currentTime()), displayName: seed.label)
          window.append(Key(index: index, account: account, seed: seed, factor: factor))
        } catch let error as SeedRefusal {
          guard partial else {
            throw ToolError.data("the file has changed while it was read; \(report.keys) keys were taken")
          }
          outcomes[index] = .refused(error)
        }
      }
      if index == before { return report }
      await withTaskGroup { group in
        // The keys of one account are added one after the other, so that the result does not depend on chance.
        for keys in Dictionary(grouping: window, by: \.account).values {
          group.addTask { await Self.add(keys, by: admin) }
        }
        for await part in group { outcomes.merge(part) { $1 } }
      }
      try report.add(outcomes, of: before + 1...index)
    }
  }

  /// Adds keys, one after the other. The keys after one that fails have no outcome.
  private static func add(_ keys: [Key], by admin: MultiFactorAdmin) async -> [Int: Outcome] {
    var outcomes: [Int: Outcome] = [:]
    for key in keys {
      let (line, account) = (key.seed.line, key.account)
      do {
        try await admin.importFactor(key.factor, for: account)
        outcomes[key.index] = .imported(key.seed)
      } catch let error as AuthError where error.code == .secondFactorAlreadyEnrolled {
        outcomes[key.index] = .present(line: line, account: account)
      } catch let error as AuthError where error.code == .maximumSecondFactorCountExceeded {
        // The account is full because of factors that it already had.
        outcomes[key.index] = .refused(SeedRefusal(line: line, .account, .full, account: account))
      } catch {
        outcomes[key.index] = .failed(error, line: line)
        break
      }
    }
    return outcomes
  }
}

extension SeedReport {
  /// Adds the outcomes of keys, in the order of the file; then throws if one has failed.
  fileprivate mutating func add(_ outcomes: [Int: Import.Outcome], of indices: ClosedRange<Int>) throws {
    var failure: (error: any Error, line: Int)?
    for index in indices {
      switch outcomes[index] {
      case .imported(let seed): add(seed)
      case .present(let line, let account): add(presentAt: line, index: index, in: account)
      case .refused(let refusal): add(refusal, index: index)
      case .failed(let error, let line): failure = failure ?? (error, line)
      case nil: break
      }
    }
    guard let failure else { return }
    guard let error = failure.error as? AuthError else { throw failure.error }
    throw ToolError.data("line \(failure.line): \(ToolError(error).message); \(keys) keys were taken")
  }
}
