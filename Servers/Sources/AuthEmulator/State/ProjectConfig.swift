import FactorRecord
import MultiFactor
import MultiFactorPhone

/// A project's or tenant's configuration, in the protocol's form; ``standard`` has the defaults.
struct ProjectConfig: Sendable, Hashable {
  private(set) var json: JSON

  /// Everything is enabled: a developer who tries out an app can use TOTP and text messages.
  static let standard = ProjectConfig(json: [
    "signIn": ["allowDuplicateEmails": false, "phoneNumber": ["testPhoneNumbers": [:]]],
    "emailPrivacyConfig": ["enableImprovedEmailPrivacy": false],
    "blockingFunctions": [:],
    "mfa": [
      "state": "ENABLED", "enabledProviders": ["PHONE_SMS"],
      "providerConfigs": [["state": "ENABLED", "totpProviderConfig": ["adjacentIntervals": 5]]],
    ],
  ])

  /// The configuration of a tenant that no request has created, which also includes who can sign in.
  static let standardTenant = ProjectConfig(json: [
    "allowPasswordSignup": true, "enableEmailLinkSignin": true, "enableAnonymousUser": true, "disableAuth": false,
    "emailPrivacyConfig": ["enableImprovedEmailPrivacy": false], "mfaConfig": standard.json["mfa"] ?? [:],
  ])

  /// The defaults of a tenant that a request describes: whatever it does not mention is off.
  static let newTenant = ProjectConfig(json: [
    "allowPasswordSignup": false, "enableEmailLinkSignin": false, "enableAnonymousUser": false, "disableAuth": false,
    "emailPrivacyConfig": ["enableImprovedEmailPrivacy": false], "mfaConfig": noSecondFactors,
  ])

  private static let noSecondFactors: JSON = ["state": "DISABLED", "enabledProviders": [], "providerConfigs": []]

  var isImprovedEmailPrivacy: Bool {
    json["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"]?.bool ?? false
  }

  /// Whether an address belongs to at most one account, also if it comes from an identity provider.
  var isOneAccountPerEmail: Bool { json["signIn"]?["allowDuplicateEmails"]?.bool != true }

  /// The codes of test numbers.
  var testPhoneNumbers: [String: String] {
    let numbers = json["testPhoneNumbers"] ?? json["signIn"]?["phoneNumber"]?["testPhoneNumbers"] ?? [:]
    return (numbers.object ?? [:]).compactMapValues(\.string)
  }

  func allows(_ name: String) -> Bool { json[name]?.bool ?? false }

  var mfa: JSON { json["mfa"] ?? json["mfaConfig"] ?? [:] }

  /// Whether factors of a kind can be enrolled and used. As in production, TOTP has a state of its own.
  func allowsSecondFactor(totp: Bool) -> Bool {
    if totp { return Self.isOn(totpConfig) }
    return isRequiringAllFactors && mfa["enabledProviders"]?.array?.contains("PHONE_SMS") ?? false
  }

  /// Whether a user with any second factor is asked for one; otherwise, only one with a TOTP factor is, if that is
  /// enabled.
  var isRequiringAllFactors: Bool { Self.isOn(mfa) }

  private static func isOn(_ config: JSON?) -> Bool { ["ENABLED", "MANDATORY"].contains(config?["state"]?.string) }

  private var totpConfig: JSON? { mfa["providerConfigs"]?.array?.first { $0["totpProviderConfig"] != nil } }

  /// The configuration for `MultiFactor`.
  ///
  /// - Throws: `ConfigurationError` if a value is out of range.
  func multiFactor(testNumbersOf project: ProjectConfig) throws -> MultiFactorConfiguration {
    let intervals = totpConfig?["totpProviderConfig"]?["adjacentIntervals"]?.integer ?? 5
    return try MultiFactorConfiguration(
      state: isRequiringAllFactors || allowsSecondFactor(totp: true) ? .enabled : .disabled,
      providerConfigs: [
        .totp(
          adjacentIntervals: Int(clamping: intervals), state: allowsSecondFactor(totp: true) ? .enabled : .disabled),
        .phone(
          testPhoneNumbers: project.testPhoneNumbers.merging(testPhoneNumbers) { _, own in own },
          state: allowsSecondFactor(totp: false) ? .enabled : .disabled),
        .hotp(state: .disabled),
      ],
      userTokenLifetime: MultiFactorConfiguration.maximumDuration, allowsRecoveryCodes: false)
  }
}

// Changes.
extension ProjectConfig {
  /// Applies a PATCH request.
  ///
  /// - Parameters:
  ///   - body: The body, normalized by the operation's schema.
  ///   - mask: Comma-separated paths, each of which is changed if the body has it; `nil` changes everything.
  ///   - standard: The defaults for what the body lacks if `mask` is `nil`.
  ///   - schema: The fields that can be changed.
  /// - Throws: ``APIError`` for an invalid mask or configuration.
  mutating func patch(by body: JSON, mask: String?, standard: ProjectConfig, _ schema: Schema) throws(APIError) {
    var changed = mask == nil ? standard.json : json
    let paths = mask.map { $0.split(separator: ",").map(String.init) } ?? (body.object ?? [:]).keys.sorted()
    for path in paths {
      let names = path.split(separator: ".").map { Kind.camelCase(String($0)) }
      guard let first = names.first, schema[first] != nil else {
        throw .invalid("Invalid field mask: \(path.prefix(100)).")
      }
      guard let value = Self.value(of: body, at: names[...]) else { continue }
      Self.set(value, in: &changed, at: names[...])
    }
    if let mfa = changed["mfaConfig"] { changed["mfaConfig"] = Self.noSecondFactors.adding(mfa) }
    let new = ProjectConfig(json: changed)
    do { _ = try new.multiFactor(testNumbersOf: new) } catch {
      throw APIError("INVALID_CONFIG", "\(error)")
    }
    json = changed
  }

  private static func value(of json: JSON, at names: ArraySlice<String>) -> JSON? {
    guard let name = names.first else { return json }
    return json[name].flatMap { value(of: $0, at: names.dropFirst()) }
  }

  /// Objects that are changed member by member: the documentation's request for TOTP lacks `state`, which must be kept.
  private static let merged: Set = ["mfa", "signIn", "phoneNumber", "emailPrivacyConfig"]

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
}
