/// `otp export`
struct Export: AsyncParsableCommand {
  /// The output format.
  enum Target: String, CaseIterable {
    case pskc, uris, csv
  }

  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write the keys of a file or an account.",
    discussion: """
      Standard output must not be a terminal. 'pskc' is a key container (RFC 6030), encrypted with a password or a key \
      of 32 bytes. 'uris' is one key URI per line, and 'csv' the table that 'otp import --format csv' reads, with the \
      secrets in the clear; both therefore also need --show-secret. If any key is refused, only the report of 'otp import --check' is written, or with --partial the \
      other keys, and the report to standard error; the exit status is 1.

      With --account, the keys are those of the account's factors in the store, except phones, to move the account to \
      another system. The store is not changed, and accepts codes of the factors until they are removed. Only 'csv' \
      records which code was used last by a TOTP key, failures, and keys that no code has confirmed.

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
    help: ArgumentHelp("The output format: pskc, uris or csv.", valueName: "format"),
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

  @Flag(help: "uris and csv: write the secrets in the clear.")
  var showSecret = false

  func run() async throws {
    guard isatty(STDOUT_FILENO) == 0 else { throw ToolError.usage("standard output is a terminal; write to a file") }
    let location = try store.location()
    let write = try writer()
    switch (file, format, account) {
    case (let file?, let format?, nil) where store.isEmpty:
      try SeedFile.open(file, reading.seedFormat(format)).write(by: write, partial: partial, warn: warn)
    case (nil, nil, let account?) where reading.isEmpty: try await writeFactors(of: account, in: location, by: write)
    default: throw ToolError.usage("a file with its --format is needed, or an --account of the store")
    }
  }

  private func writeFactors(of account: String, in location: StoreLocation, by write: SeedWriter) async throws {
    let auth = try await location.open()
    let factors: [FactorExport]
    do {
      _ = try await auth.admin.known(account)
      factors = try await auth.admin.exportSecrets(of: account)
    } catch let error as AuthError {
      throw ToolError(error)
    }
    guard !factors.isEmpty else { throw ToolError.data("the account has no factor with a secret in this store") }
    var report = SeedReport()
    var text = write.beginning
    for (index, factor) in factors.enumerated() {
      do throws(SeedRefusal) {
        let seed = try Seed(factor, of: account, line: index + 1)
        text += try write.text(seed)
        report.add(seed)
      } catch {
        report.add(error, index: index + 1)
      }
    }
    try report.check(partial: partial)
    warn(report)
    try StandardOutput.write(text + write.end)
    guard report.refused == 0 else { throw ExitStatus.negative }
  }

  /// Warns about what the output lacks.
  private func warn(_ report: SeedReport) {
    if !report.unverified.isEmpty { StandardError.write(warning: "the file's signature is not verified") }
    if to == .uris, report.drifting > 0 {
      StandardError.write(warning: "key URIs cannot record clock drift; keys that have it: \(report.drifting)")
    }
  }

  private func writer() throws -> SeedWriter {
    let key = try SeedFileOptions.key(toKeyFile, toPasswordFile)
    switch to {
    case .pskc:
      guard let key, !showSecret else {
        throw ToolError.usage("--to pskc needs --to-password-file or --to-key-file, and no --show-secret")
      }
      do throws(SeedRefusal) {
        let writer = try PSKCWriter(key)
        return SeedWriter(beginning: writer.beginning, end: writer.end) { (seed) throws(SeedRefusal) in
          try writer.keyPackage(encrypting: seed.confirmed())
        }
      } catch {
        throw error.reason == .mismatched ? ToolError.data("--to-key-file: not 32 bytes") : .software("\(error)")
      }
    case .uris, .csv:
      guard showSecret, key == nil else {
        throw ToolError.usage("--to \(to) writes secrets in the clear: it needs --show-secret, and takes no key")
      }
      guard to == .uris else { return SeedWriter(beginning: SeedColumns.header, text: SeedColumns.row) }
      return SeedWriter { (seed) throws(SeedRefusal) in
        let seed = try seed.confirmed()
        do throws(OTPError) { return try seed.uri().uriString() + "\n" } catch {
          throw SeedRefusal(error, line: seed.line)
        }
      }
    }
  }
}

extension Seed {
  /// The key; throws if no code has confirmed it, which this format cannot record.
  fileprivate func confirmed() throws(SeedRefusal) -> Seed {
    guard isConfirmed else { throw SeedRefusal(line: line, .confirmation, .unsupported) }
    return self
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
      // No format has a `t0`, but one that is a multiple of the period is the same as drift.
      let (steps, isOver) = Int64(drift).subtractingReportingOverflow(t0 / period)
      guard t0.isMultiple(of: period), !isOver else { throw SeedRefusal(line: line, .time, .unsupported) }
      kind = .totp(period: period, drift: steps, lastAcceptedStep: last)
    }
    self.init(
      kind, secret: factor.secret, algorithm: factor.algorithm, digits: factor.digits, keyID: factor.uid,
      account: account, displayName: factor.displayName, failures: factor.failures, line: line)
  }
}
