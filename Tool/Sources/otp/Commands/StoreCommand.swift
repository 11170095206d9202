/// `otp store`
struct StoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store", abstract: "Create, copy, check, reseal or spend a store.",
    subcommands: [StoreCreation.self, StoreCopy.self, StoreChecking.self, StoreResealing.self, StoreSpending.self])

  func run() throws {
    throw ToolError.usage("a command is missing: create, copy, check, reseal or spend; see 'otp store --help'")
  }
}

/// Who may use a new store.
struct ServersOption: ParsableArguments {
  @Option(help: ArgumentHelp("postgresql: the role of the servers, which gets what it needs.", valueName: "role"))
  var grantTo: String?
}

/// `otp store create`
struct StoreCreation: StoreUsing {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Create a store and its keyring, once, at setup.",
    discussion: """
      Prints 'created store=… keyring=…'. Neither is created beside one that exists; only a creation that was \
      interrupted is completed. In a database, the role must be allowed to create a schema.

      EXAMPLE: otp store create
      """)

  @OptionGroup var location: StoreOptions

  @OptionGroup var servers: ServersOption
  @OptionGroup var output: JSONOption

  func execute() async throws {
    let location = try location.location()
    try await location.create(grantingTo: servers.grantTo)
    let keyring = PathArgument(argument: location.keyringFile).shown
    try Line("created", [Field("store", location.shownStore), Field("keyring", keyring)]).print(asJSON: output.json)
  }
}

/// `otp store reseal`
struct StoreResealing: StoreUsing {
  static let configuration = CommandConfiguration(
    commandName: "reseal", abstract: "Seal again, with the active key, what others sealed.",
    discussion: """
      Prints 'resealed documents=N unreadable=N'. Run it after 'otp keyring activate', once every server has the new \
      file, and before 'otp keyring remove'. It can be interrupted, and run again.

      EXAMPLE: otp store reseal
      """)

  @OptionGroup var location: StoreOptions
  @OptionGroup var output: JSONOption

  func execute() async throws {
    let counts = try await location.location().open().admin.resealAll()
    try Line("resealed", [Field("documents", counts.resealed), Field("unreadable", counts.unreadable)])
      .print(asJSON: output.json)
    guard counts.unreadable == 0 else { throw ExitStatus.negative }
  }
}

/// `otp store spend`
struct StoreSpending: StoreUsing {
  static let configuration = CommandConfiguration(
    commandName: "spend", abstract: "Spend codes that may be used, after a restore.",
    discussion: """
      Prints 'spent accounts=N unreadable=N', and exits 1 unless all were. A restored store has forgotten which codes \
      were used since the backup: this spends all \
      that any server can have accepted until now, under any policy, before the store serves again. As long as an \
      app shows a spent code, its user is asked to wait: ten minutes with a period of 30 seconds, twice the default window. Until then, the other \
      commands call the factor 'spent'. The counters of hardware tokens and the recovery codes that were used since \
      cannot be known.

      EXAMPLE: otp store spend
      """)

  @OptionGroup var location: StoreOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The latest moment at which a server accepted codes. (default: now)", valueName: "unix-time"),
    transform: OptionValue.recordTime)
  var until: Int64?

  @OptionGroup var output: JSONOption

  func execute() async throws {
    // A mistyped time would lock all users out, for as long as it is ahead.
    guard until.map({ TimeInterval($0) < Date().timeIntervalSince1970 + 86_400 }) ?? true else {
      throw ToolError.usage("--until: more than a day ahead")
    }
    let widest = try MultiFactorConfiguration(providerConfigs: [.totp(adjacentIntervals: 10, driftLimit: 10)])
    let admin = try await location.location().open(widest).admin
    let counts = try await admin.spendCodes(until: until.map { Date(timeIntervalSince1970: TimeInterval($0)) })
    try Line("spent", [Field("accounts", counts.spent), Field("unreadable", counts.unreadable)])
      .print(asJSON: output.json)
    guard counts.unreadable == 0 else { throw ExitStatus.negative }
  }
}

/// `otp store copy`
struct StoreCopy: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy", abstract: "Copy a store into an empty one, which is created.",
    discussion: """
      First stop everything that uses FROM. The documents are copied sealed, as they are; then all are compared, and \
      only then can the copy be used. Repeat the command to resume an interrupted copy. Prints 'copied \
      documents=N'.

      The keyring is also copied, to the default place for TO, unless --keyring names one for both. \
      From then on, use only TO: the keyring still opens FROM, where codes spent in TO are not spent.

      EXAMPLE: otp store copy factors.sqlite postgresql://otp_owner@db1,db2/login --grant-to otp_service
      """)

  @Argument(help: "The store to copy: the path of a file, or a URL, as for --store.", completion: .file())
  var from: PathArgument

  @Argument(help: "The store to copy to, in the same form.", completion: .file())
  var to: PathArgument

  @OptionGroup var servers: ServersOption
  @OptionGroup var keyring: KeyringOption
  @OptionGroup var output: JSONOption

  func run() async throws {
    let source = try StoreLocation(from, keyring: keyring.keyring)
    let destination = try StoreLocation(to, keyring: keyring.keyring)
    let (store, keys) = try await source.pair()
    let copy = try await destination.destination(ofCopyFrom: source, grantingTo: servers.grantTo)
    let progress = Progress()
    let count = try await source.namingErrors {
      try await store.copy(to: copy, keyring: keys) { count, isComparing in
        progress.show("\(count) documents \(isComparing ? "compared" : "copied")")
      }
    }
    progress.end()
    destination.warnIfExposed()
    try Line("copied", [Field("documents", count)]).print(asJSON: output.json)
  }
}

/// `otp store check`
struct StoreChecking: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Open and count every document of a store.",
    discussion: """
      Prints 'users=N documents=N unreadable=N', and a line 'unreadable key=…' for each document that the keyring \
      cannot open: it is damaged, was moved, or was sealed by a key that is gone. Nothing is changed.

      EXAMPLE: otp store check --store postgresql://otp@db1,db2/login
      """)

  @OptionGroup var store: StoreOptions
  @OptionGroup var output: JSONOption

  func run() async throws {
    let location = try store.location()
    let (store, keyring) = try await location.pair()
    let progress = Progress()
    let check = try await location.namingErrors {
      try await store.check(keyring: keyring) { count in progress.show("\(count) documents opened") }
    }
    progress.end()
    location.warnIfExposed()
    let unreadable = check.unreadable.map { key in
      // Two keys that are no UTF-8 are not shown alike.
      String(validating: key.bytes, as: UTF8.self).map { DisplayText.escaped($0) }
        ?? key.bytes.map { "\\x{\(String($0, radix: 16))}" }.joined()
    }
    let counts = [Field("users", check.userCount), Field("documents", check.documentCount)]
    try Report(
      fields: counts + [Field("unreadable", unreadable, text: nil)],
      lines: [Line(counts + [Field("unreadable", unreadable.count)]).text] + unreadable.map { "unreadable key=\($0)" }
    ).print(asJSON: output.json)
    guard check.unreadable.isEmpty else { throw ExitStatus.negative }
  }
}

/// A command's progress: one line on standard error, if that is a terminal.
private struct Progress {
  private let isTerminal = isatty(STDERR_FILENO) == 1

  func show(_ text: String) { if isTerminal { StandardError.write(prompt: "\r\(text)") } }

  func end() { if isTerminal { StandardError.write(prompt: "\n") } }
}
