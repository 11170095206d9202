import Foundation
import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

/// How messages are counted, without a store or a clock.
@Suite struct MessageLogTests {
  private static let start = Date(timeIntervalSince1970: 1_700_000_000)

  @Test func `of several messages counted at the same time, taking one back leaves the others counted`() throws {
    let limits = try SendLimits.Limit(3, every: .seconds(3600))
    var log = MessageLog()
    for _ in 0..<3 { try log.count(under: limits, at: Self.start) }
    #expect(throws: Refusal.self) { try log.count(under: limits, at: Self.start) }
    log.withdraw()
    try log.count(under: limits, at: Self.start)
    #expect(throws: Refusal.self) { try log.count(under: limits, at: Self.start) }
  }

  @Test(arguments: [1, 5, 250, 251, 10_000])
  func `messages are counted up to any limit, in bounded space`(limit: Int) throws {
    let limits = try SendLimits.Limit(limit, every: .seconds(3600))
    var log = MessageLog()
    for message in 0..<limit {
      try log.count(under: limits, at: Self.start.addingTimeInterval(Double(message) * 3000 / Double(limit)))
    }
    let end = Self.start.addingTimeInterval(3001)
    #expect(throws: Refusal.self) { try log.count(under: limits, at: end) }
    // A clock that is set back changes nothing.
    #expect(throws: Refusal.self) { try log.count(under: limits, at: Self.start.addingTimeInterval(-86_400)) }
    #expect(log.entries.count <= 250)
    // No message is dropped before its interval has passed.
    #expect(log.entries.reduce(0) { $0 + Int($1.count) } == limit)
    #expect(throws: Refusal.self) { try log.count(under: limits, at: Self.start.addingTimeInterval(3599.9)) }
    log.withdraw()
    try log.count(under: limits, at: end)
    // More messages, counted under a higher limit, are not lost.
    var other = log
    let wide = try SendLimits.Limit(1_000_000, every: .seconds(3600))
    for _ in 0..<600 { try other.count(under: wide, at: end) }
    #expect(other.entries.count <= 250)
    #expect(other.entries.reduce(0) { $0 + Int($1.count) } == limit + 600)
    // An interval and one 250th of it after the last message, none counts any more.
    try log.count(under: limits, at: end.addingTimeInterval(3600 + 3600 / 250 + 1))
    #expect(log.entries.map(\.count) == [1])
  }

  @Test func `a message counted by a clock that is behind counts as long as any`() throws {
    let limits = try SendLimits.Limit(2, every: .seconds(3600))
    var log = MessageLog()
    for seconds in [3600, 0] as [TimeInterval] { try log.count(under: limits, at: Self.start + seconds) }
    for seconds in [3601, 7199] as [TimeInterval] {
      #expect(throws: Refusal.self) { try log.count(under: limits, at: Self.start + seconds) }
    }
  }
}
