import Foundation

/// A folder that exists as long as this object.
package final class TemporaryFolder: Sendable {
  package let path: String

  package init() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("otp-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    path = folder.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  package func file(_ name: String = "keyring.json") -> String { path + "/" + name }

  package var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() } }

  /// Writes a file with a mode.
  package func write(_ text: String, to name: String = "keyring.json", mode: Int = 0o600) throws -> String {
    try Data(text.utf8).write(to: URL(fileURLWithPath: file(name)), options: .atomic)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file(name))
    return file(name)
  }

  package func mode(_ name: String = "keyring.json") throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: file(name))[.posixPermissions] as? Int
  }

  /// The file's inode number, which changes if another file replaces it.
  package func fileNumber(_ name: String = "keyring.json") throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: file(name))[.systemFileNumber] as? Int
  }
}
