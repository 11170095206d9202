/// `otp export`
struct Export: AsyncParsableCommand {
  /// The output format.
  enum Target: String, CaseIterable {
    case pskc, uris
  }

  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write the keys of a file or an account.",
    discussion: """
      Standard output must not be a terminal. 'pskc' is a key container (RFC 6030), encrypted with a password or a key \
      of 32 bytes. 'uris' is one key URI per line, with the secrets in the clear, and therefore also needs \
      --show-secret. If any key is refused, only the report of 'otp import --check' is written, or with --partial the \
      other keys, and the report to standard error; the exit status is 1.

      With --account, the keys are those of the account's factors in the store, except phones, to move the account to \
      another system. The store is not changed, and accepts codes of the factors until they are removed. Neither \
      format records which code was used last.

      EXAMPLE: (umask 077; otp export uris.txt --format uris --to pskc --to-password-file new.txt > keys.xml)
      """)

  @Argument(help: SeedFileOptions.fileHelp, completion: .file())
  var file: PathArgument?

  @Option(
    help: SeedFileOptions.formatHelp, completion: .list(SeedFileOptions.Format.allCases.map(\.rawValue)),
    transform: OptionValue.word(of: SeedFileOptions.Format.self))
  var format: SeedFileOptions.Format?

  @OptionGroup var reading: SeedFileOptions

  @Option(help: ArgumentHelp("The account in the store, instead of a file.", valueName: "name"))
  var account: String?

  @OptionGroup var store: StoreOptions

  @Option(
    help: ArgumentHelp("The output format: pskc or uris.", valueName: "format"),
    completion: .list(Target.allCases.map(\.rawValue)), transform: OptionValue.word(of: Target.self))
  var to: Target

  @Option(
    help: ArgumentHelp("pskc: the file with the key to encrypt with, in hexadecimal.", valueName: "path"),
    completion: .file())
  var toKeyFile: PathArgument?

  @Option(
    help: ArgumentHelp("pskc: the file with the password to encrypt with.", valueName: "path"), completion: .file())
  var toPasswordFile: PathArgument?

  @Flag(help: "Write the other keys even if some are refused.")
  var partial = false

  @Flag(help: "uris: write the secrets in the clear.")
  var showSecret = false

  func run() async throws {
    guard isatty(STDOUT_FILENO) == 0 else { throw ToolError.usage("standard output is a terminal; write to a file") }
    let location = try store.location()
    let write = try writer()
    switch (file, format, account) {
    case (let file?, let format?, nil) where store.isEmpty:
      try writeFile(SeedFile.open(file, reading.seedFormat(format)), by: write)
    case (nil, nil, let account?) where reading.isEmpty: try await writeFactors(of: account, in: location, by: write)
    default: throw ToolError.usage("a file with its --format is needed, or an --account of the store")
    }
  }

  private func writeFile(_ seeds: borrowing SeedFile, by write: Writer) throws {
    var driftCount = 0
    var report = try seeds.report { (seed) throws(SeedRefusal) in
      _ = try write.text(seed)
      if seed.hasDrift { driftCount += 1 }
    }
    try check(&report)
    warn(report, driftCount)
    var reader = try seeds.reader()
    try StandardOutput.write(write.beginning)
    var written = 0
    while let record = try nextRecord(of: &reader) {
      guard let text = try? write.text(record.seed()) else { continue }
      try StandardOutput.write(text)
      written += 1
    }
    guard written == report.keys else { throw ToolError.data("the file has changed while it was read") }
    try StandardOutput.write(write.end)
    guard report.refused == 0 else { throw ExitStatus.negative }
  }

  private func writeFactors(of account: String, in location: StoreLocation, by write: Writer) async throws {
    let auth = try await location.open()
    let factors: [FactorExport]
    do {
      _ = try await auth.admin.known(account)
      factors = try await auth.admin.exportSecrets(of: account)
    } catch let error as AuthError {
      throw ToolError(error)
    }
    guard !factors.isEmpty else { throw ToolError.data("the account has no factor with a secret in this store") }
    var (report, driftCount) = (SeedReport(), 0)
    var text = write.beginning
    for (index, factor) in factors.enumerated() {
      do throws(SeedRefusal) {
        let seed = try Seed(factor, of: account, line: index + 1)
        text += try write.text(seed)
        report.add(seed)
        if seed.hasDrift { driftCount += 1 }
      } catch {
        report.add(error, index: index + 1)
      }
    }
    try check(&report)
    warn(report, driftCount)
    try StandardOutput.write(text + write.end)
    guard report.refused == 0 else { throw ExitStatus.negative }
  }

  /// If any key was refused, prints the report, and throws unless the others are written.
  private func check(_ report: inout SeedReport) throws {
    guard report.refused > 0 else { return }
    report.result = partial ? "exported" : "refused"
    if partial { return report.lines.forEach(StandardError.write(line:)) }
    try report.report.print(asJSON: false)
    throw ExitStatus.negative
  }

  /// Warns about what the output lacks.
  private func warn(_ report: SeedReport, _ driftCount: Int) {
    if !report.unverified.isEmpty { StandardError.write(warning: "the file's signature is not verified") }
    if to == .uris, driftCount > 0 {
      StandardError.write(warning: "key URIs cannot record clock drift; keys that have it: \(driftCount)")
    }
  }

  /// The text before all keys, a function for the text of each key, and the text after all keys.
  private typealias Writer = (beginning: String, text: (Seed) throws(SeedRefusal) -> String, end: String)

  private func writer() throws -> Writer {
    let key = try SeedFileOptions.key(toKeyFile, toPasswordFile)
    switch to {
    case .pskc:
      guard let key, !showSecret else {
        throw ToolError.usage("--to pskc needs --to-password-file or --to-key-file, and no --show-secret")
      }
      do throws(SeedRefusal) {
        let writer = try PSKCWriter(key)
        return (writer.beginning, { (seed) throws(SeedRefusal) in try writer.keyPackage(encrypting: seed) }, writer.end)
      } catch {
        throw error.reason == .mismatched ? ToolError.data("--to-key-file: not 32 bytes") : .software("\(error)")
      }
    case .uris:
      guard showSecret, key == nil else {
        throw ToolError.usage("--to uris writes secrets in the clear: it needs --show-secret, and takes no key")
      }
      return (
        "",
        { (seed) throws(SeedRefusal) in
          do throws(OTPError) { return try seed.uri().uriString() + "\n" } catch {
            throw SeedRefusal(error, line: seed.line)
          }
        }, ""
      )
    }
  }
}

extension Seed {
  fileprivate var hasDrift: Bool {
    if case .totp(_, let drift, _) = kind { drift != 0 } else { false }
  }

  /// Creates the key of an account's factor.
  ///
  /// - Parameter line: The factor's index among those of the account, from 1.
  fileprivate init(_ factor: FactorExport, of account: String, line: Int) throws(SeedRefusal) {
    let kind: Kind
    switch factor.kind {
    case .hotp(let counter):
      guard let counter else { throw SeedRefusal(line: line, .counter, .outOfRange) }
      kind = .hotp(counter: counter)
    case .totp(let period, let t0, let drift, let last):
      // Neither format has a `t0`, but one that is a multiple of the period is the same as drift.
      let (steps, isOver) = Int64(drift).subtractingReportingOverflow(t0 / period)
      guard t0.isMultiple(of: period), !isOver else { throw SeedRefusal(line: line, .time, .unsupported) }
      kind = .totp(period: period, drift: steps, lastAcceptedStep: last)
    }
    self.init(
      kind, secret: factor.secret, algorithm: factor.algorithm, digits: factor.digits, keyID: factor.uid,
      account: account, displayName: factor.displayName, line: line)
  }
}
