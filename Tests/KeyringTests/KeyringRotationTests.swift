import Foundation
import SharedFixtures
import Testing

@testable import Keyring
@testable import OTP

#if os(Linux)
@_silgen_name("setfsuid") @discardableResult private func setUser(_ user: uid_t) -> CInt
#endif

@Suite struct KeyringRotationTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `a rotation adds a key, seals with it, and opens what the old one sealed`() throws {
    let path = folder.file()
    let before = try Keyring.create(file: path)
    let sealed = try before.sealed("a secret")
    let name = try Keyring.rotate(file: path)
    let after = try Keyring(file: path)
    #expect(after.activeKeyName == name)
    #expect(after.keyNames == [name, before.activeKeyName])
    #expect(try after.opened(sealed) == "a secret")
    #expect(try !after.open(sealed, for: .totpSecret, boundTo: ["u1", "f1"]).isByActiveKey)
    #expect(keyringFailure { try before.opened(after.sealed("a secret")) } == .unknownKey)
    #expect(try before.hash([1], for: .recoveryCode, boundTo: []) == after.hash([1], for: .recoveryCode, boundTo: []))
    #expect(try folder.mode() == 0o600)
    #expect(try folder.names == ["keyring.json", "keyring.json.lock"])
    #expect(try folder.mode("keyring.json.lock") == 0o600)
  }

  @Test func `an added key opens values, and seals only once it is active`() throws {
    let path = folder.file()
    let old = try Keyring.create(file: path)
    let name = try Keyring.addKey(toFile: path)
    let between = try Keyring(file: path)
    #expect(between.activeKeyName == old.activeKeyName)
    #expect(between.keyNames == [old.activeKeyName, name])
    #expect(try old.opened(between.sealed("a secret")) == "a secret")

    try Keyring.activateKey(named: name, inFile: path)
    let after = try Keyring(file: path)
    #expect(after.activeKeyName == name)
    #expect(try between.opened(after.sealed("a secret")) == "a secret")
    #expect(keyringFailure { try Keyring.activateKey(named: "none", inFile: path) } == .unknownKey)
  }

  @Test func `a removed key opens nothing, and the active one cannot be removed`() throws {
    let path = folder.file()
    let first = try Keyring.create(file: path)
    let sealed = try first.sealed("a secret")
    #expect(
      keyringFailure { try Keyring.removeKey(named: first.activeKeyName, fromFile: path) } == .keyIsActive)
    let name = try Keyring.rotate(file: path)
    #expect(keyringFailure { try Keyring.removeKey(named: "none", fromFile: path) } == .unknownKey)
    try Keyring.removeKey(named: first.activeKeyName, fromFile: path)
    let last = try Keyring(file: path)
    #expect(last.keyNames == [name])
    #expect(keyringFailure { try last.opened(sealed) } == .unknownKey)
  }

  @Test func `the key with the bytes of a name is removed, not one with an equal text`() throws {
    let key = Data(repeating: 5, count: 32).base64EncodedString()
    let keys = ["0", "K"].map { #"{"name":"\#($0)","key":"\#(key)"}"# }.joined(separator: ",")
    let path = try folder.write(
      withChecksum(#"{"format":"otp-keyring/1","active":"0","keys":[\#(keys)],"hashKey":"\#(key)"}"#))
    #expect(keyringFailure { try Keyring.removeKey(named: "\u{212A}", fromFile: path) } == .unknownKey)
    try Keyring.removeKey(named: "K", fromFile: path)
    #expect(try Keyring(file: path).keyNames == ["0"])
  }

  #if os(Linux)
  @Test(.enabled(if: geteuid() == 0))
  func `a service rotates the file that root gave to its user, but not to its group, and has changed since`()
    throws
  {
    let path = folder.file()
    _ = try Keyring.create(file: path)
    _ = try Keyring.addKey(toFile: path)
    for owned in [path, folder.path] { #expect(unsafe chown(owned, 65_534, 65_533) == 0) }
    _ = try Keyring.addKey(toFile: path)
    // Of this thread only, as which files are opened and given away.
    setUser(65_534)
    defer { setUser(0) }
    let name = try Keyring.rotate(file: path)
    #expect(try Keyring(file: path).activeKeyName == name)
  }

  @Test(.enabled(if: geteuid() == 0)) func `root does not give away a file to which a lock is a link`() throws {
    let (path, other) = (folder.file(), folder.file("other"))
    _ = try Keyring.create(file: path)
    _ = try Keyring.create(file: other)
    #expect(unsafe chown(path, 65_534, 65_533) == 0)
    try FileManager.default.linkItem(atPath: other, toPath: path + ".lock")
    _ = try Keyring.addKey(toFile: path)
    #expect(try FileManager.default.attributesOfItem(atPath: other)[.ownerAccountID] as? Int == 0)
  }
  #endif

  @Test func `a lock that is a symbolic link is refused, and its target is not made`() throws {
    let path = folder.file()
    _ = try Keyring.create(file: path)
    for target in ["other", "keyring.json"] {
      try FileManager.default.createSymbolicLink(atPath: path + ".lock", withDestinationPath: folder.file(target))
      #expect(keyringFailure { try Keyring.rotate(file: path) } == .cannotWrite)
      #expect(try folder.names == ["keyring.json", "keyring.json.lock"])
      try FileManager.default.removeItem(atPath: path + ".lock")
    }
  }

  @Test(arguments: 0..<4) func `if the random source fails, the file stays as it was`(successes: Int) throws {
    let path = folder.file()
    let before = try Keyring.create(file: path).keyNames
    let kind = keyringFailure { try Keyring.rotate(file: path, random: .failing(after: successes)) }
    #expect(kind == (successes < 3 ? .randomnessUnavailable : nil))
    #expect(try Keyring(file: path).keyNames.count == (successes < 3 ? before.count : 2))
    #expect(try folder.names == ["keyring.json", "keyring.json.lock"])
  }

  @Test func `a file never grows beyond the size that is read`() throws {
    let base64 = Data(repeating: 5, count: 32).base64EncodedString()
    let keys = (0..<940).map { #"{"name":"\#($0)","key":"\#(base64)"}"# }.joined(separator: ",")
    let text = #"{"format":"otp-keyring/1","active":"0","keys":[\#(keys)],"hashKey":"\#(base64)"}"#
    let path = try folder.write(withChecksum(text))
    var kind: KeyringError.Kind?
    for _ in 0..<30 where kind == nil { kind = keyringFailure { try Keyring.rotate(file: path) } }
    #expect(kind == .tooLong)
    #expect(try Keyring(file: path).keyNames.count >= 940)
  }
}
