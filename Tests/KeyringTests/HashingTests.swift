import Testing

@testable import Keyring
@testable import OTP

@Suite struct HashingTests {
  private func hash(
    _ text: String, _ purpose: Purpose = .smsCode, _ context: [String] = ["u1", "c1"], by key: UInt8 = 9
  ) throws -> [UInt8] {
    try Keyring.fixed(active: ("a", 1), hash: key).hash(Array(text.utf8), for: purpose, boundTo: context)
  }

  // Computed by an independent Python program.
  @Test func `a hash is the HMAC-SHA-256 that the format defines`() throws {
    let text = try hash("123456").map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    #expect(text == "b70402f0addec03b268a09ecc4ce75482adc21ce0945dbe78ef7e1de33f79026")
  }

  @Test func `equal inputs have equal hashes, and another message, purpose, place or key gives another hash`() throws {
    let hashes = try [
      hash("123456"), hash("123457"), hash(""), hash("123456", .recoveryCode), hash("123456", .phoneNumber),
      hash("123456", .smsCode, ["u2", "c1"]), hash("123456", .smsCode, ["u1c1"]), hash("123456", .smsCode, ["u1"]),
      hash("23456", .smsCode, ["u1", "c11"]), hash("123456", .smsCode, ["u", "1c1"]), hash("123456", by: 8),
    ]
    #expect(Set(hashes).count == hashes.count)
    #expect(hashes.allSatisfy { $0.count == 32 })
    #expect(try hash("123456") == hashes[0])
    for hash in hashes {
      #expect(equalInConstantTime(hash, hashes[0]) == (hash == hashes[0]))
      #expect(!equalInConstantTime(Array(hash.dropLast()), hash) && !equalInConstantTime(hash, Array(hash.dropLast())))
    }
  }

  @Test func `a hash does not depend on the sealing keys`() throws {
    let other = try Keyring.fixed(active: ("b", 2), others: [("a", 1)])
    #expect(try other.hash(Array("123456".utf8), for: .smsCode, boundTo: ["u1", "c1"]) == hash("123456"))
  }
}
