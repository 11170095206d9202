import Foundation
import OTP
import SharedFixtures
import Testing

@testable import Keyring

@Suite struct StoreBindingTests {
  private let folder: TemporaryFolder
  private let path: String
  private let id = String(repeating: "0123456789abcdef", count: 2)
  private let other = String(repeating: "f", count: 32)

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file()
  }

  private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

  @Test func `a new keyring is not bound to a store, and remembers the first`() throws {
    let keyring = try Keyring.create(file: path)
    #expect(keyring.storeID == nil)
    #expect(try !text(path).contains("store"))
    let sealed = try keyring.sealed("a secret")
    try keyring.bind(toStore: id)
    #expect(keyring.storeID == id)
    #expect(try text(path).contains(#""store":"\#(id)""#))
    let again = try Keyring(file: path)
    #expect(again.storeID == id)
    #expect(again.keyNames == keyring.keyNames)
    #expect(try again.opened(sealed) == "a secret")
    #expect(try again.hash([1], for: .smsCode, boundTo: []) == keyring.hash([1], for: .smsCode, boundTo: []))
    #expect(try folder.mode() == 0o600)
    #expect(try folder.names == ["keyring.json", "keyring.json.lock"])
  }

  @Test func `a bound keyring accepts its own store again, without writing, and no other`() throws {
    let keyring = try Keyring.create(file: path)
    try keyring.bind(toStore: id)
    let before = try text(path)
    try FileManager.default.removeItem(atPath: path + ".lock")
    for keyring in [keyring, try Keyring(file: path)] {
      try keyring.bind(toStore: id)
      #expect(keyringFailure { try keyring.bind(toStore: other) } == .boundToAnotherStore)
      #expect(keyring.storeID == id)
    }
    #expect(try text(path) == before)
    #expect(try folder.names == ["keyring.json"])
  }

  @Test func `a keyring learns of a binding that another process wrote after it read the file`() throws {
    let keyrings = try [Keyring.create(file: path)] + (0..<2).map { _ in try Keyring(file: path) }
    try keyrings[0].bind(toStore: id)
    let before = try folder.fileNumber()
    try keyrings[1].bind(toStore: id)
    #expect(try folder.fileNumber() == before, "the file was written again")
    #expect(keyringFailure { try keyrings[2].bind(toStore: other) } == .boundToAnotherStore)
    #expect(keyrings.map(\.storeID) == [id, id, id])
    #expect(try Keyring(file: path).storeID == id)
  }

  @Test func `changing the keys keeps the store`() throws {
    let keyring = try Keyring.create(file: path)
    try keyring.bind(toStore: id)
    func expectBound() throws { #expect(try Keyring(file: path).storeID == id) }
    _ = try Keyring.rotate(file: path)
    try expectBound()
    let name = try Keyring.addKey(toFile: path)
    try expectBound()
    try Keyring.activateKey(named: name, inFile: path)
    try expectBound()
    try Keyring.removeKey(named: keyring.activeKeyName, fromFile: path)
    try expectBound()
    // Binding also keeps what others have changed since the file was read.
    let names = try Keyring(file: path).keyNames
    try keyring.bind(toStore: id)
    #expect(try Keyring(file: path).keyNames == names)
  }

  @Test func `a keyring in memory, or from a key service, remembers its store`() throws {
    let keyring = try Keyring()
    try keyring.bind(toStore: id)
    try keyring.bind(toStore: id)
    #expect(keyringFailure { try keyring.bind(toStore: other) } == .boundToAnotherStore)
    #expect(keyring.storeID == id)
    let secret = try OTPSecret(bytes: [UInt8](repeating: 1, count: 32))
    let key = try Keyring.Key(name: "a", secret: secret)
    let kept = try Keyring(activeKey: key, hashKey: secret, storeID: id)
    #expect(kept.storeID == id)
    #expect(keyringFailure { try kept.bind(toStore: other) } == .boundToAnotherStore)
  }

  @Test(arguments: [
    "", "0123456789abcdef", String(repeating: "A", count: 32), String(repeating: "g", count: 32),
    String(repeating: "0", count: 33), String(repeating: "\u{301}", count: 16),
    "0\"" + String(repeating: "0", count: 30),
  ])
  func `a malformed store ID is refused`(id: String) throws {
    let keyring = try Keyring.create(file: path)
    #expect(keyringFailure { try keyring.bind(toStore: id) } == .invalidName)
    #expect(keyring.storeID == nil)
    let secret = try OTPSecret(bytes: [UInt8](repeating: 1, count: 32))
    let key = try Keyring.Key(name: "a", secret: secret)
    #expect(keyringFailure { try Keyring(activeKey: key, hashKey: secret, storeID: id) } == .invalidName)
    let text = try text(path).replacingOccurrences(of: #""keys""#, with: #""store":"\#(id)","keys""#)
    let written = try folder.write(withChecksum(text), to: "written")
    #expect(keyringFailure { try Keyring(file: written) } == (id.contains("\"") ? .malformed : .invalidName))
  }

  @Test func `if the file cannot be written, the keyring stays unbound and can be bound later`() throws {
    let keyring = try Keyring.create(file: path)
    let before = try text(path)
    // A file mode would not do: root may write everywhere.
    try FileManager.default.createDirectory(atPath: path + ".lock", withIntermediateDirectories: false)
    #expect(keyringFailure { try keyring.bind(toStore: id) } == .cannotWrite)
    #expect(keyring.storeID == nil)
    #expect(try text(path) == before)
    try FileManager.default.removeItem(atPath: path + ".lock")
    try keyring.bind(toStore: id)
    #expect(try Keyring(file: path).storeID == id)
  }

  @Test func `binding does not create a file that is gone`() throws {
    let keyring = try Keyring.create(file: path)
    try FileManager.default.removeItem(atPath: path)
    #expect(keyringFailure { try keyring.bind(toStore: id) } == .cannotRead)
    #expect(keyring.storeID == nil)
    #expect(try !folder.names.contains("keyring.json"))
  }
}
