/// Why a store failed, by the same kinds for every store. It contains no key, document, statement, path or message of
/// the database.
public struct FactorStoreError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of an error.
  @nonexhaustive public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// There is no store: no file, database or schema of that name. Only `create` makes one.
    case missing
    /// There already is a store, or something else, in that place: nothing was created.
    case exists
    /// The store is no longer the one that was opened: it was exchanged, emptied, made again or moved, or its documents
    /// are hidden. Nothing is read from it or written to it; open it again once it is the right one.
    case replaced
    /// The file is reachable by more than one name, each of which would be a store of its own: it has hard links, or is
    /// itself a mount point.
    case severalNames
    /// The file is not a database, or the file or schema belongs to another program.
    case foreign
    /// The store was written before the first release, and is not supported.
    case olderVersion
    /// The store was written by a newer version.
    case newerVersion
    /// The store is damaged, or contains something that it never writes.
    case corrupt
    /// The connection string, the configuration or the path is invalid, or requests something that the store must not
    /// use, such as a standby.
    case invalidConfiguration
    /// The file cannot be opened or created.
    case cannotOpen
    /// No server responded, or none currently accepts connections.
    case unreachable
    /// The server and the store could not agree on TLS: the certificate belongs to another host or is not trusted, or
    /// the server does not support TLS.
    case untrusted
    /// The password is wrong or missing, the role does not exist, or the server does not admit it from here.
    case authenticationFailed
    /// The role or user lacks a right.
    case forbidden
    /// The server is a standby, or the server or file does not accept writes.
    case readOnly
    /// The server is on a timeline of PostgreSQL that this process has left: an old primary that was not stopped. If
    /// the server is the right one, as after `pg_upgrade`, restart the process.
    case outdated
    /// A change could be lost after it was acknowledged: the server's `fsync` is off, its `synchronous_commit` is below
    /// `on`, or a table is unlogged.
    case notDurable
    /// The disk is full, or the server has reached another limit. Nothing was changed.
    case full
    /// Too many calls are waiting. Nothing was changed. You can repeat the call.
    case overloaded
    /// The call waited too long: for a connection, the server, a lock, or another process. Nothing was changed. You can
    /// repeat it.
    case timeout
    /// The store failed while a change was being committed. The change may or may not have been made, or may not have
    /// reached a standby. It was not run again.
    case outcomeUnknown
    /// Anything else. Nothing was changed.
    case failed
  }

  /// What went wrong.
  public let kind: Kind
  /// The database's own code, if it reported one: `SQLSTATE 53100`, `SQLite 13`.
  public let code: String?

  /// An error, as a store throws it.
  public init(_ kind: Kind, code: String? = nil) {
    self.kind = kind
    self.code = code
  }

  /// The source of the error, its kind, and the database's code if there is one.
  public var description: String { "store: \(kind.rawValue)" + (code.map { " (\($0))" } ?? "") }
}
