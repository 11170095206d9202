import Foundation
import Testing

/// A folder that exists as long as this object.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("otp-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    path = folder.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String = "keyring.json") -> String { path + "/" + name }

  var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() } }

  /// Writes a file with a mode.
  func write(_ text: String, to name: String = "keyring.json", mode: Int = 0o600) throws -> String {
    let created = FileManager.default.createFile(
      atPath: file(name), contents: Data(text.utf8), attributes: [.posixPermissions: mode])
    try #require(created)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file(name))
    return file(name)
  }

  func mode(_ name: String = "keyring.json") throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: file(name))[.posixPermissions] as? Int
  }

  /// The file's inode number, which changes if another file replaces it.
  func fileNumber(_ name: String = "keyring.json") throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: file(name))[.systemFileNumber] as? Int
  }
}
