import Foundation
import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

@Suite struct ConfigurationTests {
  private typealias Configuration = MultiFactorConfiguration

  @Test func `a configuration has the documented defaults`() throws {
    let configuration = try MultiFactorConfiguration(providerConfigs: [.totp(), .phone()])
    #expect(configuration.state == .enabled)
    #expect(configuration.settings(of: .phone) == [:])
    #expect(configuration.attemptLimit == .standard)
    #expect(configuration.accountFailuresUntilLock == 200)
    #expect(configuration.maximumFactorCount == 5)
    #expect(configuration.recentLoginInterval == .seconds(300))
    #expect(configuration.sessionLifetime == .seconds(600))
    #expect(configuration.userTokenLifetime == .seconds(3600))
    #expect(try configuration.policy == .init(adjacentSteps: 5, driftLimit: 0))
    #expect(configuration.allows(.hotp))
    #expect(configuration.allowsRecoveryCodes)
  }

  @Test func `the strict configuration is the default one but for its kinds of factors`() throws {
    #expect(
      try Configuration.strict
        == Configuration(providerConfigs: [
          .totp(adjacentIntervals: 1, resynchronizationSteps: 0), .hotp(state: .disabled),
        ]))
  }

  @Test func `a count outside its range is refused, and both ends are accepted`() throws {
    for (part, range, make) in [
      ("maximumFactorCount", 1...5, { try Configuration(providerConfigs: [], maximumFactorCount: $0) }),
      ("adjacentIntervals", 0...10, { try Configuration(providerConfigs: [.totp(adjacentIntervals: $0)]) }),
      ("driftLimit", 0...10, { try Configuration(providerConfigs: [.totp(driftLimit: $0)]) }),
      ("lookAhead", 0...1000, { try Configuration(providerConfigs: [.hotp(lookAhead: $0)]) }),
      ("resynchronizationSteps", 0...1500, { try Configuration(providerConfigs: [.totp(resynchronizationSteps: $0)]) }),
      (
        "resynchronizationLookAhead", 0...1000,
        { try Configuration(providerConfigs: [.hotp(resynchronizationLookAhead: $0)]) }
      ),
    ] as [(String, ClosedRange<Int>, (Int) throws -> MultiFactorConfiguration)] {
      for value in [range.lowerBound, range.upperBound] { _ = try make(value) }
      for value in [range.lowerBound - 1, range.upperBound + 1, .min, .max] {
        #expect(throws: ConfigurationError.outOfRange(part)) { try make(value) }
      }
    }
  }

  @Test func `a time outside its range is refused, and both ends are accepted`() throws {
    for (part, shortest, longest, make) in [
      (
        "recentLoginInterval", .milliseconds(1), .seconds(31_536_000),
        { try Configuration(providerConfigs: [], recentLoginInterval: $0) }
      ),
      ("sessionLifetime", .seconds(1), .seconds(3600), { try Configuration(providerConfigs: [], sessionLifetime: $0) }),
      (
        "userTokenLifetime", .seconds(600), .seconds(31_536_000),
        { try Configuration(providerConfigs: [], userTokenLifetime: $0) }
      ),
    ] as [(String, Duration, Duration, (Duration) throws -> MultiFactorConfiguration)] {
      for value in [shortest, longest] { _ = try make(value) }
      for value in [.zero, .nanoseconds(-1), .seconds(31_536_001), .seconds(Int64.max)] as [Duration] {
        #expect(throws: ConfigurationError.outOfRange(part)) { try make(value) }
      }
    }
    #expect(throws: ConfigurationError.outOfRange("userTokenLifetime")) {
      try Configuration(providerConfigs: [], userTokenLifetime: .seconds(599))
    }
  }

  @Test func `two configurations of one provider are refused with the second's index`() throws {
    #expect(throws: ConfigurationError(.duplicate, "providerConfigs[2]")) {
      try Configuration(providerConfigs: [.phone(), .totp(), .phone(state: .disabled)])
    }
  }

  @Test func `ten test numbers are accepted, eleven are refused`() throws {
    let numbers = Dictionary(uniqueKeysWithValues: (0..<11).map { ("+1510555010\($0)", "12345\($0 % 10)") })
    #expect(throws: Never.self) {
      try Configuration.ProviderConfig.phone(
        testPhoneNumbers: Dictionary(uniqueKeysWithValues: Array(numbers.prefix(10))))
    }
    #expect(throws: ConfigurationError.outOfRange("testPhoneNumbers")) {
      try Configuration.ProviderConfig.phone(testPhoneNumbers: numbers)
    }
  }

  @Test func `a text message's lifetime is more than zero and at most five minutes`() throws {
    let sender = RecordingSMSSender()
    for seconds in [0.001, 1, 300] { _ = try PhoneFactor(sender: sender, challengeLifetime: .seconds(seconds)) }
    for seconds in [-1, 0, 300.5, 301] {
      #expect(throws: ConfigurationError.outOfRange("challengeLifetime")) {
        try PhoneFactor(sender: sender, challengeLifetime: .seconds(seconds))
      }
    }
  }

  @Test(arguments: [
    ["15105551234": "123456"], ["+0105551234": "123456"], ["": "123456"], ["+15105551234": ""],
    ["+15105551234": "12345"], ["+15105551234": "1234567"], ["+15105551234": "12345a"], ["+15105551234": "１２３４５６"],
    ["+1 510 555 1234": "123456"],
  ])
  func `a test number that is not E.164, or whose code is not six digits, is refused`(numbers: [String: String]) {
    #expect(throws: ConfigurationError.outOfRange("testPhoneNumbers")) {
      try Configuration.ProviderConfig.phone(testPhoneNumbers: numbers)
    }
  }
}
