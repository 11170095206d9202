import OTP
import Testing

@Suite struct Base32EncodingTests {
  @Test(arguments: Base32DecodingTests.examples) func `RFC 4648 section 10`(plain: String, encoded: String) {
    let bytes = Array(plain.utf8)
    #expect(Base32.encode(bytes, padding: true) == encoded)
    #expect(Base32.encode(bytes.span, padding: true) == encoded)
  }

  @Test(arguments: Base32DecodingTests.examples)
  func `encoding: upper case, no padding, unless asked`(plain: String, encoded: String) throws {
    let bytes = Array(plain.utf8)
    let text = String(encoded.prefix { $0 != "=" })
    #expect(Base32.encode(bytes) == text)
    #expect(Base32.encode(bytes.span) == text)
    #expect(Base32.encode(Array(plain.utf8)[...]) == text)
    #expect(Base32.encode(plain.utf8) == text)
    guard !bytes.isEmpty else { return }
    let secret = try OTPSecret(bytes: bytes)
    #expect(secret.base32String() == text)
    #expect(secret.base32String(padding: true) == encoded)
  }

  @Test func `each symbol stands for its five bits`() throws {
    for (value, symbol) in "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".enumerated() {
      #expect(Base32.encode([UInt8(value << 3)]) == "\(symbol)A")
      #expect(try Base32.decode("\(symbol)A") == [UInt8(value << 3)])
    }
  }
}
