import Foundation
import MultiFactor
import MultiFactorPostgreSQL
import MultiFactorSQLite

/// The site's users and web sessions: JSON values, each under its own key.
///
/// Most sites have their own tables for these. This one uses one of `MultiFactor`'s stores, separate from the one for
/// second factors, so that the same code runs on SQLite and PostgreSQL.
struct SiteStore: Sendable {
  let store: any FactorStore

  /// Opens a store: a schema of a PostgreSQL database, or a file.
  ///
  /// - Parameters:
  ///   - name: The schema, or the file without its suffix.
  ///   - url: The database, or `nil` for a file.
  ///   - folder: The folder of the file.
  ///   - isNew: Whether this is the site's first start, or continues one that was interrupted: the store is created if
  ///     it is missing. Otherwise, a wrong database would look like one without users.
  static func open(_ name: String, url: String?, folder: URL, isNew: Bool) async throws -> any FactorStore {
    func creating(_ create: () async throws -> Void) async throws {
      guard isNew else { return }
      do { try await create() } catch let error as FactorStoreError where error.kind == .exists {}
    }
    guard let url else {
      let file = folder.appendingPathComponent("\(name).sqlite")
      try await creating { try SQLiteFactorStore.create(path: file.path) }
      return try SQLiteFactorStore(path: file.path)
    }
    var configuration = PostgreSQLFactorStore.Configuration()
    configuration.schema = "login_example_\(name)"
    try await creating { try await PostgreSQLFactorStore.create(url: url, configuration: configuration) }
    return try PostgreSQLFactorStore(url: url, configuration: configuration)
  }

  /// The value under a key, if there is one.
  func value<Value: Decodable>(of type: Value.Type, under key: String) async throws -> Value? {
    guard let key = DocumentKey(key) else { return nil }
    return try await store.document(key).map { try JSONDecoder().decode(type, from: Data($0)) }
  }

  /// Changes the value under a key in one transaction; `nil` means none. `change` may run more than once.
  func change<Value: Codable & Sendable, Result: Sendable>(
    _ type: Value.Type, under key: String, _ change: @escaping @Sendable (inout Value?) throws -> Result
  ) async throws -> Result {
    guard let key = DocumentKey(key) else { throw CocoaError(.coderInvalidValue) }
    return try await store.update(key) { document in
      var value = try document.map { try JSONDecoder().decode(type, from: Data($0)) }
      let result = try change(&value)
      document = try value.map { Array(try JSONEncoder().encode($0)) }
      return result
    }
  }
}
