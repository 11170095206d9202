import Foundation
import Testing

@testable import MultiFactor
@testable import OTP

extension SecureRandom {
  /// A source that works so many times and fails from then on.
  static func failing(after successes: Int) -> SecureRandom {
    let calls = Locked(0)
    return unsafe SecureRandom { bytes in
      let isAllowed = calls.withLock { calls in
        calls += 1
        return calls <= successes
      }
      return unsafe isAllowed && SecureRandom.system.fill(bytes)
    }
  }

  /// A source of one byte.
  static func constant(_ byte: UInt8) -> SecureRandom {
    unsafe SecureRandom { bytes in
      for index in bytes.indices { unsafe bytes[index] = byte }
      return true
    }
  }
}

extension Keyring {
  /// A keyring whose keys are as many bytes of one kind each.
  static func fixed(active: (String, UInt8), others: [(String, UInt8)] = [], hash: UInt8 = 9) throws -> Keyring {
    func key(_ name: String, _ byte: UInt8) throws -> Key {
      try Key(name: name, secret: OTPSecret(bytes: [UInt8](repeating: byte, count: 32)))
    }
    return try Keyring(
      activeKey: key(active.0, active.1), otherKeys: others.map { try key($0.0, $0.1) },
      hashKey: OTPSecret(bytes: [UInt8](repeating: hash, count: 32)))
  }

  func sealed(_ text: String, for purpose: SealPurpose = .totpSecret, _ context: [String] = ["u1", "f1"]) throws
    -> [UInt8]
  {
    try seal(Array(text.utf8).span, for: purpose, boundTo: context)
  }

  func opened(_ sealed: [UInt8], for purpose: SealPurpose = .totpSecret, _ context: [String] = ["u1", "f1"]) throws
    -> String
  {
    String(decoding: try open(sealed, for: purpose, boundTo: context).bytes.copiedBytes(), as: UTF8.self)
  }
}

/// The kind of keyring error that a piece of work throws; `nil` where it throws none.
func keyringFailure<R>(_ work: () throws -> R) -> KeyringError.Kind? {
  do {
    _ = try work()
    return nil
  } catch {
    let error = error as? KeyringError
    #expect(error != nil, "an error of another type")
    return error?.kind
  }
}

/// A folder that is there for as long as this is.
final class TemporaryFolder {
  let path: String

  init() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("keyring-\(UUID().uuidString)")
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
}
