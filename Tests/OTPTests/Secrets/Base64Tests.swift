import Foundation
import SharedFixtures
import Testing

@testable import OTP

@Suite struct Base64Tests {
  private func encode(_ bytes: [UInt8], _ codec: Base64) -> String {
    let text = SecretBytes(capacity: codec.encodedByteCount(of: bytes.count))
    unsafe codec.encode(bytes.span, into: text.mutableBytes)
    return String(decoding: text.copiedBytes(), as: UTF8.self)
  }

  private func decode(_ text: String, _ codec: Base64) -> [UInt8]? {
    codec.decode(Array(text.utf8).span)?.copiedBytes()
  }

  @Test func `both alphabets agree with Foundation for random bytes`() {
    var random = SeededGenerator(seed: 3)
    for count in 0..<300 {
      let bytes = random.bytes(count...count)
      let expected = Data(bytes).base64EncodedString()
      #expect(encode(bytes, .standard) == expected)
      #expect(decode(expected, .standard) == bytes)
      let url = expected.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
        .replacingOccurrences(of: "=", with: "")
      #expect(encode(bytes, .url) == url)
      #expect(decode(url, .url) == bytes)
    }
  }

  @Test func `of all 65,536 pairs of characters at the end, only those that encode a byte are read`() {
    var read = 0
    for first in UInt8.min...UInt8.max {
      for second in UInt8.min...UInt8.max {
        if let bytes = Base64.url.decode([first, second].span)?.copiedBytes() {
          read += 1
          #expect(encode(bytes, .url) == String(decoding: [first, second], as: UTF8.self))
        }
      }
    }
    #expect(read == 256)
  }

  @Test(arguments: ["A", "AAAAA", "AB", "AAB", "AA==", "AAA=", "AA+A", "AA/A", "AA A", "AAAA\n", "="])
  func `texts outside the URL-safe encoding are refused`(text: String) {
    #expect(decode(text, .url) == nil)
  }

  @Test(arguments: [
    "A", "AA", "AAA", "AA=", "AB==", "AAB=", "AA-A", "AA_A", "=", "==", "====", "A===", "AA==AAAA", "AA=A",
  ])
  func `texts outside the standard encoding are refused`(text: String) {
    #expect(decode(text, .standard) == nil)
  }
}
