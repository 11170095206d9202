import Foundation
import MultiFactorFirebase
import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

/// The platform's response, and the Admin SDK's form of it.
@Suite struct ProjectAnswerTests {
  private typealias Configuration = MultiFactorConfiguration

  /// A response of `projects.getConfig` as in the API reference, with invented values.
  private static let answer = #"""
    {
      "name": "projects/123456789012/config",
      "signIn": {
        "email": { "enabled": true, "passwordRequired": true },
        "phoneNumber": { "enabled": true, "testPhoneNumbers": { "+15105551234": "123456" } },
        "anonymous": { "enabled": false },
        "allowDuplicateEmails": false,
        "hashConfig": { "algorithm": "SCRYPT", "signerKey": "c2lnbmVy", "saltSeparator": "Bw==", "rounds": 8, "memoryCost": 14 }
      },
      "notification": { "sendEmail": { "method": "DEFAULT", "callbackUri": "https://p.example.com/__/auth/action" } },
      "quota": { "signUpQuotaConfig": { "quota": "5", "startTime": "2026-01-01T00:00:00Z", "quotaDuration": "7200s" } },
      "monitoring": { "requestLogging": { "enabled": false } },
      "multiTenant": { "allowTenants": false },
      "authorizedDomains": ["localhost", "p.example.com"],
      "subtype": "IDENTITY_PLATFORM",
      "client": { "apiKey": "key", "permissions": { "disabledUserSignup": false, "disabledUserDeletion": false } },
      "mfa": {
        "state": "MANDATORY",
        "enabledProviders": ["PHONE_SMS"],
        "providerConfigs": [{ "state": "ENABLED", "totpProviderConfig": { "adjacentIntervals": 2 } }]
      },
      "recaptchaConfig": { "emailPasswordEnforcementState": "AUDIT", "managedRules": [{ "endScore": 0.1, "action": "BLOCK" }] },
      "smsRegionConfig": { "allowlistOnly": { "allowedRegions": ["DE"] } },
      "emailPrivacyConfig": { "enableImprovedEmailPrivacy": true }
    }
    """#

  @Test func `A response of the platform is read, with a list of what was ignored`() throws {
    let (configuration, passedOver) = try Configuration.reading(json: Self.answer.utf8)
    #expect(
      try configuration
        == Configuration(
          state: .mandatory,
          providerConfigs: [
            .totp(adjacentIntervals: 2), .phone(testPhoneNumbers: ["+15105551234": "123456"]),
          ]))
    #expect(
      passedOver == [
        "authorizedDomains", "client", "emailPrivacyConfig", "monitoring", "multiTenant", "name", "notification",
        "quota", "recaptchaConfig", "smsRegionConfig", "subtype", "signIn.allowDuplicateEmails", "signIn.anonymous",
        "signIn.email", "signIn.hashConfig", "signIn.phoneNumber.enabled",
      ])
    #expect(try Configuration(json: Self.answer.utf8) == configuration)
    // Only what was read is written.
    let written = try JSONEncoder().encode(configuration)
    #expect(try Configuration.reading(json: written) == (configuration, []))
  }

  @Test func `The Admin SDK's multiFactorConfig is read as the same configuration`() throws {
    let json = #"""
      {"multiFactorConfig":{"state":"ENABLED","factorIds":["phone"],
       "providerConfigs":[{"state":"DISABLED","totpProviderConfig":{"adjacentIntervals":7}}]},
       "smsRegionConfig":{"allowByDefault":{"disallowedRegions":["AC"]}}}
      """#
    let (configuration, passedOver) = try Configuration.reading(json: json.utf8)
    #expect(
      try configuration
        == Configuration(providerConfigs: [.totp(adjacentIntervals: 7, state: .disabled), .phone()]))
    #expect(passedOver == ["smsRegionConfig"])
  }

  @Test(
    arguments: [
      (#"{"mfa":{"state":"ENABLED"},"recaptchaConfig":{"a":[0.5,1e+5,-2E-3]}}"#, nil),
      (#"{"mfa":{"providerConfigs":[{"totpProviderConfig":{"adjacentIntervals":1.0}}]}}"#, .malformed),
      (#"{"mfa":{"state":"ENABLED"},"name":"a","name":"b"}"#, .duplicate),
      (#"{"mfa":{"state":"ENABLED"},"x":{"a":1,"a":2}}"#, .duplicate),
    ] as [(String, ConfigurationError.Kind?)])
  func `Ignored parts may hold any number, but no duplicate name`(
    json: String, kind: ConfigurationError.Kind?
  ) {
    do throws(ConfigurationError) {
      _ = try Configuration.reading(json: json.utf8)
      #expect(kind == nil)
    } catch { #expect(error.kind == kind) }
  }

  @Test func `The list of ignored parts does not repeat names that look like data`() throws {
    let json = #"{"mfa":{"state":"ENABLED"},"+15105551234":1,"signIn":{"phoneNumber":{"15105551234":"123456"}}}"#
    #expect(try Configuration.reading(json: json.utf8).passedOver == ["configuration", "signIn.phoneNumber"])
  }
}
