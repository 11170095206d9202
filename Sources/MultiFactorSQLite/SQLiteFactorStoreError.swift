#if SQLite
import GRDB
import MultiFactor

/// What went wrong in a ``SQLiteFactorStore``. It holds no statement and none of its arguments.
public struct SQLiteFactorStoreError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of an error.
  @nonexhaustive public enum Kind: String, Sendable {
    /// There is no file, and none was to be created.
    case missing
    /// The file cannot be opened or created.
    case cannotOpen
    /// The file was written before the first release, and is not read.
    case olderVersion
    /// The file was written by a newer version of this store.
    case newerVersion
    /// The file is not an SQLite database, or one of another program.
    case notADatabase
    /// The file is damaged, or holds what this store never writes.
    case corrupt
    /// Another process held the file for longer than the store waits. The call can be repeated.
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

  /// An error of whatever came out of GRDB, without the statement that GRDB's own error shows.
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

  /// The kind, and SQLite's result code.
  public var description: String {
    if let resultCode { "\(kind.rawValue) (SQLite \(resultCode))" } else { kind.rawValue }
  }
}
#endif
