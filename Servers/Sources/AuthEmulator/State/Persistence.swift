import Foundation
import MultiFactor

/// A folder that an emulator's state is kept in between runs: accounts and configurations, second factors, and the keys
/// that those are sealed with.
struct DataFolder: Sendable {
  private let url: URL

  /// Opens a folder, or makes it.
  init(path: String) throws {
    url = URL(fileURLWithPath: path, isDirectory: true)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  private var stateFile: URL { url.appendingPathComponent("state.json") }
  private var factorsFile: URL { url.appendingPathComponent("factors.json") }

  func keyring() throws -> Keyring {
    try Keyring(file: url.appendingPathComponent("keyring.json").path, createIfMissing: true)
  }

  func state() throws -> Emulator.State {
    guard let data = try? Data(contentsOf: stateFile) else { return Emulator.State() }
    return try JSONDecoder().decode(Emulator.State.self, from: data)
  }

  func store() async throws -> InMemoryFactorStore {
    let store = InMemoryFactorStore()
    guard let data = try? Data(contentsOf: factorsFile) else { return store }
    for (name, document) in try JSONDecoder().decode([String: Data].self, from: data) {
      guard let bytes = Data(base64Encoded: name), let key = DocumentKey(bytes: Array(bytes)) else {
        throw DataFolderError.malformed(factorsFile.path)
      }
      try await store.update(key) { $0 = Array(document) }
    }
    return store
  }

  /// Writes everything, each file whole or not at all.
  func save(_ emulator: Emulator) async throws {
    var documents: [String: Data] = [:]
    var last: DocumentKey?
    while true {
      let keys = try await emulator.secondFactors.store.keys(after: last, limit: 1000)
      guard let end = keys.last else { break }
      for key in keys {
        guard let document = try await emulator.secondFactors.store.document(key) else { continue }
        documents[Data(key.bytes).base64EncodedString()] = Data(document)
      }
      last = end
    }
    try JSONEncoder().encode(documents).write(to: factorsFile, options: .atomic)
    try JSONEncoder().encode(emulator.snapshot).write(to: stateFile, options: .atomic)
  }
}

enum DataFolderError: Error, CustomStringConvertible {
  case malformed(String)
  case notImported(String)

  var description: String {
    switch self {
    case .malformed(let path): "\(path) is not what this emulator writes"
    case .notImported(let text): "not imported: \(text)"
    }
  }
}

/// Google's emulator's export of Auth: a folder with `accounts.json` and `config.json`.
struct Export: Sendable {
  private let url: URL

  /// - Parameter path: That folder, or the one of all emulators, which has `auth_export` in it.
  init(path: String) {
    let url = URL(fileURLWithPath: path, isDirectory: true)
    let inner = url.appendingPathComponent("auth_export", isDirectory: true)
    self.url = FileManager.default.fileExists(atPath: inner.path) ? inner : url
  }

  /// Reads users and configuration into the default project.
  func load(into emulator: Emulator) async throws {
    let config = try JSON(parsing: Data(contentsOf: url.appendingPathComponent("config.json")))
    _ = try await emulator.patchEmulatorConfig(
      Call(owner: emulator.defaultProject, body: Kind.object(Schemas.emulatorConfig).normalized(config)))
    let accounts = try JSON(parsing: Data(contentsOf: url.appendingPathComponent("accounts.json")))
    let users = accounts["users"]?.array ?? []
    for start in stride(from: 0, to: users.count, by: 1000) {
      let request: JSON = [
        "users": .array(Array(users[start..<min(start + 1000, users.count)])), "allowOverwrite": true,
      ]
      let answer = try await emulator.batchCreate(
        Call(owner: emulator.defaultProject, body: Kind.object(Schemas.batchCreate).normalized(request)))
      for error in answer["error"]?.array ?? [] {
        throw DataFolderError.notImported(String(decoding: error.text, as: UTF8.self))
      }
    }
  }

  /// Writes users and configuration of the default project. TOTP factors are in it without their secrets, which nobody
  /// gets out of `MultiFactor`: an import leaves them out.
  func save(_ emulator: Emulator) async throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    let call = Call(owner: emulator.defaultProject, body: [:])
    let users = try await emulator.query(call)["userInfo"] ?? []
    let accounts: JSON = ["kind": "identitytoolkit#DownloadAccountResponse", "users": users]
    try accounts.text.write(to: url.appendingPathComponent("accounts.json"), options: .atomic)
    try await emulator.getEmulatorConfig(call).text.write(
      to: url.appendingPathComponent("config.json"), options: .atomic)
  }
}
