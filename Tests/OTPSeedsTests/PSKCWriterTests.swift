import OTP
import OTPSeeds
import Testing

/// Containers that the writer wrote.
@Suite struct PSKCWriterTests {
  private func seeds() throws -> [Seed] {
    [
      Seed(
        .totp(period: 60, drift: -3), secret: try .rfc, algorithm: .sha512, digits: .eight, serial: "A&<\">'1",
        keyID: "k\"1", account: "alice@example.com", issuer: "Exämple", displayName: "<b>"),
      Seed(.hotp(counter: .max), secret: try OTPSecret(bytes: [0]), serial: "2"),
      Seed(.hotp(counter: 0), secret: try OTPSecret(bytes: [UInt8](repeating: 0xFF, count: 64)), digits: .seven),
    ]
  }

  private func written(_ key: PSKCKey) throws -> String {
    let writer = try PSKCWriter(key)
    return try writer.beginning + seeds().map { try writer.keyPackage(encrypting: $0) }.joined() + writer.end
  }

  @Test func `a written container is read back, with a key and with a password`() throws {
    let keys: [PSKCKey] = [
      .preShared(try OTPSecret(bytes: [UInt8](repeating: 7, count: 32))), .password(try OTPSecret(text: "pass")),
    ]
    for key in keys {
      let text = try written(key)
      let reading = Reading(.pskc(key), text)
      #expect(reading.faults.isEmpty)
      for (read, seed) in try zip(reading.seeds, seeds()) {
        #expect(read.kind == seed.kind && read.secret == seed.secret && read.algorithm == seed.algorithm)
        #expect(read.digits == seed.digits && read.serial == seed.serial && read.account == seed.account)
        #expect(
          read.issuer == seed.issuer && read.displayName == seed.displayName && seed.keyID ?? read.keyID == read.keyID)
      }
      #expect(reading.seeds.count == 3)
    }
  }

  @Test func `two containers of the same keys share no encrypted value`() throws {
    let key = PSKCKey.preShared(try OTPSecret(bytes: [UInt8](repeating: 7, count: 32)))
    let values = try (0..<2).map { _ in try written(key).matches(of: #/CipherValue>([^<]+)</#).map(\.output.1) }
    #expect(values[0].count == 6 && Set(values[0] + values[1]).count == 12)
  }

  @Test func `keys of a wrong size, and periods that the schema cannot hold, are refused`() throws {
    let short = PSKCKey.preShared(try OTPSecret(bytes: [UInt8](repeating: 7, count: 16)))
    #expect(throws: SeedRefusal(line: 0, .encryption, .mismatched)) { try PSKCWriter(short) }
    let writer = try PSKCWriter(.preShared(try OTPSecret(bytes: [UInt8](repeating: 7, count: 32))))
    let seed = Seed(.totp(period: 1 << 31), secret: try .rfc)
    #expect(throws: SeedRefusal(line: 0, .period, .outOfRange)) { try writer.keyPackage(encrypting: seed) }
  }

  @Test(arguments: [HashAlgorithm.sha256, .sha512])
  func `codes by counter with another hash function than SHA-1 are refused`(algorithm: HashAlgorithm) throws {
    let writer = try PSKCWriter(.preShared(try OTPSecret(bytes: [UInt8](repeating: 7, count: 32))))
    let seed = Seed(.hotp(counter: 0), secret: try .rfc, algorithm: algorithm, line: 3)
    #expect(throws: SeedRefusal(line: 3, .algorithm, .unsupported)) { try writer.keyPackage(encrypting: seed) }
  }

  @Test(arguments: ["\u{1}", "\u{0}", "\n", "\u{7F}", "\u{85}", "\u{FFFE}", "\u{FFFF}"])
  func `characters that XML forbids, or that no reader accepts, are left out of names`(bad: String) throws {
    let key = PSKCKey.preShared(try OTPSecret(bytes: [UInt8](repeating: 7, count: 32)))
    let name = "a\(bad)b"
    let seed = Seed(
      .totp(), secret: try .rfc, serial: name, keyID: name, account: name, issuer: name,
      displayName: "é\u{10FFFF}" + name)
    let writer = try PSKCWriter(key)
    let text = try writer.keyPackage(encrypting: seed)
    #expect(text.contains("Id=\"ab\"") && !text.dropLast().unicodeScalars.contains { bad.unicodeScalars.contains($0) })
    let reading = Reading(.pskc(key), writer.beginning + text + writer.end)
    #expect(reading.seeds.map(\.displayName) == ["é\u{10FFFF}ab"] && reading.seeds.first?.account == "ab")
  }
}
