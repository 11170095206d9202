import Foundation
import Keyring
import SharedFixtures
import Testing

@testable import MultiFactor

@Suite struct StoredDateTests {
  @Test(
    arguments: [
      (1_700_000_000.1234, 1_700_000_000_123), (-0.0006, -1), (0, 0), (.infinity, .max), (-.infinity, .min),
      (.nan, .min), (1e300, .max), (-1e300, .min),
    ] as [(Double, Int64)])
  func `a time is written as the nearest millisecond that 64 bits hold`(seconds: Double, expected: Int64) throws {
    var writer = ByteWriter()
    writer.append(Date(timeIntervalSince1970: seconds))
    var reader = ByteReader(writer.finish())
    #expect(try reader.readInt64() == expected)
  }

  @Test func `every time in milliseconds within 8,000 years is stored exactly`() throws {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<10_000 {
      let milliseconds = Int64.random(in: 0...250_000_000_000_000, using: &random)
      let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
      var writer = ByteWriter()
      writer.append(date)
      var reader = ByteReader(writer.finish())
      #expect(try reader.readDate() == date)
    }
  }
}
