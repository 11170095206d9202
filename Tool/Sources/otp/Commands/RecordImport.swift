/// `otp record import`
struct RecordImport: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Seal the keys of another system's file, for a table of your own.",
    discussion: """
      Writes a table 'account,name,record' with a row for each key: the account, which is the record's subject, so let \
      the file have it as the server names its subject; the name that 'otp import' would give the factor; and the record \
      in hexadecimal, to be inserted. What was accepted last stays spent, failures stay counted, and a key that no code \
      has confirmed is pending. If any key is refused, only the report of 'otp import --check' is written, or with \
      --partial the other records, and the report to standard error; the exit status is 1.

      EXAMPLE: otp record import /etc/example/keyring keys.csv --format csv > records.csv
      psql -c '\\copy moved FROM records.csv CSV HEADER'
      """)

  @OptionGroup var keyring: KeyringFile

  @Argument(help: SeedFileOptions.fileHelp, completion: .file())
  var keys: PathArgument

  @Option(
    help: SeedFileOptions.formatHelp, completion: .list(SeedFileOptions.Format.allCases.map(\.rawValue)),
    transform: OptionValue.word(of: SeedFileOptions.Format.self))
  var format: SeedFileOptions.Format

  @OptionGroup var reading: SeedFileOptions

  @Flag(help: "Write the other records even if some keys are refused.")
  var partial = false

  func run() throws {
    let ring = try keyring.file.keyring { (path) throws(KeyringError) in try Keyring(file: path) }
    let time = currentTime()
    let writer = SeedWriter(beginning: SeedColumns.row(["account", "name", "record"])) { (seed) throws(SeedRefusal) in
      guard let account = seed.account else { throw SeedRefusal(line: seed.line, .account, .missing) }
      let record = try FactorRecord.of(seed, at: time)
      do throws(FactorRecordError) {
        let sealed = try record.sealed(by: ring, for: account)
        return SeedColumns.row([account, seed.label ?? "", sealed.hexadecimal])
      } catch {
        throw SeedRefusal(line: seed.line, .record, .cryptographyFailed)
      }
    }
    try SeedFile.open(keys, reading.seedFormat(format)).write(by: writer, partial: partial)
  }
}

extension FactorRecord {
  /// The record of a key from another system.
  static func of(_ seed: Seed, at time: Int64) throws(SeedRefusal) -> FactorRecord {
    let t0 = try seed.t0()
    do {
      switch seed.kind {
      case .totp(let period, _, let lastAcceptedStep):
        return try totp(
          secret: seed.secret, algorithm: seed.algorithm, digits: seed.digits,
          timeStep: TimeStep(period: period, t0: t0), lastAcceptedStep: lastAcceptedStep, failures: seed.failures,
          isPending: !seed.isConfirmed, at: time)
      case .hotp(let counter):
        return try hotp(
          secret: seed.secret, algorithm: seed.algorithm, digits: seed.digits, counter: counter,
          failures: seed.failures, isPending: !seed.isConfirmed, at: time)
      }
    } catch {
      // Only the clock: a reader checks the others.
      throw SeedRefusal(line: seed.line, .time, .outOfRange)
    }
  }
}
