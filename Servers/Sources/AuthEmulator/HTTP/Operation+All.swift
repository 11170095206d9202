// All operations.
extension Operation {
  private typealias Run = @Sendable (Emulator) -> (Call) async throws -> JSON

  private static let toolkit = "identitytoolkit.googleapis.com"
  private static let old = "www.googleapis.com/identitytoolkit/v3/relyingparty"
  static let tokenPath = "securetoken.googleapis.com/v1/token"

  private static func json(_ run: @escaping Run) -> Handler {
    { emulator, call in .json(try await run(emulator)(call)) }
  }

  /// An operation of clients: at the current path, those within a project or tenant for its owner, and the old one.
  private static func client(
    _ name: String, old oldName: String, _ schema: Schema, _ run: @escaping Run
  ) -> Operation {
    let paths = ["v1/accounts", "v1/projects/{project}/accounts", "v1/projects/{project}/tenants/{tenant}/accounts"]
    return Operation(
      .post, paths.map { "\(toolkit)/\($0):\(name)" } + ["\(old)/\(oldName)"], .client, schema, json(run))
  }

  /// An operation of the owner of a project or tenant.
  private static func owner(
    _ method: Method, _ part: String, old oldName: String? = nil, _ schema: Schema? = nil, _ run: @escaping Run
  ) -> Operation {
    let paths = ["\(toolkit)/v1/projects/{project}", "\(toolkit)/v1/projects/{project}/tenants/{tenant}"]
    return Operation(
      method, paths.map { $0 + part } + (oldName.map { ["\(old)/\($0)"] } ?? []), .privileged, schema, json(run))
  }

  private static func secondFactor(_ name: String, _ schema: Schema, _ run: @escaping Run) -> Operation {
    Operation(.post, ["\(toolkit)/v2/accounts/mfa\(name)"], .client, schema, json(run))
  }

  private static func config(_ method: Method, _ schema: Schema? = nil, _ run: @escaping Run) -> Operation {
    let path = "v2/projects/{project}/config"
    // The last as in the documentation's curl command, without the host in the path.
    return Operation(
      method, ["\(toolkit)/\(path)", "\(toolkit)/admin/\(path)", "admin/\(path)"], .privileged, schema, json(run))
  }

  private static func tenant(
    _ method: Method, _ part: String = "/{tenant}", _ schema: Schema? = nil, _ run: @escaping Run
  ) -> Operation {
    Operation(method, ["\(toolkit)/v2/projects/{project}/tenants\(part)"], .privileged, schema, json(run))
  }

  private static func question(_ name: String, old oldName: String, _ run: @escaping Run) -> Operation {
    Operation(.get, ["\(toolkit)/v1/\(name)", "\(old)/\(oldName)"], .client, nil, json(run))
  }

  /// One of the emulator's own operations.
  private static func own(
    _ method: Method, _ part: String, _ schema: Schema? = nil, _ run: @escaping Run
  ) -> Operation {
    let paths = ["emulator/v1/projects/{project}/\(part)", "emulator/v1/projects/{project}/tenants/{tenant}/\(part)"]
    return Operation(method, paths, .open, schema, json(run))
  }

  /// An operation that SDKs request but do not need.
  private static func missing(
    _ method: Method, _ name: String, in version: String = "v2", old oldName: String? = nil
  ) -> Operation {
    Operation(method, ["\(toolkit)/\(version)/\(name)"] + (oldName.map { ["\(old)/\($0)"] } ?? []), .client, nil) {
      _, _ in
      throw APIError.notImplemented(name)
    }
  }

  static let all: [Operation] = [
    client("signUp", old: "signupNewUser", Schemas.signUp) { $0.signUp },
    owner(.post, "/accounts", Schemas.signUp) { $0.signUp },
    client("lookup", old: "getAccountInfo", Schemas.lookup) { $0.lookup },
    client("update", old: "setAccountInfo", Schemas.update) { $0.update },
    client("delete", old: "deleteAccount", Schemas.delete) { $0.delete },
    client("sendOobCode", old: "getOobConfirmationCode", Schemas.oobCode) { $0.sendOOBCode },
    client("resetPassword", old: "resetPassword", Schemas.resetPassword) { $0.resetPassword },
    client("createAuthUri", old: "createAuthUri", Schemas.createAuthURI) { $0.createAuthURI },

    owner(.post, "/accounts:batchCreate", old: "uploadAccount", Schemas.batchCreate) { $0.batchCreate },
    owner(.post, "/accounts:batchDelete", Schemas.fields("tenantId", booleans: "force", lists: "localIds")) {
      $0.batchDelete
    },
    owner(.get, "/accounts:batchGet") { $0.batchGet },
    Operation(
      .post, ["\(old)/downloadAccount"], .privileged,
      Schemas.fields("targetProjectId maxResults nextPageToken tenantId", integers: "delegatedProjectNumber"),
      json { $0.batchGet }),
    owner(.post, "/accounts:query", Schemas.query) { $0.query },
    owner(.post, ":createSessionCookie", Schemas.fields("idToken tenantId", integers: "validDuration")) {
      $0.createSessionCookie
    },

    client("signInWithPassword", old: "verifyPassword", Schemas.password) { $0.signInWithPassword },
    client("signInWithEmailLink", old: "emailLinkSignin", Schemas.signedIn("email oobCode")) { $0.signInWithEmailLink },
    client("sendVerificationCode", old: "sendVerificationCode", Schemas.fields("tenantId", Schemas.phoneInfo)) {
      $0.sendVerificationCode
    },
    client("signInWithPhoneNumber", old: "verifyPhoneNumber", Schemas.phoneSignIn) { $0.signInWithPhoneNumber },
    client("signInWithCustomToken", old: "verifyCustomToken", Schemas.signedIn("token instanceId")) {
      $0.signInWithCustomToken
    },
    client(
      "signInWithIdp", old: "verifyAssertion",
      Schemas.signedIn(
        "postBody requestUri sessionId", booleans: "returnIdpCredential autoCreate returnRefreshToken")
    ) { $0.signInWithIdp },
    Operation(
      .post, [tokenPath], .client, Schemas.fields("grantType refreshToken code scope targetProjectId"),
      json { $0.token }),

    secondFactor("Enrollment:start", Schemas.startEnrollment) { $0.startEnrollment },
    secondFactor("Enrollment:finalize", Schemas.finalizeEnrollment) { $0.finalizeEnrollment },
    secondFactor("Enrollment:withdraw", Schemas.fields("idToken mfaEnrollmentId tenantId")) { $0.withdrawEnrollment },
    secondFactor("SignIn:start", Schemas.startSignIn) { $0.startSecondFactor },
    secondFactor("SignIn:finalize", Schemas.finalizeSignIn) { $0.finalizeSecondFactor },

    config(.get) { $0.getConfig },
    config(.patch, Schemas.config) { $0.patchConfig },
    tenant(.post, "", Schemas.tenant) { $0.createTenant },
    tenant(.get, "") { $0.listTenants },
    tenant(.get) { $0.getTenant },
    tenant(.patch, "/{tenant}", Schemas.tenant) { $0.patchTenant },
    tenant(.delete) { $0.deleteTenant },
    question("projects", old: "getProjectConfig") { $0.getProjects },
    question("recaptchaParams", old: "getRecaptchaParam") { $0.getRecaptchaParams },

    missing(.get, "recaptchaConfig"), missing(.get, "passwordPolicy"), missing(.post, "accounts:revokeToken"),
    missing(.get, "publicKeys", in: "v1"), missing(.get, "sessionCookiePublicKeys", in: "v1"),
    missing(.post, "accounts/passkeyEnrollment:start"), missing(.post, "accounts/passkeyEnrollment:finalize"),
    missing(.post, "accounts/passkeySignIn:start"), missing(.post, "accounts/passkeySignIn:finalize"),
    missing(.post, "accounts:signInWithGameCenter", in: "v1", old: "signInWithGameCenter"),
    missing(.post, "accounts:verifyIosClient", in: "v1", old: "verifyClient"),
    missing(.post, "accounts:issueSamlResponse", in: "v1", old: "issueSamlResponse"),

    Operation(.get, [""], .open, nil) { emulator, call in
      call.wantsPage ? .page(try await emulator.page(call)) : .json(try await emulator.ready(call))
    },
    Operation(.get, ["emulator/action"], .open, nil) { try await $0.action($1) },
    own(.delete, "accounts") { $0.deleteAccounts },
    own(.get, "config") { $0.getEmulatorConfig },
    own(.patch, "config", Schemas.emulatorConfig) { $0.patchEmulatorConfig },
    own(.get, "oobCodes") { $0.listOOBCodes },
    own(.get, "verificationCodes") { $0.listVerificationCodes },
    own(.get, "clock") { $0.getClock },
    own(.post, "clock", Schemas.fields("now", booleans: "stopped reset", integers: "advanceSeconds")) { $0.setClock },
  ]
}
