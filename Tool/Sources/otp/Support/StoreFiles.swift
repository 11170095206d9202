import Foundation
import MultiFactor
import MultiFactorSQLite

/// The files of a store of factors: the database, and beside it the keyring.
struct StoreFiles {
  let database: String
  /// Whether the folder is the tool's own, to be created where it is not there.
  private let isStandard: Bool

  /// - Parameter path: The database, or `nil` for the one in the user's data folder.
  init(_ path: PathArgument?) throws(ToolError) {
    isStandard = path == nil
    guard let path else {
      // Foundation has U+FFFD for what is not UTF-8: the store would be in another folder.
      if let folder = unsafe getenv("XDG_DATA_HOME"), unsafe String(validatingCString: folder) == nil {
        throw .data("XDG_DATA_HOME is not UTF-8")
      }
      database = StoreFiles.standardPath(environment: ProcessInfo.processInfo.environment)
      return
    }
    // SQLite takes any bytes, but GRDB, by which the store calls it, a `String`.
    guard let text = path.text else { throw .data("--store: the path is not UTF-8") }
    guard !text.isEmpty else { throw .usage("--store: the path is empty") }
    database = text
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
  private var folder: String {
    guard let slash = database.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == database.startIndex ? "/" : String(database[..<slash])
  }

  /// Opens the store under the library's default rules, without text messages.
  ///
  /// A keyring that knows a store is never given another one, nor is a store given another keyring: either would turn
  /// every second factor off, or refuse every code.
  ///
  /// - Parameter creating: Whether to create the two if neither is there.
  func open(creating: Bool) async throws -> MultiFactorAuth {
    let isThere = try isThere()
    guard isThere || creating || FileStatus(of: PathArgument(argument: keyringFile)) != nil else { throw Self.none }
    if !isThere, creating { try prepareFolder() }
    do {
      // The keyring comes first, and learns its store last. So there is never a store without one, and what breaks off
      // in between is gone on with by the next run: a keyring that knows no store, or an empty store beside it.
      let keyring = try Keyring(file: keyringFile, createIfMissing: creating && !isThere)
      let isNew = keyring.storeID == nil
      guard isThere || creating || !isNew else { throw Self.none }
      let store = try SQLiteFactorStore(path: database, createIfMissing: creating && isNew)
      let auth = try await MultiFactorAuth(
        configuration: MultiFactorConfiguration(providerConfigs: [.totp()]), store: store, keyring: keyring)
      warnIfExposed()
      return auth
    } catch let error as KeyringError {
      throw ToolError(error)
    } catch let error as SQLiteFactorStoreError {
      throw ToolError(error)
    } catch let error as ConfigurationError {
      throw ToolError(error)
    }
  }

  private static let none = ToolError.data("there is no store of factors; 'otp enroll' creates it")

  private var keyringFile: String { "\(folder)/keyring.json" }

  /// Whether there is a file. Nothing is created in the place of anything else that the path leads to.
  private func isThere() throws(ToolError) -> Bool {
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
    guard isStandard else {
      guard FileStatus(of: PathArgument(argument: folder))?.isFolder == true else {
        throw .data("--store: the folder is not there")
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
  private func warnIfExposed() {
    guard let path = unsafe realpath(database, nil) else { return }
    defer { unsafe free(path) }
    let bytes = unsafe [UInt8](cString: path)
    let files = ["", "-wal", "-shm"].map { PathArgument(bytes: bytes + $0.utf8) }
    if files.contains(where: { FileStatus(of: $0)?.isExposed == true }) {
      StandardError.write(warning: "other users can read or change the store; see 'chmod 600'")
    } else if FileStatus(of: PathArgument(argument: folder))?.isOpenToAll == true {
      StandardError.write(warning: "other users can replace the store: its folder is open to all; see 'chmod o-w'")
    }
  }
}
