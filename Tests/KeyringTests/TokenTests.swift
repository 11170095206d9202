import Foundation
import SharedFixtures
import Testing

@testable import Keyring
@testable import OTP

@Suite struct TokenTests {
  private let keyring: Keyring

  init() throws { keyring = try Keyring.fixed(active: ("a", 1)) }

  @Test func `a token is URL-safe text that opens to its payload`() throws {
    var random = SeededGenerator(seed: 1)
    let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    for count in 0..<200 {
      let payload = random.bytes(count...count)
      let token = try keyring.sealToken(payload, for: .userToken)
      #expect(token.allSatisfy(alphabet.contains))
      #expect(try keyring.openToken(token, for: .userToken).copiedBytes() == payload)
      #expect(keyringFailure { try keyring.openToken(token, for: .sessionToken) } == .notAuthentic)
      #expect(keyringFailure { try keyring.openToken(token, for: .userToken, boundTo: ["u1"]) } == .notAuthentic)
    }
  }

  @Test func `a token with any character changed, removed or inserted is refused`() throws {
    let token = Array(try keyring.sealToken([1, 2, 3], for: .userToken))
    for index in token.indices {
      for other in "AQgw_-9z=+/. \n\u{301}é" where other != token[index] {
        var changed = token
        changed[index] = other
        #expect(keyringFailure { try keyring.openToken(String(changed), for: .userToken) } != nil)
        changed = token
        changed.insert(other, at: index)
        #expect(keyringFailure { try keyring.openToken(String(changed), for: .userToken) } != nil)
      }
      #expect(keyringFailure { try keyring.openToken(String(token[..<index]), for: .userToken) } != nil)
      var shorter = token
      shorter.remove(at: index)
      #expect(keyringFailure { try keyring.openToken(String(shorter), for: .userToken) } != nil)
    }
  }

  @Test func `a token has at most 4,096 characters, whether made or read`() throws {
    let overhead = 1 + 1 + 1 + 24 + 16
    let longest = [UInt8](repeating: 7, count: 3072 - overhead)
    let token = try keyring.sealToken(longest, for: .userToken)
    #expect(token.utf8.count == 4096)
    #expect(try keyring.openToken(token, for: .userToken).copiedBytes() == longest)
    #expect(keyringFailure { try keyring.sealToken(longest + [7], for: .userToken) } == .tooLong)
    // The longer one is authentic.
    let sealed = try keyring.seal(SecretBytes(copying: longest + [7]), for: .userToken, boundTo: [])
    let text = Data(sealed).base64EncodedString().replacingOccurrences(of: "+", with: "-")
      .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    #expect(keyringFailure { try keyring.openToken(text, for: .userToken) } == .malformed)
    #expect(
      keyringFailure { try keyring.openToken(String(repeating: "A", count: 1 << 20), for: .userToken) } == .malformed)
  }
}
