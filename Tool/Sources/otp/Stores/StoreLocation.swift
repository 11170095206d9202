import MultiFactorPostgreSQL
import MultiFactorSQLite

/// The location of a store of factors, and of the keyring that opens it.
struct StoreLocation {
  private enum Place {
    /// An SQLite file.
    case file(String)
    /// A PostgreSQL database, by its URL.
    case server(url: String)
  }

  private let place: Place
  let keyringFile: String
  /// What the two are called in error messages.
  let names: StoreNames
  /// Whether the folder is the tool's own, to be created if it does not exist.
  private let isStandard: Bool

  /// The environment variable that names the store if no option does.
  static let variable = "OTP_STORE"

  /// - Parameters:
  ///   - store: The database's path or URL, or `nil` for the one in the user's data folder.
  ///   - option: Where that was given.
  ///   - keyring: The keyring, or `nil` for the one beside the store or, for a server, in the user's data folder.
  init(_ store: PathArgument?, from option: String = "--store", keyring: PathArgument?) throws(ToolError) {
    let (path, keyringPath) = (store?.text ?? "", keyring?.text ?? "")
    guard store == nil || !path.isEmpty else { throw .usage("--store: the path is empty") }
    guard keyring == nil || !keyringPath.isEmpty else { throw .usage("--keyring: the path is empty") }
    let isServer = ["postgres://", "postgresql://"].contains { path.hasPrefix($0) }
    if !isServer, let misplaced = MisplacedText(path) { throw .usage("\(option): \(misplaced.explanation)") }
    if let misplaced = MisplacedText(keyringPath) { throw .usage("--keyring: \(misplaced.explanation)") }
    isStandard = (store == nil || isServer) && keyring == nil
    // Foundation replaces what is not UTF-8 with U+FFFD: the store would be in another folder.
    for name in ["XDG_DATA_HOME", "HOME"] where isStandard {
      if let folder = unsafe getenv(name), unsafe String(validatingCString: folder) == nil {
        throw .data("\(name) is not UTF-8")
      }
    }
    let standard = StoreLocation.standardPath(environment: ProcessInfo.processInfo.environment)
    let file = store == nil ? standard : path
    place = isServer ? .server(url: path) : .file(file)
    keyringFile = keyring == nil ? Self.folder(of: isServer ? standard : file) + "/keyring.json" : keyringPath
    var names = StoreNames()
    // The paths in the user's data folder were not typed.
    func name(_ path: String, isTyped: Bool) -> String {
      let path = PathArgument(argument: path)
      return (isTyped ? path.name : path.shown).map { " \($0)" } ?? ""
    }
    names.store += isServer ? " in the database" : name(file, isTyped: store != nil)
    names.keyring += name(keyringFile, isTyped: !isStandard)
    self.names = names
  }

  /// The store in the user's data folder, by the XDG Base Directory Specification: a relative `XDG_DATA_HOME` is
  /// ignored. (Foundation's home is the one in the list of users, whatever `HOME` is.)
  static func standardPath(environment: [String: String]) -> String {
    func folder(_ name: String) -> String? { environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
    let home = folder("HOME") ?? FileManager.default.homeDirectoryForCurrentUser.path
    return "\(folder("XDG_DATA_HOME") ?? "\(home)/.local/share")/otp/factors.sqlite"
  }

  /// The folder, found by bytes: a combining character at the start of a name forms one `Character` with the slash
  /// before it, and Foundation's `deletingLastPathComponent` crashes on a path of one letter.
  private static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// One step early or late, and a drift of four: as far as the layer's default, so that a loss spends the same steps.
  static var configuration: MultiFactorConfiguration {
    get throws(ConfigurationError) { try .init(providerConfigs: [.totp(adjacentIntervals: 1, driftLimit: 4)]) }
  }

  /// Opens the store with that configuration, or another one.
  func open(_ configuration: MultiFactorConfiguration? = nil) async throws -> MultiFactorAuth {
    try await namingErrors {
      let (store, keyring) = try await pair()
      let auth = try await MultiFactorAuth(
        configuration: configuration ?? Self.configuration, store: store, keyring: keyring,
        handlers: MultiFactorHandlers(event: Self.record))
      warnIfExposed()
      return auth
    }
  }

  /// Logs what was done, and says on a terminal why an app's code does not confirm an enrollment, to the operator who
  /// enrolls.
  private static let record: @Sendable (AuditEvent) -> Void = { event in
    SystemLog.record(event)
    if let diagnosis = event.diagnosis, isatty(STDERR_FILENO) == 1 { StandardError.write(line: diagnosis.description) }
  }

  /// The store for display: the file's path, or `postgresql` for a database, since a URL can have a password.
  var shownStore: String {
    switch place {
    case .file(let path): PathArgument(argument: path).shown
    case .server: "postgresql"
    }
  }

  /// Creates the store and its keyring, or what an interrupted creation has left out.
  ///
  /// - Parameter role: The role of a database's servers.
  func create(grantingTo role: String?) async throws {
    try await namingErrors {
      try checkPlace(grantingTo: role)
      try prepareFolder()
      try await MultiFactorAuth.createStore(keyringFile: keyringFile) {
        try await store(creating: true, grantingTo: role)
      }
    }
    warnIfExposed()
  }

  /// Refuses a place in which no store can be created for a role.
  private func checkPlace(grantingTo role: String?) throws(ToolError) {
    guard case .file(let path) = place else { return }
    guard role == nil else { throw .usage("--grant-to is for a database") }
    _ = try Self.isThere(path)
  }

  /// The store and its keyring, which exist.
  func pair() async throws -> (store: any FactorStore, keyring: Keyring) {
    try await namingErrors {
      let hasKeyring = FileStatus(of: keyringFile) != nil
      guard try await isThere() else {
        // A keyring that has no store seals tables of its own.
        guard hasKeyring, try Keyring(file: keyringFile).storeID != nil else {
          throw ToolError.data(
            "\(names.store) does not exist; name it with --store or \(Self.variable), or create it, with its keyring, "
              + "by 'otp store create'")
        }
        throw FactorStoreError(.missing)
      }
      let keyring = try Keyring(file: keyringFile)
      return (try await store(creating: false), keyring)
    }
  }

  /// The store to copy another one to. It is created if it does not exist, with a copy of the other one's keyring.
  ///
  /// - Parameter role: The role of a database's servers.
  func destination(ofCopyFrom source: StoreLocation, grantingTo role: String?) async throws -> any FactorStore {
    try await namingErrors {
      try checkPlace(grantingTo: role)
      try prepareFolder()
      if FileStatus(of: keyringFile) != nil { try Keyring.copy(file: source.keyringFile, to: keyringFile) }
      let store = try await store(creating: true, grantingTo: role)
      if FileStatus(of: keyringFile) == nil {
        // Beside another store it would be taken for that one's; and to remove it later could be to remove it from a
        // copy that another process has finished.
        guard try await store.keys(after: nil, limit: 1).isEmpty else { throw ToolError.destinationNotEmpty }
        try Keyring.copy(file: source.keyringFile, to: keyringFile)
      }
      return store
    }
  }

  /// Creates a part of a pair, unless an earlier run, or another process, has done that.
  private static func unlessThere(_ create: () async throws -> Void) async throws {
    do {
      try await create()
    } catch let error as FactorStoreError where error.kind == .exists {
    } catch let error as KeyringError where error.kind == .exists {
    }
  }

  /// - Parameter creating: Whether to create it, unless it exists.
  private func store(creating: Bool, grantingTo role: String? = nil) async throws -> any FactorStore {
    if creating {
      try await Self.unlessThere {
        switch place {
        case .file(let path): try SQLiteFactorStore.create(path: path)
        case .server(let url): try await PostgreSQLFactorStore.create(url: url, grantingTo: role)
        }
      }
    }
    return switch place {
    case .file(let path): try SQLiteFactorStore(path: path)
    case .server(let url): try PostgreSQLFactorStore(url: url)
    }
  }

  /// Runs an operation on the store, and converts its errors to errors of the tool.
  func namingErrors<R>(_ body: () async throws -> R) async throws -> R {
    do {
      return try await body()
    } catch let error as KeyringError {
      throw ToolError(error, names)
    } catch let error as FactorStoreError {
      throw ToolError(error, names)
    } catch let error as ConfigurationError {
      throw ToolError(error, names)
    }
  }

  /// Whether the store exists: a file, or a schema on the server.
  private func isThere() async throws -> Bool {
    switch place {
    case .file(let path): return try Self.isThere(path)
    case .server(let url):
      do {
        _ = try await PostgreSQLFactorStore(url: url).keys(after: nil, limit: 1)
        return true
      } catch let error as FactorStoreError where error.kind == .missing {
        return false
      }
    }
  }

  /// Whether the file exists. If the path leads to anything else, nothing is created in its place.
  private static func isThere(_ database: String) throws(ToolError) -> Bool {
    if let status = FileStatus(of: database) {
      guard status.isRegularFile else { throw .data("the store is not a regular file") }
      return true
    }
    var status = stat()
    guard unsafe lstat(database, &status) != 0 else {
      guard status.st_mode & S_IFMT != S_IFLNK else { throw .data("the store is a dangling symbolic link") }
      // It has just been created.
      return true
    }
    guard [ENOENT, ENOTDIR].contains(errno) else { throw .data("the store cannot be opened") }
    guard database.utf8.last != UInt8(ascii: "/") else { throw .data("the store's path is a folder") }
    return false
  }

  private func prepareFolder() throws(ToolError) {
    let folder = Self.folder(of: keyringFile)
    guard isStandard else {
      guard FileStatus(of: folder)?.isFolder == true else {
        throw .data("\(names.keyring): the folder does not exist")
      }
      return
    }
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .data("the folder of the store cannot be created")
    }
  }

  /// Warns if other users can read or change the store, which sealing does not prevent: they could restore an earlier
  /// state, in which a spent code is valid again.
  func warnIfExposed() {
    guard case .file(let database) = place, let path = unsafe realpath(database, nil) else { return }
    defer { unsafe free(path) }
    let files = ["", "-wal", "-shm"].map { unsafe String(cString: path) + $0 }
    if files.contains(where: { FileStatus(of: $0)?.isExposed == true }) {
      StandardError.write(warning: "other users can read or change the store; see 'chmod 600'")
    } else if FileStatus(of: Self.folder(of: database))?.isOpenToAll == true {
      StandardError.write(warning: "other users can replace the store: its folder is writable by all; see 'chmod o-w'")
    }
  }
}
