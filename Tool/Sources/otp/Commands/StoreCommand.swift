import ArgumentParser
import Foundation
import MultiFactor
import MultiFactorOperations

/// `otp store`
struct StoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store", abstract: "Move and check a store of second factors.",
    subcommands: [StoreCopy.self, StoreChecking.self])

  func run() throws {
    throw ToolError.usage("a command is missing: copy or check; see 'otp store --help'")
  }
}

/// `otp store copy`
struct StoreCopy: AsyncParsableCommand, PathTaking {
  static let configuration = CommandConfiguration(
    commandName: "copy",
    abstract: "Copy every document of a store into an empty one, which is created if it does not exist.",
    discussion: """
      First stop everything that uses FROM. The documents are copied sealed, as they are; then all are compared, and \
      only then can the copy be used. Repeat the command to resume an interrupted copy. Prints 'copied \
      documents=N'.

      The keyring is also copied, to the default place for TO, unless --keyring names one for both. \
      From then on, use only TO: the keyring still opens FROM, where codes spent in TO are not spent.

      EXAMPLE: otp store copy ~/.local/share/otp/factors.sqlite postgresql://otp@db1,db2/login
      """)

  @Argument(help: "The store to copy: the path of a file, or a URL, as for --store.", completion: .file())
  var from: PathArgument

  @Argument(help: "The store to copy to, in the same form.", completion: .file())
  var to: PathArgument

  @OptionGroup var keyring: KeyringOption
  @OptionGroup var output: JSONOption

  var paths: [PathArgument] { [from, to, keyring.keyring].compactMap { $0 } }

  func run() async throws {
    let source = try StoreLocation(from, keyring: keyring.keyring)
    let destination = try StoreLocation(to, keyring: keyring.keyring)
    let (store, keys) = try await source.pair(creating: false)
    let (copy, hasNewKeyring) = try await destination.destination(ofCopyFrom: source)
    let progress = Progress()
    let count = try await source.namingErrors {
      do {
        return try await store.copy(to: copy, keyring: keys) { count, isComparing in
          progress.show("\(count) documents \(isComparing ? "compared" : "copied")")
        }
      } catch let error as ConfigurationError where error.kind == .storeNotEmpty {
        // It does not belong to that store.
        if hasNewKeyring { try? FileManager.default.removeItem(atPath: destination.keyringFile) }
        throw error
      }
    }
    progress.end()
    destination.warnIfExposed()
    try CopiedStore(documents: count).print(asJSON: output.json)
  }
}

/// `otp store check`
struct StoreChecking: AsyncParsableCommand, PathTaking {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Open every document of a store. Exits 0 if all can be read, 1 otherwise.",
    discussion: """
      Prints 'users=N documents=N unreadable=N', and a line 'unreadable key=…' for each document that the keyring \
      cannot open: it is damaged, was moved, or was sealed by a key that is gone. Nothing is changed.

      EXAMPLE: otp store check --store postgresql://otp@db1,db2/login
      """)

  @OptionGroup var store: StoreOptions
  @OptionGroup var output: JSONOption

  var paths: [PathArgument] { store.paths }

  func run() async throws {
    let location = try store.location()
    let (store, keyring) = try await location.pair(creating: false)
    let progress = Progress()
    let check = try await location.namingErrors {
      try await store.check(keyring: keyring) { count in progress.show("\(count) documents opened") }
    }
    progress.end()
    location.warnIfExposed()
    try CheckedStore(check).print(asJSON: output.json)
    guard check.unreadable.isEmpty else { throw ExitStatus.negative }
  }
}

/// A command's progress: one line on standard error, if that is a terminal.
private struct Progress {
  private let isTerminal = isatty(STDERR_FILENO) == 1

  func show(_ text: String) {
    if isTerminal { StandardError.write(prompt: "\r\(text)") }
  }

  func end() {
    if isTerminal { StandardError.write(prompt: "\n") }
  }
}

/// What `otp store copy` prints.
private struct CopiedStore: Report {
  let result = "copied"
  let documents: Int

  var lines: [String] { ["copied documents=\(documents)"] }
}

/// What `otp store check` prints.
private struct CheckedStore: Report {
  let users: Int
  let documents: Int
  let unreadable: [String]

  init(_ check: StoreCheck) {
    users = check.userCount
    documents = check.documentCount
    unreadable = check.unreadable.map { PathArgument(bytes: $0.bytes).shown }
  }

  var lines: [String] {
    ["users=\(users) documents=\(documents) unreadable=\(unreadable.count)"]
      + unreadable.map { "unreadable key=\($0)" }
  }
}
