import Foundation
import SharedFixtures
import Testing

@testable import Keyring
@testable import OTP

/// Damage to a keyring file, and what killed processes leave beside it.
@Suite struct KeyringDamageTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The checksum is what `head -n -1 keyring.json | sha256sum` prints.
  private static let known = """
    {"format":"otp-keyring/1","active":"b","store":"0123456789abcdef0123456789abcdef","keys":[
    {"name":"a","key":"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE="},
    {"name":"b","key":"AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI="}],
    "hashKey":"AwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwM=",
    "sha256":"848396e133195a7d84c742f2ebe8e3e3ec05e04ef4502dc5ed7bfa1dc58a86c7"}

    """

  private func leftover(_ name: String) throws { _ = try folder.write("{}", to: name) }

  @Test func `a file with a known checksum is read, and written back unchanged`() throws {
    let path = try folder.write(Self.known)
    #expect(try Keyring(file: path).keyNames == ["b", "a"])
    try Keyring.activateKey(named: "a", inFile: path)
    #expect(try String(contentsOfFile: path, encoding: .utf8) != Self.known)
    try Keyring.activateKey(named: "b", inFile: path)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == Self.known)
  }

  @Test func `a file with any bit flipped is refused`() {
    let good = [UInt8](Self.known.utf8)
    let accepted = (0..<8 * good.count).filter { bit in
      var damaged = good
      damaged[bit / 8] ^= 1 << (bit % 8)
      let kind = keyringFailure { try KeyringDocument(parsing: SecretBytes(copying: damaged)) }
      return kind != .corrupt && kind != .malformed
    }
    #expect(accepted == [])
  }

  @Test func `a change removes the new files that killed processes left, and nothing else`() throws {
    let path = folder.file()
    _ = try Keyring.create(file: path)
    let others = [
      "keyring.json.new", "keyring.json.0123456789abcde.new", "keyring.json.0123456789abcdef0.new",
      "keyring.json.0123456789abcdeF.new", "keyring.json.0123456789abcdeg.new", "keyring.json.0123456789abcdef.old",
      "keyring.json.0123456789abcdef", "other.json.0123456789abcdef.new", "xkeyring.json.0123456789abcdef.new",
      "keyring.json0123456789abcdef.new", "keyring.json.0123456789abcdef.new.next",
    ]
    let leftovers = ["keyring.json.0123456789abcdef.new", "keyring.json.fedcba9876543210.next"]
    for name in others + leftovers { try leftover(name) }
    let link = "keyring.json.1111111111111111.new"
    let subfolder = "keyring.json.2222222222222222.next"
    try FileManager.default.createSymbolicLink(atPath: folder.file(link), withDestinationPath: folder.file(others[0]))
    try FileManager.default.createDirectory(atPath: folder.file(subfolder), withIntermediateDirectories: false)
    _ = try Keyring.rotate(file: path)
    #expect(try folder.names == (others + [link, subfolder, "keyring.json", "keyring.json.lock"]).sorted())
  }

  @Test func `the file that a killed process left does not stand in the way of the next one`() throws {
    let path = folder.file()
    _ = try Keyring.create(file: path)
    try leftover("keyring.json.0000000000000000.next")
    _ = try Keyring.rotate(file: path, random: .constant(0))
    #expect(try folder.names == ["keyring.json", "keyring.json.lock"])
  }

  @Test func `creating a keyring removes nothing beside it: a file there may have the only copy of lost keys`() throws {
    let leftovers = ["keyring.json.0123456789abcdef.new", "keyring.json.0123456789abcdef.next"]
    for name in leftovers { try leftover(name) }
    _ = try Keyring.create(file: folder.file())
    #expect(try folder.names == ["keyring.json"] + leftovers)
  }

  @Test func `leftovers of the keyring's owner and of this process are removed, and others' are not`() throws {
    // Only root can give files away.
    let owners: [uid_t] = geteuid() == 0 ? [0, 1, 2] : [geteuid()]
    let path = folder.file()
    _ = try Keyring.create(file: path)
    for owner in owners {
      let name = "keyring.json.000000000000000\(owners.count == 1 ? 0 : owner).next"
      try leftover(name)
      #expect(unsafe chown(folder.file(name), owner, getegid()) == 0)
    }
    if owners.count > 1 { #expect(unsafe chown(path, 1, getegid()) == 0) }
    _ = try Keyring.rotate(file: path)
    let rest = owners.count > 1 ? ["keyring.json.0000000000000002.next"] : []
    #expect(try folder.names == (["keyring.json", "keyring.json.lock"] + rest).sorted())
  }

  @Test func `processes that create, change and read a keyring at once do not remove each other's files`() async throws
  {
    for round in 0..<20 {
      let path = folder.file("\(round)")
      let failures = Locked<[KeyringError.Kind]>([])
      await onThreads(16) { index in
        let kind = keyringFailure {
          _ = try? Keyring.create(file: path)
          _ = try Keyring.rotate(file: path)
          return try Keyring(file: path)
        }
        if let kind { failures.withLock { $0.append(kind) } }
      }
      #expect(failures.withLock { $0 } == [])
      #expect(try Keyring(file: path).keyNames.count == 17)
    }
    #expect(try folder.names.count == 40)
  }

  @Test func `if the keyring is damaged, nothing beside it is removed`() throws {
    let path = try folder.write("{}")
    try leftover("keyring.json.0123456789abcdef.new")
    #expect(keyringFailure { try Keyring.rotate(file: path) } == .malformed)
    #expect(try folder.names == ["keyring.json", "keyring.json.0123456789abcdef.new", "keyring.json.lock"])
  }
}
