import Foundation
import MultiFactor
import MultiFactorPostgreSQL
import MultiFactorSQLite

/// Where a store of factors is, and the keyring that opens it.
struct StoreLocation {
  private enum Place {
    /// A file of SQLite's.
    case file(String)
    /// A PostgreSQL database, by its URL.
    case server(url: String)
  }

  private let place: Place
  let keyringFile: String
  /// What the keyring is called in an error.
  let keyringName: String
  /// Whether the folder is the tool's own, to be created where it is not there.
  private let isStandard: Bool

  /// - Parameters:
  ///   - store: The database's path or URL, or `nil` for the one in the user's data folder.
  ///   - keyring: The keyring, or `nil` for the one beside the store, or, of a server, in the user's data folder.
  init(_ store: PathArgument?, keyring: PathArgument?) throws(ToolError) {
    // GRDB and the keyring take a `String`.
    guard let path = store.map({ $0.text }) ?? "" else { throw .data("--store: the path is not UTF-8") }
    guard let keyringPath = keyring.map({ $0.text }) ?? "" else { throw .data("--keyring: the path is not UTF-8") }
    guard store == nil || !path.isEmpty else { throw .usage("--store: the path is empty") }
    guard keyring == nil || !keyringPath.isEmpty else { throw .usage("--keyring: the path is empty") }
    let isServer = ["postgres://", "postgresql://"].contains { path.hasPrefix($0) }
    isStandard = (store == nil || isServer) && keyring == nil
    // Foundation has U+FFFD for what is not UTF-8: the store would be in another folder.
    if isStandard, let folder = unsafe getenv("XDG_DATA_HOME"), unsafe String(validatingCString: folder) == nil {
      throw .data("XDG_DATA_HOME is not UTF-8")
    }
    let standard = StoreLocation.standardPath(environment: ProcessInfo.processInfo.environment)
    let file = store == nil ? standard : path
    place = isServer ? .server(url: path) : .file(file)
    keyringFile = keyring == nil ? Self.folder(of: isServer ? standard : file) + "/keyring.json" : keyringPath
    keyringName = keyring == nil && !isServer ? "keyring.json beside the store" : "the keyring"
  }

  /// The store in the user's data folder, by the XDG Base Directory Specification: a relative `XDG_DATA_HOME` is passed
  /// over.
  static func standardPath(environment: [String: String]) -> String {
    let home = FileManager.default.homeDirectoryForCurrentUser.path
    let data = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "\(home)/.local/share"
    return "\(data)/otp/factors.sqlite"
  }

  /// The folder, byte by byte: a combining character in a name makes another `Character` of the slash before it, and
  /// Foundation's `deletingLastPathComponent` ends the process at a path of one letter.
  private static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The library's default rules, without text messages.
  static var configuration: MultiFactorConfiguration {
    get throws(ConfigurationError) { try MultiFactorConfiguration(providerConfigs: [.totp()]) }
  }

  /// Opens the store under those rules.
  ///
  /// - Parameter creating: Whether to create store and keyring if neither is there.
  func open(creating: Bool) async throws -> MultiFactorAuth {
    try await namingErrors {
      let (store, keyring) = try await pair(creating: creating)
      let auth = try await MultiFactorAuth(
        configuration: Self.configuration, store: store, keyring: keyring)
      warnIfExposed()
      return auth
    }
  }

  /// The store and its keyring.
  ///
  /// A keyring that knows a store is never given another one, nor is a store given another keyring: either would turn
  /// every second factor off, or refuse every code.
  func pair(creating: Bool) async throws -> (store: any FactorStore, keyring: Keyring) {
    try await namingErrors {
      let isThere = try await isThere()
      guard isThere || creating || FileStatus(of: PathArgument(argument: keyringFile)) != nil else { throw Self.none }
      if !isThere, creating { try prepareFolder() }
      // The keyring comes first, and learns its store last. So there is never a store without one, and what breaks off
      // in between is gone on with by the next run: a keyring that knows no store, or an empty store beside it.
      let keyring = try Keyring(file: keyringFile, createIfMissing: creating && !isThere)
      let isNew = keyring.storeID == nil
      guard isThere || creating || !isNew else { throw Self.none }
      return (try store(createIfMissing: creating && isNew), keyring)
    }
  }

  /// The store to copy another one to, which is made if it is not there, and with it the other one's keyring.
  ///
  /// - Returns: The store, and whether its keyring was made.
  func destination(ofCopyFrom source: StoreLocation) async throws -> (store: any FactorStore, hasNewKeyring: Bool) {
    try await namingErrors {
      if case .file = place { _ = try await isThere() }
      try prepareFolder()
      let isNew = try Keyring.copy(file: source.keyringFile, to: keyringFile)
      return (try store(createIfMissing: true), isNew)
    }
  }

  private func store(createIfMissing: Bool) throws -> any FactorStore {
    switch place {
    case .file(let path): try SQLiteFactorStore(path: path, createIfMissing: createIfMissing)
    case .server(let url): try PostgreSQLFactorStore(url: url, createIfMissing: createIfMissing)
    }
  }

  /// Does something with the store, and turns what it throws into errors of the tool.
  func namingErrors<R>(_ body: () async throws -> R) async throws -> R {
    do {
      return try await body()
    } catch let error as KeyringError {
      throw ToolError(error, keyring: keyringName)
    } catch let error as SQLiteFactorStoreError {
      throw ToolError(error, keyring: keyringName)
    } catch let error as PostgreSQLFactorStoreError {
      throw ToolError(error)
    } catch let error as ConfigurationError {
      throw ToolError(error, keyring: keyringName)
    }
  }

  private static let none = ToolError.data("there is no store of factors; 'otp enroll' creates it")

  /// Whether there is a store: a file, or documents on the server.
  private func isThere() async throws -> Bool {
    switch place {
    case .file(let path): return try Self.isThere(path)
    case .server(let url):
      do {
        return try await !PostgreSQLFactorStore(url: url).keys(after: nil, limit: 1).isEmpty
      } catch let error as PostgreSQLFactorStoreError where error.kind == .missing {
        return false
      }
    }
  }

  /// Whether there is a file. Nothing is created in the place of anything else that the path leads to.
  private static func isThere(_ database: String) throws(ToolError) -> Bool {
    if let status = FileStatus(of: PathArgument(argument: database)) {
      guard status.isRegularFile else { throw .data("the store is not a regular file") }
      return true
    }
    var status = stat()
    guard unsafe lstat(database, &status) != 0 else {
      guard status.st_mode & S_IFMT != S_IFLNK else { throw .data("the store is a link that leads to no file") }
      // Created just now.
      return true
    }
    guard [ENOENT, ENOTDIR].contains(errno) else { throw .data("the store cannot be opened") }
    guard database.utf8.last != UInt8(ascii: "/") else { throw .data("the store's path is that of a folder") }
    return false
  }

  private func prepareFolder() throws(ToolError) {
    let folder = Self.folder(of: keyringFile)
    guard isStandard else {
      guard FileStatus(of: PathArgument(argument: folder))?.isFolder == true else {
        throw .data("\(keyringName): the folder is not there")
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

  /// Warns if other users can read or change the store, which the keyring's own check does not prevent: they could put
  /// back what was there before, so that a code is good again.
  func warnIfExposed() {
    guard case .file(let database) = place, let path = unsafe realpath(database, nil) else { return }
    defer { unsafe free(path) }
    let bytes = unsafe [UInt8](cString: path)
    let files = ["", "-wal", "-shm"].map { PathArgument(bytes: bytes + $0.utf8) }
    if files.contains(where: { FileStatus(of: $0)?.isExposed == true }) {
      StandardError.write(warning: "other users can read or change the store; see 'chmod 600'")
    } else if FileStatus(of: PathArgument(argument: Self.folder(of: database)))?.isOpenToAll == true {
      StandardError.write(warning: "other users can replace the store: its folder is open to all; see 'chmod o-w'")
    }
  }
}
