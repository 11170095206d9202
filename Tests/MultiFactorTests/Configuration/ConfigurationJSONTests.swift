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
    #expect(try JSONDecoder().decode(Configuration.self, from: Data(Self.issueJSON.utf8)) == read)
    #expect(try Configuration(json: Data(Self.issueJSON.utf8)) == read)
  }

  @Test func `adjacentIntervals is 5 by default`() throws {
    let json = #"{"mfa":{"providerConfigs":[{"state":"ENABLED","totpProviderConfig":{}}]}}"#
    #expect(try Configuration(json: json.utf8).policy.adjacentIntervals == 5)
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

  @Test(
    arguments: [
      ("null", .malformed), ("NaN", .malformed), (#""""#, .malformed), (#""a""#, .malformed), (#""5""#, .malformed),
      ("[]", .malformed), ("[5]", .malformed), ("{}", .malformed), ("true", .malformed), ("false", .malformed),
      ("-1", .outOfRange), ("11", .outOfRange), ("1.1", .malformed), ("5.0", .malformed), ("1e0", .malformed),
      ("5E0", .malformed), ("0x5", .malformed), ("05", .malformed), ("+5", .malformed), ("-", .malformed),
      ("Infinity", .malformed), ("9223372036854775807", .outOfRange), ("", .malformed),
      ("-9223372036854775808", .outOfRange), ("18446744073709551621", .malformed), ("٥", .malformed),
      ("5,", .malformed),
    ] as [(String, ConfigurationError.Kind)])
  func `every adjacentIntervals that is out of range or not an integer is refused`(
    value: String, kind: ConfigurationError.Kind
  ) {
    let json =
      #"{"mfa":{"providerConfigs":[{"state":"ENABLED","totpProviderConfig":{"adjacentIntervals":\#(value)}}]}}"#
    let error = failure(json)
    #expect(error?.kind == kind)
    // If the text is not JSON, the error names no part.
    #expect(["mfa.providerConfigs[0].totpProviderConfig.adjacentIntervals", "configuration"].contains(error?.part))
    if kind == .outOfRange { #expect(error?.part != "configuration") }
  }

  @Test(arguments: [
    // Unknown names, at every level.
    (#"{"mfa":{"state":"ENABLED","extra":null}}"#, "unknownKey: mfa.extra"),
    (#"{"mfa":{"State":"ENABLED"}}"#, "unknownKey: mfa.State"),
    (
      #"{"mfa":{"providerConfigs":[{"state":"ENABLED","totpProviderConfig":{},"x":[]}]}}"#,
      "unknownKey: mfa.providerConfigs[0].x"
    ),
    (
      #"{"mfa":{"providerConfigs":[{"state":"ENABLED","totpProviderConfig":{"x":1}}]}}"#,
      "unknownKey: mfa.providerConfigs[0].totpProviderConfig.x"
    ),
    (#"{"multiFactorConfig":{"enabledProviders":[]}}"#, "unknownKey: multiFactorConfig.enabledProviders"),
    (#"{"mfa":{"state":"ENABLED","factorIds":[]}}"#, "unknownKey: mfa.factorIds"),
    (#"{"multiFactorConfig":{"factorIds":["PHONE_SMS"]}}"#, "outOfRange: multiFactorConfig.factorIds[0]"),
    (#"{"multiFactorConfig":{"factorIds":["phone"]}}"#, "missingKey: multiFactorConfig.state"),
    (#"{"multiFactorConfig":{"state":"ENABLED"},"mfa":{"state":"ENABLED"}}"#, "duplicate: multiFactorConfig"),
    // A name that looks like data is not repeated.
    (#"{"mfa":{"state":"ENABLED","15105551234":"123456"}}"#, "unknownKey: mfa"),
    // Missing parts.
    ("{}", "missingKey: mfa"),
    (#"{"mfa":{}}"#, "missingKey: mfa.state"),
    (#"{"mfa":{"enabledProviders":["PHONE_SMS"]}}"#, "missingKey: mfa.state"),
    (#"{"mfa":{"enabledProviders":[],"providerConfigs":[]}}"#, "missingKey: mfa.state"),
    (#"{"mfa":{"providerConfigs":[{"state":"ENABLED"}]}}"#, "missingKey: mfa.providerConfigs[0].totpProviderConfig"),
    (#"{"mfa":{"providerConfigs":[{}]}}"#, "missingKey: mfa.providerConfigs[0].totpProviderConfig"),
    (#"{"mfa":{"state":"ENABLED"},"signIn":[]}"#, "malformed: signIn"),
    (#"{"mfa":{"state":"ENABLED"},"signIn":{"phoneNumber":null}}"#, "malformed: signIn.phoneNumber"),
    // A provider that is listed and off.
    (#"{"mfa":{"state":"DISABLED","enabledProviders":["PHONE_SMS"]}}"#, "incomplete: mfa.enabledProviders"),
    (
      #"{"mfa":{"state":"DISABLED","enabledProviders":["PHONE_SMS"],"providerConfigs":[{"totpProviderConfig":{}}]}}"#,
      "incomplete: mfa.enabledProviders"
    ),
    (#"{"multiFactorConfig":{"state":"DISABLED","factorIds":["phone"]}}"#, "incomplete: multiFactorConfig.factorIds"),
    // Duplicates.
    (#"{"mfa":{"state":"ENABLED","state":"DISABLED"}}"#, "duplicate: mfa.state"),
    (#"{"mfa":{"state":"ENABLED"},"mfa":{"state":"ENABLED"}}"#, "duplicate: mfa"),
    (
      #"{"mfa":{"providerConfigs":[{"state":"ENABLED","totpProviderConfig":{"adjacentIntervals":1,"adjacentIntervals":1}}]}}"#,
      "duplicate: mfa.providerConfigs[0].totpProviderConfig.adjacentIntervals"
    ),
    (
      #"{"mfa":{"providerConfigs":[{"state":"ENABLED","totpProviderConfig":{}},{"state":"ENABLED","totpProviderConfig":{}}]}}"#,
      "duplicate: mfa.providerConfigs[1]"
    ),
    (
      #"{"mfa":{"state":"ENABLED","enabledProviders":["PHONE_SMS","PHONE_SMS"]}}"#, "duplicate: mfa.enabledProviders[1]"
    ),
    (
      #"{"mfa":{"state":"ENABLED"},"signIn":{"phoneNumber":{"testPhoneNumbers":{"+15105551234":"123456","+15105551234":"123456"}}}}"#,
      "duplicate: signIn.phoneNumber.testPhoneNumbers"
    ),
    // Values.
    (#"{"mfa":{"state":"enabled"}}"#, "outOfRange: mfa.state"),
    (#"{"mfa":{"state":""}}"#, "outOfRange: mfa.state"),
    (#"{"mfa":{"state":"STATE_UNSPECIFIED"}}"#, "outOfRange: mfa.state"),
    (#"{"mfa":{"state":null}}"#, "malformed: mfa.state"),
    (#"{"mfa":{"state":1}}"#, "malformed: mfa.state"),
    (
      #"{"mfa":{"providerConfigs":[{"state":"MANDATORY","totpProviderConfig":{}}]}}"#,
      "outOfRange: mfa.providerConfigs[0].state"
    ),
    (
      #"{"mfa":{"providerConfigs":[{"state":true,"totpProviderConfig":{}}]}}"#,
      "malformed: mfa.providerConfigs[0].state"
    ),
    (
      #"{"mfa":{"providerConfigs":[{"state":"ENABLED","totpProviderConfig":null}]}}"#,
      "malformed: mfa.providerConfigs[0].totpProviderConfig"
    ),
    (#"{"mfa":{"providerConfigs":[null]}}"#, "malformed: mfa.providerConfigs[0]"),
    (#"{"mfa":{"providerConfigs":[[]]}}"#, "malformed: mfa.providerConfigs[0]"),
    (#"{"mfa":{"providerConfigs":null}}"#, "malformed: mfa.providerConfigs"),
    (#"{"mfa":{"providerConfigs":{}}}"#, "malformed: mfa.providerConfigs"),
    (#"{"mfa":{"state":"ENABLED","enabledProviders":"PHONE_SMS"}}"#, "malformed: mfa.enabledProviders"),
    (#"{"mfa":{"state":"ENABLED","enabledProviders":[null]}}"#, "malformed: mfa.enabledProviders[0]"),
    (
      #"{"mfa":{"state":"ENABLED","enabledProviders":["PROVIDER_UNSPECIFIED"]}}"#, "outOfRange: mfa.enabledProviders[0]"
    ),
    (#"{"mfa":null}"#, "malformed: mfa"),
    (#"{"mfa":[]}"#, "malformed: mfa"),
    (
      #"{"mfa":{"state":"ENABLED"},"signIn":{"phoneNumber":{"testPhoneNumbers":{"+15105551234":123456}}}}"#,
      "malformed: signIn.phoneNumber.testPhoneNumbers"
    ),
    (
      #"{"mfa":{"state":"ENABLED"},"signIn":{"phoneNumber":{"testPhoneNumbers":{"+15105551234":1.5}}}}"#,
      "malformed: signIn.phoneNumber.testPhoneNumbers"
    ),
    (
      #"{"mfa":{"state":"ENABLED"},"signIn":{"phoneNumber":{"testPhoneNumbers":{"5105551234":"123456"}}}}"#,
      "outOfRange: signIn.phoneNumber.testPhoneNumbers"
    ),
    (
      #"{"mfa":{"state":"ENABLED"},"signIn":{"phoneNumber":{"testPhoneNumbers":{"+15105551234":"12345"}}}}"#,
      "outOfRange: signIn.phoneNumber.testPhoneNumbers"
    ),
    // Not JSON, or JSON of another shape.
    ("", "malformed: configuration"), ("[]", "malformed: configuration"), ("null", "malformed: configuration"),
    ("1", "malformed: configuration"), (#"{"mfa":{"state":"ENABLED"}"#, "malformed: configuration"),
    (#"{"mfa":{"state":"ENABLED"}}{}"#, "malformed: configuration"),
    (#"{"mfa":{"state":"ENABLED",}}"#, "malformed: mfa.state"),
    (#"{"mfa":{"state":'ENABLED'}}"#, "malformed: configuration"),
    (#"{/* */"mfa":{"state":"ENABLED"}}"#, "malformed: configuration"),
    (#"{"m\u0066a":{"state":"ENABLED"}}"#, "malformed: configuration"),
    ("\u{FEFF}" + #"{"mfa":{"state":"ENABLED"}}"#, "malformed: configuration"),
    (#"{"mfa":{"state":"EN"# + "\0" + #"ABLED"}}"#, "malformed: mfa.state"),
  ])
  func `anything outside the format is refused with an error that names its path`(json: String, description: String)
    throws
  {
    let error = try #require(failure(json))
    // Names with escapes are refused as malformed.
    #expect(error.description == description)
  }

  @Test func `a text that is not UTF-8 is refused`() {
    for bytes in [[0xFF], Array(Self.issueJSON.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), 0] })] as [[UInt8]] {
      #expect(throws: ConfigurationError(.malformed, "configuration")) { try Configuration(json: bytes) }
    }
  }

  @Test func `64 KiB are read, one byte more is refused`() throws {
    let padding = String(repeating: " ", count: Configuration.maximumJSONByteCount - Self.issueJSON.utf8.count)
    #expect(throws: Never.self) { try Configuration(json: (Self.issueJSON + padding).utf8) }
    #expect(failure(Self.issueJSON + padding + " ") == .outOfRange("configuration"))
    #expect(failure(String(repeating: "{", count: 1 << 20)) == .outOfRange("configuration"))
  }

  @Test(arguments: ["[", #"{"mfa":"#]) func `deep nesting is refused`(opening: String) {
    for count in [17, 100, 5000] {
      #expect(failure(String(repeating: opening, count: count))?.kind == .malformed)
    }
  }

  @Test func `ten test numbers are accepted, eleven are refused`() throws {
    for (count, isTaken) in [(10, true), (11, false)] {
      let numbers = (0..<count).map { #""+1510555010\#($0)":"123456""# }.joined(separator: ",")
      let json = #"{"mfa":{"state":"ENABLED"},"signIn":{"phoneNumber":{"testPhoneNumbers":{\#(numbers)}}}}"#
      #expect(failure(json) == (isTaken ? nil : .outOfRange("signIn.phoneNumber.testPhoneNumbers")))
    }
  }

  private func failure(_ json: String) -> ConfigurationError? {
    do throws(ConfigurationError) {
      _ = try Configuration(json: json.utf8)
      return nil
    } catch { return error }
  }
}
