#if PostgreSQL
/// What went wrong in a ``PostgreSQLFactorStore``. It holds no text of the server's, no statement, and nothing of the
/// connection string.
public struct PostgreSQLFactorStoreError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of an error.
  @nonexhaustive public enum Kind: String, Sendable {
    /// The connection string cannot be read, or asks for what the store must not use: a standby, or a schema whose name
    /// is not made of `a`...`z`, `0`...`9` and `_`.
    case invalidURL
    /// No server answered, or none accepts connections now.
    case unreachable
    /// Only servers answered on which nothing can be written: standbys, or primaries that are set to be read-only.
    case readOnly
    /// The server and the store could not agree on TLS: the certificate is another host's, or is not trusted, or the
    /// server has none.
    case untrusted
    /// The password is wrong or missing, or there is no such role, or the server lets it not in from here.
    case authenticationFailed
    /// The role lacks a right: to use the documents, or, to set them up, to create them.
    case forbidden
    /// There is no store in the database, or no such database, and none was to be created.
    case missing
    /// The schema has tables of another program.
    case foreign
    /// The store was set up by a newer version of this one.
    case newerVersion
    /// A commit would return before it is durable: `synchronous_commit` is below `on`, which was not asked for.
    case notDurable
    /// The server's disk is full, or another of its limits is reached. Nothing was changed.
    case full
    /// As many calls wait as may. Nothing was changed. The call can be repeated.
    case overloaded
    /// The call waited for too long: for a connection, for the server, or for a lock there. Nothing was changed. It can
    /// be repeated.
    case timeout
    /// The connection broke, or the answer was too late, while a change was being committed. It was made, or it was not,
    /// or it was made and no standby has it. It was not run again.
    case outcomeUnknown
    /// The table holds what this store never writes.
    case corrupt
    /// Anything else. Nothing was changed.
    case failed
  }

  /// What went wrong.
  public let kind: Kind
  /// The server's code for it, of five letters and digits (`SQLSTATE`), if the server has reported one.
  public let sqlState: String?

  init(_ kind: Kind, sqlState: String? = nil) {
    self.kind = kind
    self.sqlState = sqlState
  }

  /// What the server has refused to do.
  init(sqlState: String) {
    let kind: Kind =
      switch sqlState {
      // Lacking disk, memory or connections.
      case "53300": .unreachable
      case _ where sqlState.hasPrefix("53"), "54000": .full
      // A lock or an answer that took too long, and the administrator's cancelling.
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

  /// Whether another attempt to connect may succeed soon, as while a standby is being promoted.
  var isPassing: Bool { kind == .unreachable || kind == .readOnly }

  /// The kind, and the server's code.
  public var description: String {
    if let sqlState { "\(kind.rawValue) (SQLSTATE \(sqlState))" } else { kind.rawValue }
  }
}
#endif
