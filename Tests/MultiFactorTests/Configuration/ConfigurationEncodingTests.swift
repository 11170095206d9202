import Foundation
import MultiFactorFirebase
import SharedFixtures
import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

/// Identity Platform's JSON as it is written: what is read from it again is what was written.
@Suite struct ConfigurationEncodingTests {
  private typealias Configuration = MultiFactorConfiguration

  @Test(arguments: [
    (
      try Configuration(providerConfigs: [.totp(), .phone()]),
      #"{"mfa":{"enabledProviders":["PHONE_SMS"],"providerConfigs":[{"state":"ENABLED","#
        + #""totpProviderConfig":{"adjacentIntervals":5}}],"state":"ENABLED"}}"#
    ),
    (
      try Configuration(providerConfigs: [.phone(testPhoneNumbers: ["+15105551234": "123456"])]),
      #"{"mfa":{"enabledProviders":["PHONE_SMS"],"state":"ENABLED"},"#
        + #""signIn":{"phoneNumber":{"testPhoneNumbers":{"+15105551234":"123456"}}}}"#
    ),
    (
      try Configuration(providerConfigs: [.phone(state: .disabled)]),
      #"{"mfa":{"state":"ENABLED"},"signIn":{"phoneNumber":{"testPhoneNumbers":{}}}}"#
    ),
    (try Configuration(state: .mandatory, providerConfigs: []), #"{"mfa":{"state":"MANDATORY"}}"#),
    (
      try Configuration(state: .disabled, providerConfigs: [.totp(adjacentIntervals: 0, state: .disabled)]),
      #"{"mfa":{"providerConfigs":[{"state":"DISABLED","totpProviderConfig":{"adjacentIntervals":0}}],"#
        + #""state":"DISABLED"}}"#
    ),
  ])
  func `a configuration always has the same JSON text`(configuration: MultiFactorConfiguration, json: String) throws {
    #expect(try configuration.json() == json)
    #expect(try Configuration(json: json.utf8) == configuration)
  }

  @Test func `If second factors are off, so is each provider in the JSON`() throws {
    let off = try Configuration(state: .disabled, providerConfigs: [.totp(adjacentIntervals: 1), .phone()])
    let json = try off.json()
    #expect(!json.contains("ENABLED") && !json.contains("PHONE_SMS"))
    #expect(
      try Configuration(json: json.utf8)
        == Configuration(
          state: .disabled, providerConfigs: [.totp(adjacentIntervals: 1, state: .disabled), .phone(state: .disabled)]))
  }

  @Test func `policy that the JSON format does not cover is left out`() throws {
    let strict = try Configuration(json: try Configuration.strict.json().utf8)
    #expect(try strict == Configuration(providerConfigs: [.totp(adjacentIntervals: 1)]))
  }
}

extension MultiFactorConfiguration {
  /// The configuration as Identity Platform's JSON.
  func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }
}
