#if SQLite
import GRDB
import MultiFactor

extension FactorStoreError {
  /// Converts any error from GRDB, without the statement that GRDB's own error contains.
  init(_ error: any Error, otherwise kind: Kind = .failed) {
    switch error {
    case let error as FactorStoreError: self = error
    case let error as DatabaseError:
      let code = "SQLite \(error.extendedResultCode.rawValue)"
      switch error.resultCode {
      case .SQLITE_BUSY, .SQLITE_LOCKED: self.init(.timeout, code: code)
      case .SQLITE_NOTADB: self.init(.foreign, code: code)
      case .SQLITE_CORRUPT: self.init(.corrupt, code: code)
      case .SQLITE_CANTOPEN: self.init(.cannotOpen, code: code)
      case .SQLITE_FULL: self.init(.full, code: code)
      case .SQLITE_READONLY: self.init(.readOnly, code: code)
      default: self.init(kind, code: code)
      }
    default: self.init(kind)
    }
  }
}
#endif
