import Foundation
import Keyring
import MultiFactor
import MultiFactorOperations
import MultiFactorPostgreSQL
import MultiFactorSQLite

/// Where a store is: a file in a folder, or a schema of a PostgreSQL server, named after the folder. All hosts of a run
/// share it, and the keyring in the folder.
struct Place {
  /// `sqlite`, or a connection string.
  let url: String
  let folder: String
  let options: [String]

  private var path: String { folder + "/factors.sqlite" }
  private var keyringFile: String { folder + "/keyring.json" }

  private var configuration: PostgreSQLFactorStore.Configuration {
    var configuration = PostgreSQLFactorStore.Configuration()
    configuration.schema = URL(fileURLWithPath: folder).lastPathComponent
    // A server restarted after a kill, or a promoted standby, takes some seconds.
    configuration.waitingSeconds = 30
    configuration.connections = options.contains("wide") ? 8 : 2
    configuration.preparesStatements = !options.contains("pooled")
    return configuration
  }

  /// Creates store and keyring, unless another host has.
  func create() async throws {
    guard (try? Keyring(file: keyringFile))?.storeID == nil else { return }
    // Another host may be creating the two, or have been killed while it did.
    try await unlessThere {
      try await MultiFactorAuth.createStore(keyringFile: keyringFile) {
        try await unlessThere {
          if url == "sqlite" {
            try SQLiteFactorStore.create(path: path)
          } else {
            try await PostgreSQLFactorStore.create(url: url, configuration: configuration)
          }
        }
        return try open()
      }
    }
  }

  private func unlessThere(_ create: () async throws -> Void) async throws {
    do {
      try await create()
    } catch let error as FactorStoreError where error.kind == .exists {
    } catch let error as KeyringError where error.kind == .exists {
    }
  }

  func open() throws -> any FactorStore {
    if url == "sqlite" { return try SQLiteFactorStore(path: path) }
    return try PostgreSQLFactorStore(url: url, configuration: configuration)
  }

  func host() throws -> Host {
    let store = try open()
    return Host(
      store: options.contains("early") ? EarlyStore(store) : store, keyring: try Keyring(file: keyringFile))
  }

  /// Creates a store, writes documents of 8 KB, and gives up after five seconds.
  ///
  /// - Returns: `made`, or everything that the error shows.
  func probe(documents: Int) async -> String {
    do {
      var configuration = PostgreSQLFactorStore.Configuration()
      (configuration.waitingSeconds, configuration.connectSeconds) = (5, 5)
      let settings = configuration
      try await unlessThere { try await PostgreSQLFactorStore.create(url: url, configuration: settings) }
      let store = try PostgreSQLFactorStore(url: url, configuration: settings)
      for number in 0..<documents {
        guard let key = DocumentKey("probe/\(number)") else { return "not a key" }
        try await store.update(key) { $0 = [UInt8](repeating: 7, count: 8000) }
      }
      return "made"
    } catch {
      var dumped = ""
      dump(error, to: &dumped)
      return "\(error) \(error.localizedDescription) \(dumped)".replacing("\n", with: " ")
    }
  }
}

/// A planted fault: a store that answers before the commit, which it makes afterward.
private actor EarlyStore: FactorStore {
  private let base: any FactorStore
  private var commits: [DocumentKey: Task<Void, Never>] = [:]

  init(_ base: any FactorStore) { self.base = base }

  func read(_ key: DocumentKey) async throws -> StoredDocument {
    await commits[key]?.value
    return try await base.read(key)
  }

  func change<R: Sendable>(
    _ key: DocumentKey, _ change: @escaping @Sendable (inout StoredDocument) throws -> R
  ) async throws -> R {
    let old = try await read(key)
    var new = old
    let result = try change(&new)
    let bytes = new.bytes
    guard bytes != old.bytes else { return result }
    commits[key] = Task { [base] in
      try? await Task.sleep(for: .milliseconds(Int.random(in: 0..<100)))
      try? await base.update(key) { $0 = bytes }
    }
    return result
  }

  func keys(after key: DocumentKey?, limit: Int) async throws -> [DocumentKey] {
    try await base.keys(after: key, limit: limit)
  }
}
