import Keyring
import MultiFactor
import MultiFactorPhone
import OTP

// What the JSON of Identity Platform's project configuration says about second factors:
//
//   {
//     "mfa": {
//       "state": "ENABLED",
//       "enabledProviders": ["PHONE_SMS"],
//       "providerConfigs": [{ "state": "ENABLED", "totpProviderConfig": { "adjacentIntervals": 5 } }]
//     },
//     "signIn": { "phoneNumber": { "testPhoneNumbers": { "+15105551234": "123456" } } }
//   }
//
// In the Admin SDK, `mfa` is `multiFactorConfig`, and `"enabledProviders": ["PHONE_SMS"]` is `"factorIds": ["phone"]`.
// `providerConfigs` has no phone provider: that is enabled by its name in `enabledProviders`. Its test numbers are
// those of phone sign-in, which the platform also uses for second factors. If there are test numbers but the name is
// absent, the phone provider exists and is disabled. A provider without a state is enabled: there would be no other
// reason to list it.
//
// A TOTP provider that is enabled is on even if `mfa.state` is `DISABLED`: that is how a project is in production if
// TOTP was turned on as Google's page says, by a change of only `providerConfigs`. A text message provider that is
// listed under `DISABLED` is refused: it is not on, and must not be passed over.
//
// Source: Identity Platform REST API v2, `Config`, `MultiFactorAuthConfig`, `ProviderConfig`, `PhoneNumber`; Firebase
// Admin SDK, `ProjectConfig`, `MultiFactorConfig`; Firebase, *Add TOTP multi-factor authentication to your web app*.
extension MultiFactorConfiguration {
  /// The longest JSON text that is read, in bytes.
  public static let maximumJSONByteCount = 65_536

  /// Reads what Identity Platform's JSON says about second factors: see `reading(json:)`. Settings that it cannot
  /// express have the memberwise initializer's defaults.
  ///
  /// - Parameter json: The text, in UTF-8, at most 64 KiB.
  /// - Throws: `ConfigurationError` as `reading(json:)`.
  public init(json: some Collection<UInt8>) throws(ConfigurationError) {
    self = try Self.reading(json: json).configuration
  }

  /// Reads what Identity Platform's JSON says about second factors, and lists what else it contains. The JSON is the
  /// response of `projects.getConfig`, or a project's configuration as in the Admin SDK.
  ///
  /// The part about second factors is read strictly: every name must be known and unique, every number whole. A TOTP
  /// provider that is enabled is on even if `mfa.state` is `DISABLED`, and `PHONE_SMS` is then refused. For
  /// policies other than the standard ones, pass `state` and `providerConfigs` on to the memberwise initializer.
  ///
  /// - Parameter json: The text, in UTF-8, at most 64 KiB.
  /// - Returns: The configuration, and the paths of the fields that were passed over, such as `signIn.email`. Check
  ///   them for policies that are set elsewhere here: `smsRegionConfig` is `SendLimits.regions`.
  /// - Throws: `ConfigurationError` with the part's path, such as `mfa.providerConfigs[0].state`. A path ends before
  ///   a name that looks like data.
  public static func reading(
    json: some Collection<UInt8>
  ) throws(ConfigurationError) -> (configuration: MultiFactorConfiguration, passedOver: [String]) {
    let root = ConfigurationValue.text(of: [])
    let text = SecretBytes(copying: json.prefix(maximumJSONByteCount + 1))
    guard text.byteCount <= maximumJSONByteCount else { throw .outOfRange(root) }
    let project: JSONValue
    do throws(JSONFault) { project = try JSONText(text).value } catch {
      let kind: ConfigurationError.Kind = error.reason == .duplicateName ? .duplicate : .malformed
      throw ConfigurationError(kind, ConfigurationValue.text(of: error.path))
    }
    return try reading(ConfigurationValue(project))
  }

  /// The top-level names that are read.
  static let readNames: Set = ["mfa", "multiFactorConfig", "signIn"]

  static func reading(
    _ project: ConfigurationValue
  ) throws(ConfigurationError) -> (configuration: MultiFactorConfiguration, passedOver: [String]) {
    let fields = try project.fields()
    let isOfAdmin = fields["multiFactorConfig"] != nil
    guard let mfa = fields["mfa"] ?? fields["multiFactorConfig"] else { throw project.error(.missingKey, "mfa") }
    guard !isOfAdmin || fields["mfa"] == nil else { throw project.error(.duplicate, "multiFactorConfig") }
    let (listName, phoneName) = isOfAdmin ? ("factorIds", "phone") : ("enabledProviders", "PHONE_SMS")
    let parts = try mfa.fields(only: ["state", listName, "providerConfigs"])

    var passedOver = try project.others(than: readNames)
    let (numbers, others) = try testPhoneNumbers(in: fields["signIn"])
    passedOver += others
    let isPhoneEnabled = try contains(parts[listName], only: phoneName)

    var providers = try totpConfigs(in: parts["providerConfigs"])
    if isPhoneEnabled || numbers != nil {
      providers.append(try .phone(testPhoneNumbers: numbers ?? [:], state: isPhoneEnabled ? .enabled : .disabled))
    }
    // Without a state, only a list of TOTP providers makes the meaning clear.
    let state: State? = try parts["state"]?.word()
    guard state != nil || parts["providerConfigs"] != nil && parts[listName] == nil else {
      throw mfa.error(.missingKey, "state")
    }
    guard state != .disabled || !isPhoneEnabled else { throw mfa.error(.incomplete, listName) }
    let isOff = state == .disabled && !providers.contains { $0.state == .enabled }
    let stateOfAll = isOff ? .disabled : state == .mandatory ? State.mandatory : .enabled
    return (try Self(state: stateOfAll, providerConfigs: providers), passedOver)
  }

  private static func totpConfigs(in list: ConfigurationValue?) throws(ConfigurationError) -> [ProviderConfig] {
    var configs: [ProviderConfig] = []
    for config in try list?.list() ?? [] {
      let fields = try config.fields(only: ["state", "totpProviderConfig"])
      guard let settings = fields["totpProviderConfig"] else { throw config.error(.missingKey, "totpProviderConfig") }
      guard configs.isEmpty else { throw config.error(.duplicate) }
      let count = try settings.fields(only: ["adjacentIntervals"])["adjacentIntervals"]?
        .number(in: 0...ProviderConfig.maximumAdjacentIntervals)
      let state: State = try fields["state"]?.word() ?? .enabled
      // It is said of all second factors, not of one kind.
      if state == .mandatory, let field = fields["state"] { throw field.error(.outOfRange) }
      configs.append(
        try .totp(adjacentIntervals: count ?? ProviderConfig.standardAdjacentIntervals, state: state))
    }
    return configs
  }

  /// Whether a list contains a name. No other name is allowed in it, and this one only once.
  private static func contains(
    _ list: ConfigurationValue?, only name: String
  ) throws(ConfigurationError) -> Bool {
    let values = try list?.list() ?? []
    for value in values where try value.text() != name { throw value.error(.outOfRange) }
    if values.count > 1 { throw values[1].error(.duplicate) }
    return !values.isEmpty
  }

  private static func testPhoneNumbers(
    in signIn: ConfigurationValue?
  ) throws(ConfigurationError) -> (numbers: [String: String]?, passedOver: [String]) {
    guard let signIn else { return (nil, []) }
    let passedOver = try signIn.others(than: ["phoneNumber"])
    guard let phone = try signIn.fields()["phoneNumber"] else { return (nil, passedOver) }
    let others = try passedOver + phone.others(than: ["testPhoneNumbers"])
    guard let list = try phone.fields()["testPhoneNumbers"] else { return (nil, others) }
    // The names are data, so an error names only the object.
    guard let numbers = try? list.fields().mapValues({ try $0.text() }) else { throw list.error(.malformed) }
    do { _ = try ProviderConfig.phone(testPhoneNumbers: numbers) } catch { throw list.error(error.kind) }
    return (numbers, others)
  }
}

extension MultiFactorConfiguration: Encodable {
  /// Writes Identity Platform's JSON. Settings that it cannot express are left out: those of HOTP and of other factors,
  /// `attemptLimit` and all after it. If second factors are off, each provider is written as disabled.
  public func encode(to encoder: any Encoder) throws {
    var project = encoder.container(keyedBy: FieldName.self)
    var mfa = project.nestedContainer(keyedBy: FieldName.self, forKey: "mfa")
    try mfa.encode(state.rawValue, forKey: "state")
    for config in providerConfigs {
      let state = state == .disabled ? state : config.state
      switch config.factorID {
      case TOTPMultiFactorID:
        var list = mfa.nestedUnkeyedContainer(forKey: "providerConfigs")
        var object = list.nestedContainer(keyedBy: FieldName.self)
        try object.encode(state.rawValue, forKey: "state")
        try object.encode(["adjacentIntervals": config.adjacentIntervals], forKey: "totpProviderConfig")
      case PhoneMultiFactorID:
        let numbers = config.externalSettings
        if state != .disabled { try mfa.encode(["PHONE_SMS"], forKey: "enabledProviders") }
        guard state == .disabled || !numbers.isEmpty else { continue }
        try project.encode(["phoneNumber": ["testPhoneNumbers": numbers]], forKey: "signIn")
      default: break
      }
    }
  }
}

/// The name of a field that is written.
private struct FieldName: CodingKey, ExpressibleByStringLiteral {
  let stringValue: String

  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }

  init?(intValue: Int) { nil }

  init(stringLiteral name: String) { stringValue = name }
}
