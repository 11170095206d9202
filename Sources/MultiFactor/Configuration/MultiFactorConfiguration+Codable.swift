import StrictJSON

// What the JSON of Identity Platform's project configuration says of second factors:
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
// `providerConfigs` has no phone: that is enabled by its name in `enabledProviders`. Its test numbers are those of
// phone sign-in, which that platform uses for second factors as well. Where the numbers are and the name is not, the
// phone provider is there and disabled.
//
// Source: Identity Platform REST API v2, `Config`, `MultiFactorAuthConfig`, `ProviderConfig`, `PhoneNumber`.
extension MultiFactorConfiguration: Codable {
  /// Reads Identity Platform's JSON. What it has no place for is as the memberwise initialiser has it by default.
  ///
  /// `JSONDecoder` lets pass what ``init(json:)`` refuses: names given twice, and `5.0` for 5.
  ///
  /// - Throws: ``ConfigurationError`` as ``init(json:)``.
  public init(from decoder: any Decoder) throws {
    let project = try ConfigurationFields(decoder, allowing: ["mfa", "signIn"])
    let mfa = try project.object("mfa", allowing: ["state", "enabledProviders", "providerConfigs"])
    let totp = try Self.totpConfig(in: mfa)
    let phone = try Self.phoneConfig(in: project, mfa)
    try self.init(state: try Self.state(of: mfa), providerConfigs: [totp, phone].compactMap(\.self))
  }

  /// Writes Identity Platform's JSON. What it has no place for is left out: ``attemptPolicy`` and all that follows it.
  public func encode(to encoder: any Encoder) throws {
    var project = encoder.container(keyedBy: FieldName.self)
    var mfa = project.nestedContainer(keyedBy: FieldName.self, forKey: "mfa")
    var isTOTPAlone = false
    var hasPhone = false
    for config in providerConfigs {
      switch config.provider {
      case .totp(let provider):
        isTOTPAlone = providerConfigs.count == 1
        var list = mfa.nestedUnkeyedContainer(forKey: "providerConfigs")
        var object = list.nestedContainer(keyedBy: FieldName.self)
        try object.encode(config.state.rawValue, forKey: "state")
        var settings = object.nestedContainer(keyedBy: FieldName.self, forKey: "totpProviderConfig")
        try settings.encode(provider.adjacentIntervals, forKey: "adjacentIntervals")
      case .phone(let provider):
        hasPhone = config.state == .enabled
        guard !hasPhone || !provider.testPhoneNumbers.isEmpty else { continue }
        var signIn = project.nestedContainer(keyedBy: FieldName.self, forKey: "signIn")
        var phone = signIn.nestedContainer(keyedBy: FieldName.self, forKey: "phoneNumber")
        try phone.encode(provider.testPhoneNumbers, forKey: "testPhoneNumbers")
      }
    }
    if hasPhone { try mfa.encode([Self.phoneName], forKey: "enabledProviders") }
    // For TOTP alone, the platform's own examples leave it out.
    if state != .enabled || !isTOTPAlone { try mfa.encode(state.rawValue, forKey: "state") }
  }

  /// What the platform calls the phone provider.
  private static let phoneName = "PHONE_SMS"

  private static func state(of mfa: ConfigurationFields) throws(ConfigurationError) -> State {
    if let state = try mfa.word("state", as: State.self, isRequired: false) { return state }
    // Without it, only an enabled or disabled TOTP provider says what is meant.
    guard mfa.has("providerConfigs"), !mfa.has("enabledProviders") else { throw mfa.error(.missingKey, "state") }
    return .enabled
  }

  private static func totpConfig(in mfa: ConfigurationFields) throws(ConfigurationError) -> ProviderConfig? {
    var found: ProviderConfig?
    for config in try mfa.objects("providerConfigs", allowing: ["state", "totpProviderConfig"]) {
      guard found == nil else { throw config.error(.duplicate) }
      let state = try config.word("state", as: ProviderConfig.State.self)
      let settings = try config.object("totpProviderConfig", allowing: ["adjacentIntervals"])
      let range = 0...TOTPProvider.largestAdjacentIntervals
      let count = try settings.number("adjacentIntervals", in: range, default: TOTPProvider.standardAdjacentIntervals)
      found = ProviderConfig(state: state, provider: .totp(TOTPProvider(checked: count)))
    }
    return found
  }

  private static func phoneConfig(
    in project: ConfigurationFields, _ mfa: ConfigurationFields
  ) throws(ConfigurationError) -> ProviderConfig? {
    let names = try mfa.texts("enabledProviders")
    for (index, name) in names.enumerated() {
      guard name == phoneName else { throw mfa.error(.outOfRange, "enabledProviders", at: index) }
      guard index == 0 else { throw mfa.error(.duplicate, "enabledProviders", at: index) }
    }
    var numbers: [String: String]?
    if project.has("signIn") {
      let phone = try project.object("signIn", allowing: ["phoneNumber"])
        .object("phoneNumber", allowing: ["testPhoneNumbers"])
      numbers = try phone.map("testPhoneNumbers", limit: PhoneProvider.largestTestNumberCount)
      do { _ = try PhoneProvider(testPhoneNumbers: numbers ?? [:]) } catch {
        throw phone.error(error.kind, "testPhoneNumbers")
      }
    }
    guard !names.isEmpty || numbers != nil else { return nil }
    return try .phone(testPhoneNumbers: numbers ?? [:], state: names.isEmpty ? .disabled : .enabled)
  }
}
