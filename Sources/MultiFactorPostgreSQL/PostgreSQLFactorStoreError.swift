#if PostgreSQL
/// An error of a ``PostgreSQLFactorStore``. It contains no message from the server, no statement, and nothing from the
/// connection string.
public struct PostgreSQLFactorStoreError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of an error.
  @nonexhaustive public enum Kind: String, Sendable {
    /// The connection string or configuration is invalid, or requests something that the store must not use: a standby,
    /// or a schema whose name is not made of `a`...`z`, `0`...`9` and `_`.
    case invalidURL
    /// No server responded, or none currently accepts connections.
    case unreachable
    /// The servers that responded do not accept writes: standbys, or read-only primaries.
    case readOnly
    /// The server and the store could not agree on TLS: the certificate belongs to another host or is not trusted, or
    /// the server does not support TLS.
    case untrusted
    /// The password is wrong or missing, the role does not exist, or the server does not admit it from here.
    case authenticationFailed
    /// The role lacks a right: to use the documents or, for setting up, to create the schema or tables.
    case forbidden
    /// The database does not exist; or it contains no store, and `createIfMissing` is false.
    case missing
    /// The schema contains another program's tables.
    case foreign
    /// The store was set up by a newer version of this one.
    case newerVersion
    /// A commit would return before it is durable: `synchronous_commit` is below `on`, which the configuration does not
    /// allow.
    case notDurable
    /// The server's disk is full, or it has reached another limit. Nothing was changed.
    case full
    /// Too many calls are waiting. Nothing was changed. You can repeat the call.
    case overloaded
    /// The call waited too long for a connection, the server, or a lock there. Nothing was changed. You can repeat it.
    case timeout
    /// The connection broke, or the response was late, while a change was being committed. The change may or may not
    /// have been made, or may not have reached a standby. It was not run again.
    case outcomeUnknown
    /// The table contains something that this store never writes.
    case corrupt
    /// Anything else. Nothing was changed.
    case failed
  }

  /// What went wrong.
  public let kind: Kind
  /// The server's five-character error code (`SQLSTATE`), if the server reported one.
  public let sqlState: String?

  init(_ kind: Kind, sqlState: String? = nil) {
    self.kind = kind
    self.sqlState = sqlState
  }

  /// The error for a code from the server.
  init(sqlState: String) {
    let kind: Kind =
      switch sqlState {
      // Out of connections, memory or disk.
      case "53300": .unreachable
      case _ where sqlState.hasPrefix("53"), "54000": .full
      // A lock or statement that took too long, or was cancelled by an administrator.
      case "55P03", "57014": .timeout
      case _ where sqlState.hasPrefix("57P"), _ where sqlState.hasPrefix("08"): .unreachable
      case "25006": .readOnly
      case _ where sqlState.hasPrefix("28"): .authenticationFailed
      case "42501": .forbidden
      case "3D000", "3F000", "42P01": .missing
      case "42703": .foreign
      default: .failed
      }
    self.init(kind, sqlState: sqlState)
  }

  /// Whether another attempt to connect may succeed soon, for example while a standby is being promoted.
  var isPassing: Bool { kind == .unreachable || kind == .readOnly }

  /// The source of the error, its kind, and the server's code if there is one.
  public var description: String {
    "PostgreSQL store: \(kind.rawValue)" + (sqlState.map { " (SQLSTATE \($0))" } ?? "")
  }
}
#endif
