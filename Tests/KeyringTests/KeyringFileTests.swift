import Foundation
import SharedFixtures
import Testing

@testable import Keyring
@testable import OTP

#if os(Linux)
/// What fsync() was called for, by the files' paths at that time.
private let flushed = Locked<[String]>([])

/// Takes the place of libc's function in the tests' process.
@c(fsync) func flush(_ file: Int32) -> Int32 {
  let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(file)")
  flushed.withLock { $0.append(path ?? "") }
  return fdatasync(file)
}
#endif

@Suite struct KeyringFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A file's text, with parts of it replaced, but without its checksum.
  private func text(
    format: String = "otp-keyring/1", active: String = "a", names: [String] = ["a"], key: String? = nil,
    hashKey: String? = nil
  ) -> String {
    let good = Data(repeating: 5, count: 32).base64EncodedString()
    let keys = names.map { #"{"name":"\#($0)","key":"\#(key ?? good)"}"# }.joined(separator: ",")
    return #"{"format":"\#(format)","active":"\#(active)","keys":[\#(keys)],"hashKey":"\#(hashKey ?? good)"}"#
  }

  @Test func `a missing file is created, accessible to its owner only, and read again`() throws {
    let path = folder.file()
    let first = try Keyring.create(file: path)
    #expect(try folder.mode() == 0o600)
    #expect(try folder.names == ["keyring.json"])
    let second = try Keyring(file: path)
    #expect(second.keyNames == first.keyNames)
    #expect(try second.opened(first.sealed("a secret")) == "a secret")
    #expect(try first.hash([1], for: .smsCode, boundTo: []) == second.hash([1], for: .smsCode, boundTo: []))
  }

  #if os(Linux)
  @Test func `a new file is flushed to disk before it has its name, and its folder afterward`() throws {
    let path = folder.file()
    _ = try Keyring.create(file: path)
    let inOrder = flushed.withLock { $0.filter { $0.hasPrefix(folder.path) } }
    #expect(inOrder.count == 2 && inOrder[0].hasPrefix(path + ".") && folder.path.hasPrefix(inOrder[1]))
  }
  #endif

  @Test func `a file that another program wrote is read with any order, white space and slashes`() throws {
    let key = Data(repeating: 0xFF, count: 32).base64EncodedString().replacingOccurrences(of: "/", with: "\\/")
    #expect(key.contains("\\/"))
    let path = try folder.write(
      withChecksum(
        "\r\n{ \"keys\" : [ {\"key\":\"\(key)\",\n\"name\":\"b\"} , {\"name\":\"a\",\"key\":\"\(key)\"} ],\t"
          + "\"hashKey\":\"\(key)\",\"active\":\"\\u0061\",\"format\":\"otp-keyring\\/1\"}"))
    let keyring = try Keyring(file: path)
    #expect(keyring.keyNames == ["a", "b"])
    let same = try Keyring.fixed(active: ("a", 0xFF), hash: 0xFF)
    #expect(try same.opened(keyring.sealed("a secret")) == "a secret")
    #expect(try same.hash([1], for: .smsCode, boundTo: []) == keyring.hash([1], for: .smsCode, boundTo: []))
  }

  @Test func `opening a missing file is an error, and so is creating an existing one`() throws {
    #expect(keyringFailure { try Keyring(file: folder.file()) } == .cannotRead)
    #expect(try folder.names.isEmpty)
    let homeless = folder.file("none/keyring.json")
    #expect(keyringFailure { try Keyring.create(file: homeless) } == .cannotWrite)
    #expect(keyringFailure { try Keyring.create(file: "") } == .cannotWrite)
    #expect(keyringFailure { try Keyring.create(file: folder.file() + "\0.json") } == .cannotWrite)
    let keyring = try Keyring.create(file: folder.file())
    #expect(keyringFailure { try Keyring.create(file: folder.file()) } == .exists)
    #expect(try Keyring(file: folder.file()).keyNames == keyring.keyNames)
    #expect(try folder.names == ["keyring.json"])
  }

  @Test(arguments: [0o640, 0o620, 0o604, 0o602, 0o644, 0o666, 0o660, 0o777])
  func `a file that others can read or write is refused`(mode: Int) throws {
    let path = try folder.write(withChecksum(text()), mode: mode)
    #expect(keyringFailure { try Keyring(file: path) } == .readableByOthers)
    #expect(keyringFailure { try Keyring.rotate(file: path) } == .readableByOthers)
  }

  @Test func `anything but a file or pipe with a keyring is refused, without waiting for it`() throws {
    #expect(keyringFailure { try Keyring(file: folder.path) } == .cannotRead)
    #expect(unsafe mkfifo(folder.file("pipe"), 0o600) == 0)
    #expect(keyringFailure { try Keyring(file: folder.file("pipe")) } == .malformed)
    #expect(unsafe mkfifo(folder.file("open"), 0o600) == 0 && chmod(folder.file("open"), 0o620) == 0)
    #expect(keyringFailure { try Keyring(file: folder.file("open")) } == .readableByOthers)
    #expect(keyringFailure { try Keyring(file: "/dev/null") } == .cannotRead)
    // Not the file of the name before the NUL, either.
    #expect(keyringFailure { try Keyring(file: folder.write(withChecksum(text())) + "\0") } == .cannotRead)
  }

  @Test func `a keyring is read from a pipe, and nothing is written in its place`() throws {
    let contents = try Data(withChecksum(text()).utf8)
    /// The path of a pipe to which the contents are written, in two parts, the second of which is waited for.
    func written(to end: FileHandle, _ path: String) -> String {
      end.write(contents.prefix(9))
      Thread.detachNewThread {
        usleep(100_000)
        end.write(contents.dropFirst(9))
        try? end.close()
      }
      return path
    }
    let pipe = Pipe()
    let number = pipe.fileHandleForReading.fileDescriptor
    let keyring = try Keyring(file: written(to: pipe.fileHandleForWriting, "/dev/fd/\(number)"))
    #expect(keyring.activeKeyName == "a")
    #expect(keyringFailure { try keyring.bind(toStore: String(repeating: "0", count: 32)) } == .cannotRead)
    let name = folder.file("named")
    #expect(unsafe mkfifo(name, 0o600) == 0)
    let named = try written(to: FileHandle(forUpdating: URL(filePath: name)), name)
    #expect(keyringFailure { try Keyring.rotate(file: named) } == .cannotWrite)
    #expect(try folder.names == ["named", "named.lock"])
  }

  @Test func `a symbolic link is followed, and one that leads nowhere is refused`() throws {
    let path = try folder.write(withChecksum(text()))
    try FileManager.default.createSymbolicLink(atPath: folder.file("link"), withDestinationPath: path)
    #expect(try Keyring(file: folder.file("link")).activeKeyName == "a")
    let new = try Keyring.rotate(file: folder.file("link"))
    #expect(try Keyring(file: path).activeKeyName == new)
    try FileManager.default.createSymbolicLink(atPath: folder.file("loose"), withDestinationPath: folder.file("no"))
    #expect(keyringFailure { try Keyring(file: folder.file("loose")) } == .cannotRead)
    #expect(keyringFailure { try Keyring.create(file: folder.file("loose")) } == .exists)
  }

  @Test func `a file of up to 64 KiB is accepted, and a larger one is refused`() throws {
    let padding = try String(repeating: " ", count: 65_536 - withChecksum(text()).utf8.count)
    #expect(try Keyring(file: folder.write(withChecksum(padding + text()))).activeKeyName == "a")
    let longer = try folder.write(withChecksum(padding + " " + text()), to: "longer")
    #expect(keyringFailure { try Keyring(file: longer) } == .malformed)
  }

  @Test func `a file that breaks the format is refused with an error that says what is wrong`() throws {
    let good = text()
    let base64 = Data(repeating: 5, count: 32).base64EncodedString()
    let cases: [(String, KeyringError.Kind)] = [
      ("{}", .malformed), ("[]", .malformed), (good + "x", .malformed), (good + good, .malformed),
      ("\u{FEFF}" + good, .malformed), (good.replacingOccurrences(of: "{\"format", with: "[\"format"), .malformed),
      (good.replacingOccurrences(of: "{\"format", with: "{\"comment\":\"\",\"format"), .malformed),
      (good.replacingOccurrences(of: "{\"name", with: "{\"comment\":\"\",\"name"), .malformed),
      (good.replacingOccurrences(of: "{\"format", with: "{\"active\":\"a\",\"format"), .malformed),
      (good.replacingOccurrences(of: "\"active\":\"a\",", with: ""), .malformed),
      (good.replacingOccurrences(of: ",\"hashKey\":\"\(base64)\"", with: ""), .malformed),
      (good.replacingOccurrences(of: "\"active\":\"a\"", with: "\"active\":1"), .malformed),
      (good.replacingOccurrences(of: "]", with: ",]"), .malformed),
      (good.replacingOccurrences(of: "\"active", with: "\"\\u0061ctive"), .malformed),
      (text(format: "otp-keyring/2"), .malformed), (text(names: []), .unknownKey),
      (text(active: "b"), .unknownKey), (text(names: ["a", "a"]), .duplicateName),
      (text(names: ["a", ""]), .invalidName),
      (text(names: ["a", "b c"]), .invalidName), (text(key: ""), .invalidKey), (text(hashKey: ""), .invalidKey),
      (text(key: String(base64.dropLast())), .malformed), (text(key: base64 + "\n"), .malformed),
      (text(key: String(base64.dropLast(2)) + "V="), .malformed),
      (text(key: Data(repeating: 5, count: 31).base64EncodedString()), .invalidKey),
      (text(key: Data(repeating: 5, count: 33).base64EncodedString()), .invalidKey),
      (text(hashKey: Data(repeating: 5, count: 31).base64EncodedString()), .invalidKey),
    ]
    for (index, (text, kind)) in cases.enumerated() {
      let path = try folder.write(withChecksum(text), to: "\(index)")
      #expect(keyringFailure { try Keyring(file: path) } == kind, "case \(index)")
    }
  }

  @Test func `a file without a checksum at its end is refused`() throws {
    let good = try withChecksum(text())
    let other = good.replacingOccurrences(of: "\"a\",", with: "\"b\",")
    for (text, kind) in [
      ("", .malformed), ("{}\n", .malformed), (text(), .malformed), (good + "\n", .malformed), (good + " ", .malformed),
      (good + good, .corrupt), (other, .corrupt), (good.uppercased(), .malformed),
      (String(good.dropLast()), .malformed), (" " + good, .corrupt), (String(good.dropFirst()), .corrupt),
      (try withChecksum(good.replacingOccurrences(of: "{\"format", with: "{\"sha256\":\"\",\"format")), .malformed),
    ] as [(String, KeyringError.Kind)] {
      let path = try folder.write(text)
      #expect(keyringFailure { try Keyring(file: path) } == kind, "\(text)")
      #expect(keyringFailure { try Keyring.rotate(file: path) } == kind)
    }
  }

  @Test(arguments: 0..<5) func `if the random source fails, no file is created`(successes: Int) throws {
    let random = SecureRandom.failing(after: successes)
    let kind = keyringFailure { try Keyring.create(file: folder.file(), random: random) }
    #expect(kind == (successes < 4 ? .randomnessUnavailable : nil))
    #expect(try folder.names == (successes < 4 ? [] : ["keyring.json"]))
  }

  @Test func `a keyring is copied as it is, accessible to its owner only, and never over another`() throws {
    let path = folder.file()
    let copy = folder.file("copy.json")
    #expect(throws: KeyringError(.cannotRead, systemError: ENOENT)) { try Keyring.copy(file: path, to: copy) }
    _ = try Keyring.create(file: path)
    #expect(try Keyring.copy(file: path, to: copy))
    #expect(try folder.mode("copy.json") == 0o600)
    #expect(FileManager.default.contentsEqual(atPath: path, andPath: copy))
    // Copying again, or onto itself, does nothing.
    #expect(try !Keyring.copy(file: path, to: copy))
    #expect(try !Keyring.copy(file: path, to: path))
    _ = try Keyring.rotate(file: path)
    let before = try Data(contentsOf: URL(fileURLWithPath: copy))
    #expect(throws: KeyringError(.boundToAnotherStore)) { try Keyring.copy(file: path, to: copy) }
    #expect(try Data(contentsOf: URL(fileURLWithPath: copy)) == before)
    #expect(throws: KeyringError.self) { try Keyring.copy(file: path, to: folder.file("missing/k")) }
  }
}
