import Foundation
import MultiFactor
import SharedFixtures

#if SQLite
import MultiFactorSQLite
#endif
#if PostgreSQL
@testable import MultiFactorPostgreSQL
#endif

/// The stores that the flows are tested on.
enum StoreKind: Sendable, Equatable {
  case memory
  #if SQLite
  /// SQLite, in a new file.
  case sqlite
  #endif

  #if PostgreSQL
  /// PostgreSQL, in a new schema on the server that Scripts/postgresql.sh has started.
  case postgreSQL(url: String)
  #endif

  /// PostgreSQL is included only in the check `stores`, since the flows take a minute on it.
  static let available: [StoreKind] = {
    #if PostgreSQL
    if let url = ProcessInfo.processInfo.environment["OTP_POSTGRESQL_FLOWS"] { return [.postgreSQL(url: url)] }
    #endif
    #if SQLite
    return [.memory, .sqlite]
    #else
    return [.memory]
    #endif
  }()

  /// An empty store, and its folder.
  func makeStore() throws -> (store: any FactorStore, folder: TemporaryFolder?) {
    switch self {
    case .memory: return (InMemoryFactorStore(), nil)
    #if SQLite
    case .sqlite:
      let folder = try TemporaryFolder()
      return (try SQLiteFactorStore.create(path: folder.file("factors.sqlite")), folder)
    #endif
    #if PostgreSQL
    case .postgreSQL(let url):
      var configuration = PostgreSQLFactorStore.Configuration()
      configuration.schema = "t_" + UUID().uuidString.lowercased().filter { $0 != "-" }
      configuration.requiresDurability = false
      try PostgreSQLFactorStore.server(url, configuration).create(grantingTo: nil)
      return (try PostgreSQLFactorStore(url: url, configuration: configuration), nil)
    #endif
    }
  }
}
