import Foundation
import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

@Suite struct ConfigurationTests {
  private typealias Configuration = MultiFactorConfiguration

  @Test func `the documented sample compiles, and has the defaults`() throws {
    let configuration: MultiFactorConfiguration =
      try .init(providerConfigs: [.totp(adjacentIntervals: 5), .phone()])
    #expect(configuration.state == .enabled)
    #expect(configuration.settings(of: .phone) == [:])
    #expect(configuration.attemptLimit == .standard)
    #expect(configuration.accountFailuresUntilLock == 200)
    #expect(configuration.maximumFactorCount == 5)
    #expect(configuration.recentLoginInterval == .seconds(300))
    #expect(configuration.sessionLifetime == .seconds(600))
    #expect(configuration.userTokenLifetime == .seconds(3600))
    #expect(configuration.policy == .standard)
    #expect(configuration.allows(.hotp))
    #expect(configuration.allowsRecoveryCodes)
  }

  @Test func `the strict preset has TOTP with one interval either way, recovery codes, and nothing else`() {
    let strict = MultiFactorConfiguration.strict
    #expect(strict.policy == .strict)
    #expect(strict.providerConfigs.map(\.adjacentIntervals) == [1, nil])
    #expect(strict.settings(of: .phone) == nil)
    #expect(!strict.allows(.hotp))
    #expect(strict.allowsRecoveryCodes)
  }

  /// A setting, both ends of its range, and values outside it.
  struct Setting<Value: Sendable>: Sendable, CustomTestStringConvertible {
    let part: String
    let good: [Value]
    let bad: [Value]
    let make: @Sendable (Value) throws(ConfigurationError) -> MultiFactorConfiguration

    var testDescription: String { part }
  }

  private static let counts: [Setting<Int>] = [
    Setting(part: "maximumFactorCount", good: [1, 5], bad: [0, 6, -1, .min, .max]) { value throws(ConfigurationError) in
      try Configuration(providerConfigs: [], maximumFactorCount: value)
    },
    Setting(part: "adjacentIntervals", good: [0, 10], bad: [-1, 11, .min, .max]) { value throws(ConfigurationError) in
      try Configuration(providerConfigs: [.totp(adjacentIntervals: value)])
    },
    Setting(part: "driftLimit", good: [0, 10], bad: [-1, 11, .min, .max]) { value throws(ConfigurationError) in
      try Configuration(providerConfigs: [.totp(driftLimit: value)])
    },
    Setting(part: "lookAhead", good: [0, 1000], bad: [-1, 1001, .min, .max]) { value throws(ConfigurationError) in
      try Configuration(providerConfigs: [.hotp(lookAhead: value)])
    },
    Setting(part: "resynchronizationSteps", good: [0, 1500], bad: [-1, 1501, .min, .max]) {
      value throws(ConfigurationError) in
      try Configuration(providerConfigs: [.totp(resynchronizationSteps: value)])
    },
    Setting(part: "resynchronizationLookAhead", good: [0, 1000], bad: [-1, 1001, .min, .max]) {
      value throws(ConfigurationError) in
      try Configuration(providerConfigs: [.hotp(resynchronizationLookAhead: value)])
    },
  ]

  private static let noTimes: [Duration] = [.zero, .seconds(-1), .nanoseconds(-1), .seconds(Int64.max)]

  private static let times: [Setting<Duration>] = [
    Setting(
      part: "recentLoginInterval", good: [.milliseconds(1), .seconds(31_536_000)], bad: noTimes + [.seconds(31_536_001)]
    ) {
      value throws(ConfigurationError) in
      try Configuration(providerConfigs: [], recentLoginInterval: value)
    },
    Setting(part: "sessionLifetime", good: [.seconds(1), .seconds(3600)], bad: noTimes + [.seconds(31_536_001)]) {
      value throws(ConfigurationError) in
      try Configuration(providerConfigs: [], sessionLifetime: value)
    },
    Setting(
      part: "userTokenLifetime", good: [.seconds(600), .seconds(31_536_000)],
      bad: noTimes + [.seconds(599), .seconds(31_536_001)]
    ) {
      value throws(ConfigurationError) in
      try Configuration(providerConfigs: [], userTokenLifetime: value)
    },
  ]

  @Test(arguments: counts) func `a count outside its range is refused, and both ends are accepted`(
    setting: Setting<Int>
  ) throws {
    try check(setting)
  }

  @Test(arguments: times)
  func `a time outside its range is refused, and both ends are accepted`(setting: Setting<Duration>) throws {
    try check(setting)
  }

  private func check<Value>(_ setting: Setting<Value>) throws {
    for value in setting.good { _ = try setting.make(value) }
    for value in setting.bad {
      let error = failure { () throws(ConfigurationError) in try setting.make(value) }
      #expect(error == .outOfRange(setting.part), "\(value)")
    }
  }

  @Test func `two configurations of one provider are refused with the second's index`() throws {
    for (second, configs) in [
      (1, [try .totp(), try .totp(adjacentIntervals: 3)]),
      (2, [try .phone(), try .totp(), try .phone(state: .disabled)]),
    ] as [(Int, [Configuration.ProviderConfig])] {
      let error = failure { () throws(ConfigurationError) in try Configuration(providerConfigs: configs) }
      #expect(error == ConfigurationError(.duplicate, "providerConfigs[\(second)]"))
    }
  }

  @Test func `the order of providers does not matter`() throws {
    #expect(
      try Configuration(providerConfigs: [.phone(), .totp()]) == Configuration(providerConfigs: [.totp(), .phone()]))
  }

  @Test func `a provider is enabled if both it and multi-factor authentication are`() throws {
    for state in Configuration.State.allCases {
      for totp in [Configuration.State.enabled, .disabled] {
        for phone in [Configuration.State.enabled, .disabled] {
          let configuration = try Configuration(
            state: state, providerConfigs: [.totp(state: totp), .phone(state: phone)])
          #expect(configuration.isEnabled == (state != .disabled))
          #expect(configuration.allows(.totp) == (state != .disabled && totp == .enabled))
          #expect((configuration.settings(of: .phone) != nil) == (state != .disabled && phone == .enabled))
        }
      }
    }
    #expect(try !Configuration(providerConfigs: []).allows(.totp))
    #expect(try Configuration(providerConfigs: []).settings(of: .phone) == nil)
  }

  @Test func `ten test numbers are accepted, eleven are refused`() throws {
    let numbers = Dictionary(uniqueKeysWithValues: (0..<11).map { ("+1510555010\($0)", "12345\($0 % 10)") })
    #expect(throws: Never.self) {
      try Configuration.ProviderConfig.phone(
        testPhoneNumbers: Dictionary(uniqueKeysWithValues: Array(numbers.prefix(10))))
    }
    let error = failure { () throws(ConfigurationError) in
      try Configuration.ProviderConfig.phone(testPhoneNumbers: numbers)
    }
    #expect(error == .outOfRange("testPhoneNumbers"))
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
    let error = failure { () throws(ConfigurationError) in
      try Configuration.ProviderConfig.phone(testPhoneNumbers: numbers)
    }
    #expect(error == .outOfRange("testPhoneNumbers"))
  }

  @Test func `a test number has its own code, and other numbers have none`() async throws {
    let host = try await Host(
      configuration: Configuration(providerConfigs: [.phone(testPhoneNumbers: ["+15105551234": "123456"])]))
    let factor = try #require(host.auth.context.externalFactor(.phone) as? PhoneFactor)
    #expect(factor.testCode(for: try PhoneNumber("+15105551234"), in: host.auth.context) == "123456")
    #expect(factor.testCode(for: try PhoneNumber("+15105551235"), in: host.auth.context) == nil)
  }

  @Test func `no description shows a test number or its code`() throws {
    let configuration = try Configuration(
      providerConfigs: [.totp(), .phone(testPhoneNumbers: ["+15105551234": "481516"])])
    var dumped = ""
    dump(configuration, to: &dumped)
    for text in [
      "\(configuration)", String(reflecting: configuration), dumped, "\(configuration.providerConfigs)",
      "\(configuration.providerConfigs[1])",
    ] {
      #expect(!text.contains("5105551234"))
      #expect(!text.contains("481516"))
    }
    #expect("\(configuration.providerConfigs[1])" == "ProviderConfig(phone, ENABLED)")
  }
}

/// The error that a closure throws; `nil` if it throws none.
private func failure<R>(_ work: () throws(ConfigurationError) -> R) -> ConfigurationError? {
  do throws(ConfigurationError) {
    _ = try work()
    return nil
  } catch { return error }
}
