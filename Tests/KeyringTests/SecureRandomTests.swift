import SharedFixtures
import Testing

@testable import Keyring

@Suite struct SecureRandomTests {
  @Test func `random digits have the requested count, and each value is equally likely`() throws {
    for count in 0...20 { #expect(try SecureRandom.system.digits(count).utf8.count == count) }
    var counts = [Int](repeating: 0, count: 10)
    for byte in try SecureRandom.system.digits(100_000).utf8 { counts[Int(byte) - 48] += 1 }
    // Chi-square with 9 degrees of freedom: above 50 by chance less than once in 10^6 runs.
    let deviation = counts.reduce(0.0) { $0 + (Double($1) - 10_000) * (Double($1) - 10_000) / 10_000 }
    #expect(deviation < 50)
  }

  @Test func `digits are drawn by rejection sampling: bytes of 250 and above are discarded`() throws {
    #expect(try SecureRandom.constant(249).digits(6) == "999999")
    #expect(try SecureRandom.constant(0).digits(6) == "000000")
    for byte in UInt8(250)...255 {
      #expect(keyringFailure { try SecureRandom.constant(byte).digits(6) } == .randomnessUnavailable)
    }
  }

  @Test func `a failing source is a typed error`() {
    let random = SecureRandom.failing(after: 0)
    #expect(keyringFailure { try random.bytes(1) } == .randomnessUnavailable)
    #expect(keyringFailure { try random.secretBytes(1) } == .randomnessUnavailable)
    #expect(keyringFailure { try random.digits(1) } == .randomnessUnavailable)
    #expect(keyringFailure { try random.hexName(byteCount: 1) } == .randomnessUnavailable)
  }
}
