import Keyring
import OTP
import Testing

@testable import FactorRecord

/// A record's bytes: their layout, and what opens them.
@Suite struct SealingTests {
  private static let secret = Array("12345678901234567890".utf8)
  private let keyring: Keyring
  private let record: FactorRecord
  private let sealed: [UInt8]

  init() throws {
    keyring = try Self.keyring(("k1", 5))
    record = try FactorRecord.totp(secret: OTPSecret(bytes: Self.secret), isPending: false, at: 1_700_000_000)
    sealed = try record.sealed(by: keyring, for: "user 42")
  }

  /// A keyring each of whose keys is 32 copies of one byte.
  private static func keyring(_ active: (String, UInt8), _ others: (String, UInt8)...) throws -> Keyring {
    func key(_ named: (String, UInt8)) throws -> Keyring.Key {
      try Keyring.Key(name: named.0, secret: OTPSecret(bytes: [UInt8](repeating: named.1, count: 32)))
    }
    return try Keyring(activeKey: key(active), otherKeys: others.map(key), hashKey: .random(for: .sha256))
  }

  private static func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = hexadecimal.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }

  private func failure(_ body: () throws(FactorRecordError) -> FactorRecord) -> FactorRecordError.Kind? {
    do throws(FactorRecordError) {
      _ = try body()
      return nil
    } catch {
      return error.kind
    }
  }

  private static let unsealedTOTP = """
    0181000000018bcfe5680000000000000000020000000000000005010000018bcfe74a4001000000000360aa2e010000000000000003ffff\
    ffffffffffff01000000006553f0ff0108000000000000003c000000000000001e143132333435363738393031323334353637383930
    """
  private static let unsealedHOTP = """
    0182010000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000600000000000000\
    1e0000000000000000143132333435363738393031323334353637383930
    """
  // The codes 1, which was used, and 3 of a list, AEAQ-CAIB-AEAQ-CAIB-AEAQ-CAIB and AMBQ-GAYD-AMBQ-GAYD-AMBQ-GAYD.
  private static let unsealedCodes = """
    01830000000000000003e8000000000000000000000000000000010100000000000003e80001000000000000000000000000000000000002\
    81205b90be71d672ce0dcc3533333f1f15f1bf761a27aeddb6128b8d534af4a769b003207a2880a66d76d494e4e05e58542ae179c061c1ec\
    e26d004dee48bce50d76e48b
    """

  @Test(arguments: [unsealedTOTP, unsealedHOTP, unsealedCodes])
  func `an unsealed record has the bytes that the layout defines`(hexadecimal: String) throws {
    let bytes = Self.bytes(hexadecimal)
    let found = try FactorRecord(unsealed: bytes.span)
    let written = found.withUnsealedBytes { bytes in bytes.indices.map { bytes[$0] } }
    #expect(written == bytes)
  }

  @Test func `the hash of a recovery code is that of the format`() throws {
    var codes = try FactorRecord(unsealed: Self.bytes(Self.unsealedCodes).span, as: .recoveryCodes)
    #expect(codes.unusedRecoveryCodes == [3])
    #expect(try codes.verify("aeaq caib aeaq caib aeaq caib", at: 1_700_000_000) == .rejected(.replayed))
    let answer = try codes.verify("ambq gayd ambq gayd ambq gayd", at: 1_700_000_000)
    #expect(answer == .accepted(FactorRecord.Acceptance(movingFactor: 3)) && codes.unusedRecoveryCodes.isEmpty)
  }

  @Test func `bytes that are not an unsealed record are refused without trapping`() throws {
    for hexadecimal in [Self.unsealedTOTP, Self.unsealedHOTP, Self.unsealedCodes] {
      let bytes = Self.bytes(hexadecimal)
      for wrong in (0..<bytes.count).map({ count in Array(bytes[..<count]) }) + [bytes + [0]] {
        #expect(failure { () throws(FactorRecordError) in try FactorRecord(unsealed: wrong.span) } == .malformed)
      }
      for index in bytes.indices {
        for bit in 0..<8 {
          var altered = bytes
          altered[index] ^= 1 << bit
          // It is refused, or read as what it says.
          if var found = try? FactorRecord(unsealed: altered.span) { _ = try found.verify("000000", at: 1_700_000_000) }
        }
      }
    }
  }

  @Test func `the error says what is wrong with a record`() throws {
    let other = try Self.keyring(("k2", 5))
    let sameName = try Self.keyring(("k1", 6))
    let unsealed = record.withUnsealedBytes { bytes in bytes.indices.map { bytes[$0] } }
    func altered(_ index: Int, _ byte: UInt8) -> [UInt8] {
      var bytes = sealed
      bytes[index] = byte
      return bytes
    }
    func open(_ bytes: [UInt8], _ keyring: Keyring, _ subject: String, _ kind: FactorRecord.Kind? = nil)
      -> FactorRecordError.Kind?
    { failure { () throws(FactorRecordError) in try FactorRecord(sealed: bytes, by: keyring, for: subject, as: kind) } }
    #expect(open(sealed, keyring, "user 42", .totp) == nil)
    #expect(open(sealed, keyring, "user 43") == .anotherSubject && open(sealed, keyring, "") == .invalidSubject)
    #expect(open(sealed, keyring, String(repeating: "u", count: 1025)) == .invalidSubject)
    #expect(open(sealed, keyring, "user 42", .hotp) == .anotherKind)
    // The kind that a record states is authenticated, too.
    #expect(open(altered(1, 2), keyring, "user 42") == .notAuthentic)
    #expect(open(altered(1, 9), keyring, "user 42") == .malformed)
    #expect(
      open(altered(0, 2), keyring, "user 42") == .laterVersion && open(altered(0, 0), keyring, "user 42") == .malformed)
    #expect(open(sealed, other, "user 42") == .unknownKey && open(sealed, sameName, "user 42") == .notAuthentic)
    #expect(open(unsealed, keyring, "user 42") == .wrongEncoding)
    #expect(failure { () throws(FactorRecordError) in try FactorRecord(unsealed: sealed.span) } == .wrongEncoding)
    for count in 0..<sealed.count { #expect(open(Array(sealed[..<count]), keyring, "user 42") != nil) }
    // Two subjects whose hashes collide are told apart by the seal.
    var collision = sealed
    collision.replaceSubrange(2..<6, with: try record.sealed(by: keyring, for: "user 43")[2..<6])
    #expect(open(collision, keyring, "user 43") == .notAuthentic)
  }

  @Test func `a sealed record with any byte changed does not open`() throws {
    for index in sealed.indices {
      for difference in UInt8(1)...255 {
        var altered = sealed
        altered[index] ^= difference
        #expect((try? FactorRecord(sealed: altered, by: keyring, for: "user 42")) == nil)
      }
    }
  }

  @Test(arguments: [[0], [0xFF, 0, 0x80], [UInt8](repeating: 7, count: 1024)])
  func `a subject may have any bytes`(subject: [UInt8]) throws {
    let sealed = try record.sealed(by: keyring, for: subject)
    #expect(try FactorRecord(sealed: sealed.span, by: keyring, for: subject) == record)
    #expect(
      failure { () throws(FactorRecordError) in
        try FactorRecord(sealed: sealed.span, by: keyring, for: subject.dropLast() + [1])
      } == .anotherSubject)
  }

  @Test func `sealing a record again moves it to the active key`() throws {
    let both = try Self.keyring(("k2", 6), ("k1", 5))
    var opened = try FactorRecord(sealed: sealed, by: keyring, for: "user 42")
    #expect(try opened.verify("no code", at: 1_700_000_000) == .rejected(.malformed))
    #expect(try opened.sealed(by: keyring, for: "user 42") == sealed)
    let rotated = try FactorRecord(sealed: sealed, by: both, for: "user 42").sealed(by: both, for: "user 42")
    #expect(try rotated != sealed && FactorRecord.sealingKeyName(of: rotated) == "k2")
    #expect(try FactorRecord(sealed: rotated, by: both, for: "user 42").sealed(by: both, for: "user 42") == rotated)
    #expect(try FactorRecord(sealed: rotated, by: Self.keyring(("k2", 6)), for: "user 42") == record)
    #expect(
      failure { () throws(FactorRecordError) in
        try FactorRecord(sealed: rotated, by: keyring, for: "user 42")
      } == .unknownKey)
    // So is a pending one that replaces another of the same secret but of another kind, within the same second.
    let secret = try OTPSecret(bytes: Self.secret)
    var pending = try FactorRecord.totp(secret: secret, at: 1_700_000_000)
    pending = try FactorRecord(sealed: pending.sealed(by: keyring, for: "user 42"), by: keyring, for: "user 42")
    try pending.replace(with: .hotp(secret: secret, at: 1_700_000_000))
    #expect(
      try FactorRecord(sealed: pending.sealed(by: keyring, for: "user 42"), by: keyring, for: "user 42").kind == .hotp)
    // The same record for another subject is sealed again.
    #expect(try opened.sealed(by: keyring, for: "user 43") != sealed)
  }

  @Test func `records are within their documented lengths`() throws {
    #expect(sealed.count <= 200)
    let codes = try FactorRecord.recoveryCodes(count: 10, at: 1_700_000_000).record
    #expect(try codes.sealed(by: keyring, for: "user 42").count <= 1024)
    var longest = try FactorRecord.totp(secret: OTPSecret(bytes: [UInt8](repeating: 1, count: 1024)), at: 1_700_000_000)
    longest.spentSecrets = [SpentSecret](
      repeating: SpentSecret(fingerprint: [UInt8](repeating: 1, count: 16), lastAccepted: 1), count: 10)
    let name = String(repeating: "n", count: 32)
    #expect(try longest.sealed(by: Self.keyring((name, 1)), for: "u").count <= 1536)
  }

  @Test func `no text shows a secret, a code or a subject`() throws {
    let (codes, texts) = try FactorRecord.recoveryCodes(count: 2, at: 1_700_000_000)
    for shown in ["\(record)", String(reflecting: record), "\(codes)", String(reflecting: codes)] {
      #expect(!shown.contains("1234567890") && !shown.contains(texts[0]) && !shown.contains("GEZDGNBV"))
      #expect(shown.contains("redacted"))
    }
    #expect(Mirror(reflecting: record).children.isEmpty)
    #expect("\(FactorRecordError(.anotherSubject))" == "factor record: anotherSubject")
  }
}
