#if SQLite
import GRDB
import MultiFactor

/// An error of a ``SQLiteFactorStore``. It contains no statements or arguments.
public struct SQLiteFactorStoreError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of an error.
  @nonexhaustive public enum Kind: String, Sendable {
    /// The file does not exist, and `createIfMissing` is false.
    case missing
    /// The file cannot be opened or created.
    case cannotOpen
    /// The file was written before the first release, and is not supported.
    case olderVersion
    /// The file was written by a newer version of this store.
    case newerVersion
    /// The file is not an SQLite database, or belongs to another program.
    case notADatabase
    /// The file is damaged, or contains something that this store never writes.
    case corrupt
    /// Another process held the file for longer than the store waits. You can repeat the call.
    case busy
    /// Anything else. Nothing was changed.
    case failed
  }

  /// What went wrong.
  public let kind: Kind
  /// SQLite's extended result code, if the error is SQLite's.
  public let resultCode: Int32?

  init(_ kind: Kind, resultCode: Int32? = nil) {
    self.kind = kind
    self.resultCode = resultCode
  }

  /// Converts any error from GRDB, without the statement that GRDB's own error contains.
  init(_ error: any Error, otherwise kind: Kind = .failed) {
    switch error {
    case let error as SQLiteFactorStoreError: self = error
    case let error as DatabaseError:
      let code = error.extendedResultCode.rawValue
      switch error.resultCode {
      case .SQLITE_BUSY, .SQLITE_LOCKED: self.init(.busy, resultCode: code)
      case .SQLITE_NOTADB: self.init(.notADatabase, resultCode: code)
      case .SQLITE_CORRUPT: self.init(.corrupt, resultCode: code)
      case .SQLITE_CANTOPEN: self.init(.cannotOpen, resultCode: code)
      default: self.init(kind, resultCode: code)
      }
    default: self.init(kind)
    }
  }

  /// The source of the error, its kind, and SQLite's result code if there is one.
  public var description: String {
    "SQLite store: \(kind.rawValue)" + (resultCode.map { " (SQLite \($0))" } ?? "")
  }
}
#endif
