/// `otp keyring`
struct KeyringCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keyring", abstract: "Make a keyring, and rotate its keys.",
    discussion: """
      To rotate the key that seals: 'add' a key, give the new file to every server and restart them; only then \
      'activate' it, and restart them again, since a server cannot open what was sealed with a key that it lacks. When \
      everything has been sealed again, 'remove' the old key, and keep a copy of it for old backups.
      """,
    subcommands: [
      KeyringNew.self, KeyringAdd.self, KeyringActivate.self, KeyringRemove.self, KeyringList.self,
    ])

  func run() throws {
    throw ToolError.usage("a command is missing: new, add, activate, remove or list; see 'otp keyring --help'")
  }
}

/// The keyring's file.
struct KeyringFile: ParsableArguments {
  @Argument(help: "The keyring's file.", completion: .file())
  var file: PathArgument
}

extension PathArgument {
  /// Calls a keyring with its path, and names the file in errors.
  func keyring<R>(_ body: (String) throws(KeyringError) -> R) throws(ToolError) -> R {
    do throws(KeyringError) {
      return try body(text)
    } catch {
      let name = self.name.map { "the keyring \($0)" } ?? "the keyring"
      switch error.kind {
      case .exists: throw .data("\(name) already exists; nothing was created")
      case .cannotRead where error.systemError == ENOENT:
        throw .data("\(name) is missing; restore it, or create a new one with 'otp keyring new'")
      case .unknownKey: throw .data("the keyring has no such key")
      case .keyIsActive: throw .data("the key is active; first activate another one")
      case .tooLong: throw .data("the keyring has too many keys; remove one")
      default: throw ToolError(error, StoreNames(keyring: name))
      }
    }
  }
}

/// A command that changes a keyring's file.
protocol KeyringChange: ParsableCommand {
  var keyring: KeyringFile { get }
  var output: JSONOption { get }

  /// What it has done, as printed.
  static var result: String { get }

  /// Changes the file, and returns the name of the key that it is about.
  func change(_ path: String) throws(KeyringError) -> String
}

extension KeyringChange {
  func run() throws {
    let name = try keyring.file.keyring(change)
    try Line(Self.result, [Field("key", name, text: DisplayText.escaped(name))]).print(asJSON: output.json)
  }
}

/// `otp keyring new`
struct KeyringNew: KeyringChange {
  static let result = "created"
  static let configuration = CommandConfiguration(
    commandName: "new", abstract: "Create a keyring with a new random key. A file that exists is not changed.",
    discussion: """
      Prints 'created key=NAME'. Do this once: a new keyring opens nothing that another one sealed. Give the file to \
      every server, and back it up apart from what it seals. Its mode is 0600.

      EXAMPLE: otp keyring new /etc/example/keyring
      """)

  @OptionGroup var keyring: KeyringFile
  @OptionGroup var output: JSONOption

  func change(_ path: String) throws(KeyringError) -> String { try Keyring.create(file: path).activeKeyName }
}

/// `otp keyring add`
struct KeyringAdd: KeyringChange {
  static let result = "added"
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add a new random key, which opens but does not seal until it is activated.",
    discussion: """
      Prints 'added key=NAME'.

      EXAMPLE: otp keyring add /etc/example/keyring
      """)

  @OptionGroup var keyring: KeyringFile
  @OptionGroup var output: JSONOption

  func change(_ path: String) throws(KeyringError) -> String { try Keyring.addKey(toFile: path) }
}

/// `otp keyring activate`
struct KeyringActivate: KeyringChange {
  static let result = "activated"
  static let configuration = CommandConfiguration(
    commandName: "activate", abstract: "Make a key the one that seals. The others still open.",
    discussion: """
      Prints 'activated key=NAME'. First restart every server with a file that has the key.

      EXAMPLE: otp keyring activate /etc/example/keyring 9f86d081
      """)

  @OptionGroup var keyring: KeyringFile

  @Argument(help: "The key's name.")
  var name: String

  @OptionGroup var output: JSONOption

  func change(_ path: String) throws(KeyringError) -> String {
    try Keyring.activateKey(named: name, inFile: path)
    return name
  }
}

/// `otp keyring remove`
struct KeyringRemove: KeyringChange {
  static let result = "removed"
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove a key. What it sealed, and another key has not sealed again, can never be opened.",
    discussion: """
      Prints 'removed key=NAME'. The active key is not removed. Keep a copy of the old file as long as you may need a \
      backup that the key sealed.

      EXAMPLE: otp keyring remove /etc/example/keyring 9f86d081
      """)

  @OptionGroup var keyring: KeyringFile

  @Argument(help: "The key's name.")
  var name: String

  @OptionGroup var output: JSONOption

  func change(_ path: String) throws(KeyringError) -> String {
    try Keyring.removeKey(named: name, fromFile: path)
    return name
  }
}

/// `otp keyring list`
struct KeyringList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the keys' names, the active one first. No key is shown.",
    discussion: """
      Each line is 'key=NAME active=yes|no'; before them is 'store=ID' if the keyring belongs to a store of factors.

      EXAMPLE: otp keyring list /etc/example/keyring
      """)

  @OptionGroup var keyring: KeyringFile
  @OptionGroup var output: JSONOption

  func run() throws {
    let found = try keyring.file.keyring { (path) throws(KeyringError) in try Keyring(file: path) }
    let keys = found.keyNames.map { (name: $0, isActive: $0 == found.activeKeyName) }
    let list = keys.map { Line([Field("name", $0.name), Field("isActive", $0.isActive)]) }
    try Report(
      fields: [Field("store", found.storeID), Field("keys", list, text: nil)],
      lines: (found.storeID.map { ["store=\($0)"] } ?? [])
        + keys.map { "key=\($0.name) active=\($0.isActive ? "yes" : "no")" }
    ).print(asJSON: output.json)
  }
}
