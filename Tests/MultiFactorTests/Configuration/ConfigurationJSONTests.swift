import Foundation
import MultiFactorFirebase
import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

@Suite struct ConfigurationJSONTests {
  private typealias Configuration = MultiFactorConfiguration

  private static let issueJSON =
    #"{"mfa":{"providerConfigs":[{"state":"ENABLED","totpProviderConfig":{"adjacentIntervals":5}}]}}"#

  @Test func `Identity Platform's own JSON is decoded, and encoded with its state`() throws {
    let read = try Configuration(json: Self.issueJSON.utf8)
    #expect(try read == Configuration(providerConfigs: [.totp(adjacentIntervals: 5)]))
    #expect(try read.json() == Self.issueJSON.dropLast(2) + #","state":"ENABLED"}}"#)
    #expect(try Configuration(json: Data(Self.issueJSON.utf8)) == read)
  }

  /// Google's page on TOTP turns it on by its own state, and leaves `mfa.state`, which is of text messages, as it was.
  @Test(arguments: ["", #""adjacentIntervals":5"#], [#""mfa""#, #""multiFactorConfig""#])
  func `A TOTP provider that is enabled is on, whatever the state says`(settings: String, name: String) throws {
    for state in [#""state":"ENABLED","#, ""] {
      let json = #"{\#(name):{"state":"DISABLED","providerConfigs":[{\#(state)"totpProviderConfig":{\#(settings)}}]}}"#
      #expect(try Configuration(json: json.utf8) == Configuration(providerConfigs: [.totp(adjacentIntervals: 5)]))
    }
    let phone =
      #"{"mfa":{"state":"DISABLED","providerConfigs":[{"totpProviderConfig":{}}]},"#
      + #""signIn":{"phoneNumber":{"testPhoneNumbers":{}}}}"#
    #expect(try Configuration(json: phone.utf8) == Configuration(providerConfigs: [.totp(), .phone(state: .disabled)]))
  }

  @Test(arguments: [
    // Unknown names, at every level.
    (#"{"mfa":{"state":"ENABLED","extra":null}}"#, "unknownKey: mfa.extra"),
    (#"{"mfa":{"providerConfigs":[{"totpProviderConfig":{},"x":[]}]}}"#, "unknownKey: mfa.providerConfigs[0].x"),
    (
      #"{"mfa":{"providerConfigs":[{"totpProviderConfig":{"x":1}}]}}"#,
      "unknownKey: mfa.providerConfigs[0].totpProviderConfig.x"
    ),
    (#"{"multiFactorConfig":{"enabledProviders":[]}}"#, "unknownKey: multiFactorConfig.enabledProviders"),
    (#"{"mfa":{"state":"ENABLED","factorIds":[]}}"#, "unknownKey: mfa.factorIds"),
    // A name that looks like data is not repeated.
    (#"{"mfa":{"state":"ENABLED","15105551234":"123456"}}"#, "unknownKey: mfa"),
    // Missing parts.
    ("{}", "missingKey: mfa"),
    (#"{"mfa":{"enabledProviders":["PHONE_SMS"]}}"#, "missingKey: mfa.state"),
    (#"{"multiFactorConfig":{"factorIds":["phone"]}}"#, "missingKey: multiFactorConfig.state"),
    (#"{"mfa":{"providerConfigs":[{"state":"ENABLED"}]}}"#, "missingKey: mfa.providerConfigs[0].totpProviderConfig"),
    // A provider that is listed and off.
    (#"{"mfa":{"state":"DISABLED","enabledProviders":["PHONE_SMS"]}}"#, "incomplete: mfa.enabledProviders"),
    (#"{"multiFactorConfig":{"state":"DISABLED","factorIds":["phone"]}}"#, "incomplete: multiFactorConfig.factorIds"),
    // Duplicates.
    (#"{"mfa":{"state":"ENABLED","state":"DISABLED"}}"#, "duplicate: mfa.state"),
    (#"{"multiFactorConfig":{"state":"ENABLED"},"mfa":{"state":"ENABLED"}}"#, "duplicate: multiFactorConfig"),
    (
      #"{"mfa":{"providerConfigs":[{"totpProviderConfig":{}},{"totpProviderConfig":{}}]}}"#,
      "duplicate: mfa.providerConfigs[1]"
    ),
    (
      #"{"mfa":{"state":"ENABLED","enabledProviders":["PHONE_SMS","PHONE_SMS"]}}"#, "duplicate: mfa.enabledProviders[1]"
    ),
    // Values.
    (#"{"mfa":{"state":"enabled"}}"#, "outOfRange: mfa.state"), (#"{"mfa":{"state":null}}"#, "malformed: mfa.state"),
    (
      #"{"mfa":{"providerConfigs":[{"state":"MANDATORY","totpProviderConfig":{}}]}}"#,
      "outOfRange: mfa.providerConfigs[0].state"
    ),
    (
      #"{"mfa":{"providerConfigs":[{"totpProviderConfig":{"adjacentIntervals":11}}]}}"#,
      "outOfRange: mfa.providerConfigs[0].totpProviderConfig.adjacentIntervals"
    ),
    (
      #"{"mfa":{"providerConfigs":[{"totpProviderConfig":{"adjacentIntervals":5.0}}]}}"#,
      "malformed: mfa.providerConfigs[0].totpProviderConfig.adjacentIntervals"
    ),
    (#"{"mfa":{"providerConfigs":[null]}}"#, "malformed: mfa.providerConfigs[0]"),
    (#"{"mfa":{"providerConfigs":{}}}"#, "malformed: mfa.providerConfigs"),
    (#"{"mfa":{"state":"ENABLED","enabledProviders":[null]}}"#, "malformed: mfa.enabledProviders[0]"),
    (#"{"mfa":{"state":"ENABLED","enabledProviders":["EMAIL"]}}"#, "outOfRange: mfa.enabledProviders[0]"),
    (#"{"multiFactorConfig":{"factorIds":["PHONE_SMS"]}}"#, "outOfRange: multiFactorConfig.factorIds[0]"),
    (#"{"mfa":{"state":"ENABLED"},"signIn":{"phoneNumber":null}}"#, "malformed: signIn.phoneNumber"),
    (
      #"{"mfa":{"state":"ENABLED"},"signIn":{"phoneNumber":{"testPhoneNumbers":{"+15105551234":123456}}}}"#,
      "malformed: signIn.phoneNumber.testPhoneNumbers"
    ),
    (
      #"{"mfa":{"state":"ENABLED"},"signIn":{"phoneNumber":{"testPhoneNumbers":{"5105551234":"123456"}}}}"#,
      "outOfRange: signIn.phoneNumber.testPhoneNumbers"
    ),
    // Not JSON, or JSON of another shape.
    ("", "malformed: configuration"), ("[]", "malformed: configuration"),
    (#"{"mfa":{"state":"ENABLED"}}{}"#, "malformed: configuration"),
  ])
  func `anything outside the format is refused with an error that names its path`(json: String, description: String)
    throws
  {
    #expect(failure(json)?.description == description)
  }

  @Test func `64 KiB are read, one byte more is refused`() throws {
    let padding = String(repeating: " ", count: Configuration.maximumJSONByteCount - Self.issueJSON.utf8.count)
    #expect(failure(Self.issueJSON + padding) == nil)
    #expect(failure(Self.issueJSON + padding + " ") == .outOfRange("configuration"))
  }

  private func failure(_ json: String) -> ConfigurationError? {
    do throws(ConfigurationError) {
      _ = try Configuration(json: json.utf8)
      return nil
    } catch { return error }
  }
}
