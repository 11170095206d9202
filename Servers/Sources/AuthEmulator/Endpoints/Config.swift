// Projects' configurations, and what clients request about a project.
extension Emulator {
  func getConfig(_ call: Call) async throws -> JSON {
    let config = try withRealm(call.project, nil) { (realm) throws(APIError) in realm.config }
    return JSON.object(["name": .string("projects/\(call.project)/config")]).adding(config.json)
  }

  func patchConfig(_ call: Call) async throws -> JSON {
    try withRealm(call.project, nil) { (realm) throws(APIError) in
      try realm.config.patch(by: call.body, mask: call.query["updateMask"], standard: .standard, Schemas.config)
    }
    return try await getConfig(call)
  }

  /// The part of the configuration with the emulator's own endpoint.
  func getEmulatorConfig(_ call: Call) async throws -> JSON {
    let json = try config(of: call).json
    return [
      "signIn": json["signIn"].map { ["allowDuplicateEmails": $0["allowDuplicateEmails"]] },
      "emailPrivacyConfig": json["emailPrivacyConfig"],
    ]
  }

  func patchEmulatorConfig(_ call: Call) async throws -> JSON {
    let paths = ["signIn.allowDuplicateEmails", "emailPrivacyConfig.enableImprovedEmailPrivacy"]
    try withRealm(of: call) { (realm) throws(APIError) in
      try realm.config.patch(
        by: call.body, mask: call.tenant == nil ? paths.joined(separator: ",") : paths[1], standard: .standard,
        Schemas.config)
    }
    return try await getEmulatorConfig(call)
  }

  func getProjects(_ call: Call) async throws -> JSON {
    ["projectId": "12345", "authorizedDomains": ["127.0.0.1", "localhost"]]
  }

  func getRecaptchaParams(_ call: Call) async throws -> JSON {
    [
      "kind": "identitytoolkit#GetRecaptchaParamResponse",
      "recaptchaStoken":
        "This-is-a-fake-token__Dont-send-this-to-the-Recaptcha-service__The-Auth-Emulator-does-not-verify",
      "recaptchaSiteKey": "Fake-key__Do-not-send-this-to-Recaptcha_",
    ]
  }

  func createAuthURI(_ call: Call) async throws -> JSON {
    try checkIsEnabled(call)
    let identifier = try call.body.text("identifier", or: "MISSING_IDENTIFIER")
    let address = try call.body.text("continueUri", or: "MISSING_CONTINUE_URI")
    guard Directory.isEmail(identifier) else { throw APIError("INVALID_IDENTIFIER") }
    guard Self.isAbsolute(address) else { throw APIError("INVALID_CONTINUE_URI") }
    let realm = try realm(of: call)
    let config = realm.config
    let account = realm.directory.account(email: identifier) ?? realm.directory.account(providerEmail: identifier)
    let answer: JSON = [
      "kind": "identitytoolkit#CreateAuthUriResponse", "sessionId": call.body["sessionId"] ?? .string(Random.name(27)),
    ]
    guard !config.isImprovedEmailPrivacy else { return answer }
    var methods: [JSON] = []
    if account?.passwordHash != nil { methods.append("password") }
    if account?.isEmailLinkUser == true { methods.append("emailLink") }
    // Otherwise an address does not lead to one account.
    let providers = config.isOneAccountPerEmail ? account?.providers.map { JSON.string($0.id) } ?? [] : []
    return answer.adding([
      "registered": .bool(account != nil), "signinMethods": .array(methods + providers),
      "allProviders": .array((methods.isEmpty ? [] : ["password"]) + providers),
    ])
  }
}

// Tenants.
extension Emulator {
  private static func tenant(_ name: String, _ config: ProjectConfig, _ call: Call) -> JSON {
    JSON.object(["name": .string("projects/\(call.project)/tenants/\(name)"), "tenantId": .string(name)])
      .adding(config.json)
  }

  func createTenant(_ call: Call) async throws -> JSON {
    let name = "tenant-" + Random.name(12).lowercased()
    var config = ProjectConfig.newTenant
    try config.patch(by: call.body, mask: nil, standard: .newTenant, Schemas.tenant)
    try withRealm(call.project, name) { [config] (realm) throws(APIError) in realm.config = config }
    return Self.tenant(name, config, call)
  }

  func getTenant(_ call: Call) async throws -> JSON {
    Self.tenant(call.tenant ?? "", try config(of: call), call)
  }

  func listTenants(_ call: Call) async throws -> JSON {
    let limit = call.query["pageSize"].flatMap { Int($0) } ?? 20
    guard 1...1000 ~= limit else { throw APIError("INVALID_PAGE_SELECTION") }
    let last = call.query["pageToken"] ?? ""
    let tenants = tenants(of: call.project).filter { $0.key > last }.sorted { $0.key < $1.key }.prefix(limit)
    return [
      "tenants": .array(tenants.map { Self.tenant($0.key, $0.value.config, call) }),
      "nextPageToken": tenants.count == limit ? .text(tenants.last?.key) : nil,
    ]
  }

  func patchTenant(_ call: Call) async throws -> JSON {
    try withRealm(of: call) { (realm) throws(APIError) in
      try realm.config.patch(by: call.body, mask: call.query["updateMask"], standard: .newTenant, Schemas.tenant)
    }
    return try await getTenant(call)
  }

  func deleteTenant(_ call: Call) async throws -> JSON {
    // First the factors: asking about them would create the tenant again.
    for account in tenants(of: call.project)[call.tenant ?? ""]?.directory.accounts.values.filter(\.hadFactors) ?? [] {
      try await forgetFactors(of: account, call)
    }
    removeTenant(call.tenant ?? "", of: call.project)
    return [:]
  }
}
