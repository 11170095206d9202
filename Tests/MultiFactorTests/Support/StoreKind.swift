import Foundation
import MultiFactor

#if SQLite
import MultiFactorSQLite
#endif

/// The stores that the flows are tested on.
enum StoreKind: Sendable {
  case memory
  #if SQLite
  /// On a file of its own.
  case sqlite
  #endif

  #if SQLite
  static let available: [StoreKind] = [.memory, .sqlite]
  #else
  static let available: [StoreKind] = [.memory]
  #endif

  /// An empty store, and the folder that it lies in.
  func makeStore() throws -> (store: any FactorStore, folder: TemporaryFolder?) {
    switch self {
    case .memory: return (InMemoryFactorStore(), nil)
    #if SQLite
    case .sqlite:
      let folder = try TemporaryFolder()
      return (try SQLiteFactorStore(path: folder.file("factors.sqlite"), createIfMissing: true), folder)
    #endif
    }
  }
}
