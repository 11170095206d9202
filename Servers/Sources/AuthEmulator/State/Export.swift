import Foundation

/// An export of Google's emulator: a folder with `firebase-export-metadata.json`, which names its subfolder for Auth,
/// with `config.json`, `accounts.json` and `accounts-{tenant}.json`.
struct Export: Sendable {
  private static let authName = "auth_export"

  private let url: URL

  init(path: String) { url = URL(fileURLWithPath: path, isDirectory: true) }

  /// Reads users and configuration into the default project.
  ///
  /// - Throws: ``ExportError`` if anything there cannot be read or imported.
  func load(into emulator: Emulator) async throws {
    let inner = url.appendingPathComponent(Self.authName, isDirectory: true)
    let folder = FileManager.default.fileExists(atPath: inner.path) ? inner : url
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    guard names.contains("accounts.json") else {
      throw ExportError(folder.path, "not imported: it has no accounts.json")
    }
    if names.contains("config.json") {
      let file = folder.appendingPathComponent("config.json")
      let config = try Self.content(of: file, as: .object(Schemas.emulatorConfig))
      _ = try await emulator.patchEmulatorConfig(Call(owner: emulator.defaultProject, body: config))
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

  /// A file's contents. What is not known here is left out, with a warning.
  private static func content(of file: URL, as kind: Kind) throws(ExportError) -> JSON {
    guard let data = try? Data(contentsOf: file) else { throw ExportError(file.path, "it cannot be read") }
    do {
      var unknown: Set<String>? = []
      let content = try kind.normalized(try JSON(parsing: data), at: "", unknown: &unknown)
      if let names = unknown?.sorted().joined(separator: ", "), !names.isEmpty {
        Console.warn("\(file.path): not imported, because it is not known here: \(names)")
      }
      return content
    } catch {
      throw ExportError(file.path, "not imported: \(error.message)")
    }
  }

  private func load(_ file: URL, tenant: String, into emulator: Emulator) async throws {
    let schema: Schema = ["users": Schemas.batchCreate["users"] ?? .any, "kind": .string]
    var users = try Self.content(of: file, as: .object(schema))["users"]?.array ?? []
    var leftCount = 0
    for index in users.indices {
      guard let factors = users[index]["mfaInfo"]?.array else { continue }
      let known = factors.filter { !Emulator.lacksSecret($0) }
      leftCount += factors.count - known.count
      users[index]["mfaInfo"] = .array(known)
    }
    if leftCount > 0 {
      Console.warn("\(file.path): not imported, because they have no secret: TOTP factors, \(leftCount) in all")
    }
    for start in stride(from: 0, to: users.count, by: 1000) {
      let part: JSON = [
        "users": .array(Array(users[start..<min(start + 1000, users.count)])), "allowOverwrite": true,
      ]
      let call = Call(owner: emulator.defaultProject, tenant: tenant.isEmpty ? nil : tenant, body: part)
      let answer = try await emulator.batchCreate(call)
      for error in answer["error"]?.array ?? [] {
        let index = (error["index"]?.integer ?? 0) + Int64(start)
        throw ExportError(file.path, "not imported: \(error["message"]?.string ?? "an error") (users[\(index)])")
      }
    }
  }

  /// Checks at the start, when there is nothing to lose, that an export can be written.
  func checkIsWritable() throws(ExportError) {
    let probe = url.appendingPathComponent(".\(Self.authName)")
    do {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      try Data().write(to: probe)
      try FileManager.default.removeItem(at: probe)
    } catch { throw ExportError(url.path, "no export can be written there") }
  }

  /// Writes users and configuration of the default project, in place of an earlier export.
  func save(_ emulator: Emulator) async throws {
    let folder = url.appendingPathComponent("\(Self.authName).new", isDirectory: true)
    try? FileManager.default.removeItem(at: folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let tenants = emulator.tenants(of: emulator.defaultProject).keys
    for tenant in [nil] + tenants.map(Optional.some) {
      let users = try await emulator.query(Call(owner: emulator.defaultProject, tenant: tenant, body: [:]))["userInfo"]
      let accounts: JSON = ["kind": "identitytoolkit#DownloadAccountResponse", "users": users ?? []]
      let name = tenant.map { "accounts-\($0).json" } ?? "accounts.json"
      try accounts.text.write(to: folder.appendingPathComponent(name), options: .atomic)
    }
    try await emulator.getEmulatorConfig(Call(owner: emulator.defaultProject, body: [:])).text.write(
      to: folder.appendingPathComponent("config.json"), options: .atomic)
    let earlier = url.appendingPathComponent(Self.authName, isDirectory: true)
    try? FileManager.default.removeItem(at: earlier)
    try FileManager.default.moveItem(at: folder, to: earlier)
    // Written last, because it declares the rest complete. The version is that of the format; Google's tools write
    // their own.
    let metadata: JSON = ["version": "13.0.0", "auth": ["version": "13.0.0", "path": .string(Self.authName)]]
    try metadata.text.write(to: url.appendingPathComponent("firebase-export-metadata.json"), options: .atomic)
  }
}

/// Why something cannot be imported: a file or folder, and what is wrong with it.
struct ExportError: Error, CustomStringConvertible {
  let path: String
  let text: String

  init(_ path: String, _ text: String) { (self.path, self.text) = (path, text) }

  var description: String { "\(path): \(text)" }
}
