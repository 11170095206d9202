import Foundation
import MultiFactor

/// A folder for an emulator's state between runs: accounts and configurations, second factors, and the keys with which
/// they are sealed.
struct DataFolder: Sendable {
  private let url: URL

  /// Opens or creates a folder.
  init(path: String) throws {
    url = URL(fileURLWithPath: path, isDirectory: true)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  private var stateFile: URL { url.appendingPathComponent("state.json") }
  private var factorsFile: URL { url.appendingPathComponent("factors.json") }

  func keyring() throws -> Keyring {
    let path = url.appendingPathComponent("keyring.json").path
    return FileManager.default.fileExists(atPath: path) ? try Keyring(file: path) : try .create(file: path)
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

  /// Writes everything, each file atomically.
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
    case .malformed(let path): "\(path) was not written by this emulator"
    case .notImported(let text): "not imported: \(text)"
    }
  }
}

/// An export of Google's emulator: a folder with `firebase-export-metadata.json`, which names its subfolder for Auth,
/// with `config.json`, `accounts.json` and `accounts-{tenant}.json`.
struct Export: Sendable {
  private static let authName = "auth_export"

  private let url: URL

  init(path: String) { url = URL(fileURLWithPath: path, isDirectory: true) }

  /// Reads users and configuration into the default project.
  ///
  /// - Throws: ``DataFolderError`` and others, if anything there cannot be read or imported.
  func load(into emulator: Emulator) async throws {
    let inner = url.appendingPathComponent(Self.authName, isDirectory: true)
    let folder = FileManager.default.fileExists(atPath: inner.path) ? inner : url
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    guard names.contains("accounts.json") else {
      throw DataFolderError.notImported("no accounts.json in \(folder.path)")
    }
    if names.contains("config.json") {
      let config = try JSON(parsing: Data(contentsOf: folder.appendingPathComponent("config.json")))
      _ = try await emulator.patchEmulatorConfig(
        Call(owner: emulator.defaultProject, body: Kind.object(Schemas.emulatorConfig).normalized(config)))
    }
    for name in names.sorted() {
      guard let tenant = Self.tenant(ofFile: name) else { continue }
      try await load(folder.appendingPathComponent(name), tenant: tenant, into: emulator)
    }
  }

  /// The tenant whose users a file contains: an empty name for the project's own users; `nil` if it is not such a file.
  private static func tenant(ofFile name: String) -> String? {
    guard name.hasPrefix("accounts"), name.hasSuffix(".json") else { return nil }
    let middle = name.dropFirst("accounts".count).dropLast(".json".count)
    guard middle.isEmpty || middle.first == "-" && Call.isName(String(middle.dropFirst())) else { return nil }
    return String(middle.dropFirst())
  }

  private func load(_ file: URL, tenant: String, into emulator: Emulator) async throws {
    let users = try JSON(parsing: Data(contentsOf: file))["users"]?.array ?? []
    for start in stride(from: 0, to: users.count, by: 1000) {
      let request: JSON = [
        "users": .array(Array(users[start..<min(start + 1000, users.count)])), "allowOverwrite": true,
      ]
      let body = try Kind.object(Schemas.batchCreate).normalized(request)
      let answer = try await emulator.batchCreate(
        Call(owner: emulator.defaultProject, tenant: tenant.isEmpty ? nil : tenant, body: body))
      for error in answer["error"]?.array ?? [] {
        throw DataFolderError.notImported("\(file.lastPathComponent): \(String(decoding: error.text, as: UTF8.self))")
      }
    }
  }

  /// Writes users and configuration of the default project. TOTP factors are exported without their secrets, for
  /// which the format has no field, so an import skips them.
  func save(_ emulator: Emulator) async throws {
    let folder = url.appendingPathComponent(Self.authName, isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let tenants = (emulator.snapshot.projects[emulator.defaultProject]?.tenants ?? [:]).keys
    for tenant in [nil] + tenants.map(Optional.some) {
      let users = try await emulator.query(Call(owner: emulator.defaultProject, tenant: tenant, body: [:]))["userInfo"]
      let accounts: JSON = ["kind": "identitytoolkit#DownloadAccountResponse", "users": users ?? []]
      let name = tenant.map { "accounts-\($0).json" } ?? "accounts.json"
      try accounts.text.write(to: folder.appendingPathComponent(name), options: .atomic)
    }
    try await emulator.getEmulatorConfig(Call(owner: emulator.defaultProject, body: [:])).text.write(
      to: folder.appendingPathComponent("config.json"), options: .atomic)
    // Written last, because it declares the rest complete. The version is that of the format; Google's tools write
    // their own.
    let metadata: JSON = ["version": "13.0.0", "auth": ["version": "13.0.0", "path": .string(Self.authName)]]
    try metadata.text.write(to: url.appendingPathComponent("firebase-export-metadata.json"), options: .atomic)
  }
}
