import MultiFactor

/// A project's configuration, or a tenant's, in the protocol's own form: what is not said is as in ``standard``.
struct ProjectConfig: Sendable, Codable, Hashable {
  private(set) var json: JSON

  /// Everything that is there can be used: a developer who tries out an app finds TOTP and text messages enabled.
  static let standard = ProjectConfig(json: [
    "signIn": ["allowDuplicateEmails": false, "phoneNumber": ["testPhoneNumbers": [:]]],
    "emailPrivacyConfig": ["enableImprovedEmailPrivacy": false],
    "blockingFunctions": [:],
    "mfa": [
      "state": "ENABLED", "enabledProviders": ["PHONE_SMS"],
      "providerConfigs": [["state": "ENABLED", "totpProviderConfig": ["adjacentIntervals": 5]]],
    ],
  ])

  /// What a new tenant has beside: who can sign in.
  static let standardTenant = ProjectConfig(json: [
    "allowPasswordSignup": true, "enableEmailLinkSignin": true, "enableAnonymousUser": true, "disableAuth": false,
    "emailPrivacyConfig": ["enableImprovedEmailPrivacy": false], "mfaConfig": standard.json["mfa"] ?? [:],
  ])

  var isImprovedEmailPrivacy: Bool {
    json["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"]?.bool ?? false
  }

  /// The code of a number that nothing is sent to.
  func testCode(for number: String) -> String? { testPhoneNumbers[number] }

  private var testPhoneNumbers: [String: String] {
    let numbers = json["testPhoneNumbers"] ?? json["signIn"]?["phoneNumber"]?["testPhoneNumbers"] ?? [:]
    return (numbers.object ?? [:]).compactMapValues(\.string)
  }

  func allows(_ name: String) -> Bool { json[name]?.bool ?? false }

  var mfa: JSON { json["mfa"] ?? json["mfaConfig"] ?? [:] }

  /// Whether factors of a kind can be enrolled and used.
  func allowsSecondFactor(totp: Bool) -> Bool {
    guard mfa["state"]?.string != "DISABLED" else { return false }
    if totp { return totpConfig?["state"]?.string == "ENABLED" }
    return mfa["enabledProviders"]?.array?.contains("PHONE_SMS") ?? false
  }

  private var totpConfig: JSON? { mfa["providerConfigs"]?.array?.first { $0["totpProviderConfig"] != nil } }

  /// The same for `MultiFactor`.
  ///
  /// - Throws: `ConfigurationError` for what is out of its range.
  func multiFactor(
    testNumbersOf project: ProjectConfig, isLikeGoogle: Bool
  ) throws(ConfigurationError) -> MultiFactorConfiguration {
    let intervals = totpConfig?["totpProviderConfig"]?["adjacentIntervals"]?.integer ?? 5
    let limit = try SendLimits.Limit(isLikeGoogle ? 100_000 : 100, every: 3600)
    let overall = try SendLimits.Limit(100_000, every: 3600)
    return try MultiFactorConfiguration(
      state: mfa["state"]?.string == "DISABLED" ? .disabled : .enabled,
      providerConfigs: [
        .totp(
          adjacentIntervals: Int(clamping: intervals), state: allowsSecondFactor(totp: true) ? .enabled : .disabled),
        .phone(
          testPhoneNumbers: project.testPhoneNumbers.merging(testPhoneNumbers) { _, own in own },
          state: allowsSecondFactor(totp: false) ? .enabled : .disabled),
      ],
      attemptPolicy: isLikeGoogle
        ? AttemptPolicy(failuresUntilLock: 100, firstDelayedFailure: 100, initialDelay: 0) : .standard,
      sendLimits: SendLimits(
        perUser: limit, signInsPerNumber: limit, signInsOverall: overall, enrollmentsPerNumber: limit,
        enrollmentsPerPrefix: overall, enrollmentsOverall: overall, leastProvedShare: 0),
      recentLoginInterval: isLikeGoogle ? MultiFactorConfiguration.longestInterval : 300,
      userTokenLifetime: MultiFactorConfiguration.longestInterval, allowsHOTP: false, allowsRecoveryCodes: false)
  }
}

// Changes.
extension ProjectConfig {
  /// Changes it by a PATCH.
  ///
  /// - Parameters:
  ///   - body: In the form of the operation's schema.
  ///   - mask: Paths by commas, each of which is changed if the body has it; `nil` changes all.
  ///   - standard: What is not said then.
  ///   - schema: What there is to change.
  /// - Throws: ``APIError`` for a configuration that cannot be.
  mutating func patch(by body: JSON, mask: String?, standard: ProjectConfig, _ schema: Schema) throws(APIError) {
    var changed = mask == nil ? standard.json : json
    let paths = mask.map { $0.split(separator: ",").map(String.init) } ?? (body.object ?? [:]).keys.sorted()
    for path in paths {
      let names = path.split(separator: ".").map { Self.camelCase(String($0)) }
      guard let first = names.first, schema[first] != nil else {
        throw .invalid("Invalid field mask: \(path.prefix(100)).")
      }
      guard let value = Self.value(of: body, at: names[...]) else { continue }
      Self.set(value, in: &changed, at: names[...])
    }
    Self.enable(byProviderIn: body, in: &changed)
    let new = ProjectConfig(json: changed)
    do { _ = try new.multiFactor(testNumbersOf: new, isLikeGoogle: false) } catch {
      throw APIError("INVALID_CONFIG", "\(error)")
    }
    json = changed
  }

  /// A request that enables TOTP and says nothing of the state means that there are second factors: TOTP, and no others
  /// if there were none.
  private static func enable(byProviderIn body: JSON, in config: inout JSON) {
    for name in ["mfa", "mfaConfig"] {
      guard let mfa = body[name], mfa["state"] == nil, config[name]?["state"]?.string == "DISABLED",
        mfa["providerConfigs"]?.array?.contains(where: { $0["state"]?.string == "ENABLED" }) ?? false
      else { continue }
      config[name]?["state"] = "ENABLED"
      if mfa["enabledProviders"] == nil { config[name]?["enabledProviders"] = [] }
    }
  }

  private static func value(of json: JSON, at names: ArraySlice<String>) -> JSON? {
    guard let name = names.first else { return json }
    return json[name].flatMap { value(of: $0, at: names.dropFirst()) }
  }

  /// What is changed member by member: the documentation's request for TOTP has no `state`, which must not be lost.
  private static let merged: Set = ["mfa", "mfaConfig", "signIn", "phoneNumber", "emailPrivacyConfig"]

  /// Sets a value at a path.
  private static func set(_ value: JSON, in json: inout JSON, at names: ArraySlice<String>) {
    guard let name = names.first else { return }
    if names.count == 1, !merged.contains(name) || value.object == nil {
      json[name] = value
      return
    }
    var member = json[name] ?? [:]
    if names.count > 1 {
      set(value, in: &member, at: names.dropFirst())
    } else {
      for (name, part) in value.object ?? [:] { set(part, in: &member, at: [name]) }
    }
    json[name] = member
  }

  private static func camelCase(_ name: String) -> String {
    let parts = name.split(separator: "_")
    guard let first = parts.first else { return name }
    return first + parts.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }
}
