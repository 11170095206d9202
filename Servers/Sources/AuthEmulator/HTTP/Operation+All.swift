// All operations.
extension Operation {
  static let all: [Operation] = accounts + administration + signIn + secondFactors + configuration + own

  private static let toolkit = "identitytoolkit.googleapis.com"

  /// The paths of a client operation: the current one, those within a project or tenant for its owner, and the old one.
  private static func client(_ method: String, old: String?) -> [String] {
    var paths = ["\(toolkit)/v1/accounts:\(method)", "\(toolkit)/v1/projects/{project}/accounts:\(method)"]
    paths.append("\(toolkit)/v1/projects/{project}/tenants/{tenant}/accounts:\(method)")
    if let old { paths.append("www.googleapis.com/identitytoolkit/v3/relyingparty/\(old)") }
    return paths
  }

  private static func realm(_ part: String, in version: String = "v1") -> [String] {
    let separator = part.hasPrefix(":") ? "" : "/"
    return [
      "\(toolkit)/\(version)/projects/{project}\(separator)\(part)",
      "\(toolkit)/\(version)/projects/{project}/tenants/{tenant}\(separator)\(part)",
    ]
  }

  private static func json(_ run: @escaping @Sendable (Emulator) -> (Call) async throws -> JSON) -> Handler {
    { emulator, call in .json(try await run(emulator)(call)) }
  }

  private static let accounts: [Operation] = [
    Operation(
      "signUp", .post, client("signUp", old: "signupNewUser"), .client, Schemas.signUp, json { $0.signUp }),
    Operation("createUser", .post, realm("accounts"), .privileged, Schemas.signUp, json { $0.signUp }),
    Operation(
      "lookup", .post, client("lookup", old: "getAccountInfo"), .client, Schemas.lookup, json { $0.lookup }),
    Operation(
      "update", .post, client("update", old: "setAccountInfo"), .client, Schemas.update, json { $0.update }),
    Operation(
      "delete", .post, client("delete", old: "deleteAccount"), .client, Schemas.delete, json { $0.delete }),
    Operation(
      "sendOobCode", .post, client("sendOobCode", old: "getOobConfirmationCode"), .client, Schemas.oobCode,
      json { $0.sendOOBCode }),
    Operation(
      "resetPassword", .post, client("resetPassword", old: "resetPassword"), .client, Schemas.resetPassword,
      json { $0.resetPassword }),
    Operation(
      "createAuthUri", .post, client("createAuthUri", old: "createAuthUri"), .client, Schemas.createAuthURI,
      json { $0.createAuthURI }),
  ]

  private static let administration: [Operation] = [
    Operation(
      "batchCreate", .post,
      realm("accounts:batchCreate") + ["www.googleapis.com/identitytoolkit/v3/relyingparty/uploadAccount"], .privileged,
      Schemas.batchCreate,
      json { $0.batchCreate }),
    Operation(
      "batchDelete", .post, realm("accounts:batchDelete"), .privileged,
      ["localIds": .array(.string), "force": .boolean, "tenantId": .string], json { $0.batchDelete }),
    Operation(
      "batchGet", .get, realm("accounts:batchGet"), .privileged, query: ["maxResults", "nextPageToken"],
      json { $0.batchGet }),
    Operation(
      "downloadAccount", .post, ["www.googleapis.com/identitytoolkit/v3/relyingparty/downloadAccount"], .privileged,
      [
        "targetProjectId": .string, "maxResults": .string, "nextPageToken": .string, "tenantId": .string,
        "delegatedProjectNumber": .integer,
      ], json { $0.batchGet }),
    Operation("query", .post, realm("accounts:query"), .privileged, Schemas.query, json { $0.query }),
    Operation(
      "createSessionCookie", .post, realm(":createSessionCookie"), .privileged,
      ["idToken": .string, "validDuration": .integer, "tenantId": .string], json { $0.createSessionCookie }),
  ]

  private static let signIn: [Operation] = [
    Operation(
      "signInWithPassword", .post, client("signInWithPassword", old: "verifyPassword"), .client,
      Schemas.password, json { $0.signInWithPassword }),
    Operation(
      "signInWithEmailLink", .post, client("signInWithEmailLink", old: "emailLinkSignin"), .client,
      Schemas.signedIn(["email": .string, "oobCode": .string]), json { $0.signInWithEmailLink }),
    Operation(
      "sendVerificationCode", .post, client("sendVerificationCode", old: "sendVerificationCode"), .client,
      Schemas.phoneInfo.merging(["tenantId": .string]) { first, _ in first }, json { $0.sendVerificationCode }),
    Operation(
      "signInWithPhoneNumber", .post, client("signInWithPhoneNumber", old: "verifyPhoneNumber"), .client,
      Schemas.phoneSignIn, json { $0.signInWithPhoneNumber }),
    Operation(
      "signInWithCustomToken", .post, client("signInWithCustomToken", old: "verifyCustomToken"), .client,
      Schemas.signedIn(["token": .string, "instanceId": .string]), json { $0.signInWithCustomToken }),
    Operation(
      "signInWithIdp", .post, client("signInWithIdp", old: "verifyAssertion"), .client,
      Schemas.signedIn([
        "postBody": .string, "requestUri": .string, "returnIdpCredential": .boolean, "sessionId": .string,
        "autoCreate": .boolean, "returnRefreshToken": .boolean,
      ]), json { $0.signInWithIdp }),
    Operation(
      "token", .post, ["securetoken.googleapis.com/v1/token"], .client,
      [
        "grantType": .string, "refreshToken": .string, "code": .string, "scope": .string, "targetProjectId": .string,
      ], json { $0.token }),
  ]

  private static func secondFactor(_ method: String) -> [String] { ["\(toolkit)/v2/accounts/\(method)"] }

  private static let secondFactors: [Operation] = [
    Operation(
      "mfaEnrollment:start", .post, secondFactor("mfaEnrollment:start"), .client, Schemas.startEnrollment,
      json { $0.startEnrollment }),
    Operation(
      "mfaEnrollment:finalize", .post, secondFactor("mfaEnrollment:finalize"), .client, Schemas.finalizeEnrollment,
      json { $0.finalizeEnrollment }),
    Operation(
      "mfaEnrollment:withdraw", .post, secondFactor("mfaEnrollment:withdraw"), .client,
      ["idToken": .string, "mfaEnrollmentId": .string, "tenantId": .string], json { $0.withdrawEnrollment }),
    Operation(
      "mfaSignIn:start", .post, secondFactor("mfaSignIn:start"), .client, Schemas.startSignIn,
      json { $0.startSecondFactor }),
    Operation(
      "mfaSignIn:finalize", .post, secondFactor("mfaSignIn:finalize"), .client, Schemas.finalizeSignIn,
      json { $0.finalizeSecondFactor }),
  ]

  private static let configPaths = [
    "\(toolkit)/v2/projects/{project}/config", "\(toolkit)/admin/v2/projects/{project}/config",
    // As in the documentation's curl command, without the host in the path.
    "admin/v2/projects/{project}/config",
  ]

  private static let configuration: [Operation] = [
    Operation("getConfig", .get, configPaths, .privileged, json { $0.getConfig }),
    Operation(
      "updateConfig", .patch, configPaths, .privileged, query: ["updateMask"], Schemas.config, json { $0.patchConfig }),
    Operation("createTenant", .post, tenants, .privileged, Schemas.tenant, json { $0.createTenant }),
    Operation(
      "listTenants", .get, tenants, .privileged, query: ["pageSize", "pageToken"], json { $0.listTenants }),
    Operation("getTenant", .get, tenant, .privileged, json { $0.getTenant }),
    Operation(
      "updateTenant", .patch, tenant, .privileged, query: ["updateMask"], Schemas.tenant, json { $0.patchTenant }),
    Operation("deleteTenant", .delete, tenant, .privileged, json { $0.deleteTenant }),
    Operation(
      "getProjects", .get,
      ["\(toolkit)/v1/projects", "www.googleapis.com/identitytoolkit/v3/relyingparty/getProjectConfig"],
      .client, json { $0.getProjects }),
    Operation(
      "getRecaptchaParams", .get,
      ["\(toolkit)/v1/recaptchaParams", "www.googleapis.com/identitytoolkit/v3/relyingparty/getRecaptchaParam"],
      .client, json { $0.getRecaptchaParams }),
    missing("recaptchaConfig", .get), missing("passwordPolicy", .get), missing("accounts:revokeToken", .post),
    missing("publicKeys", .get, in: "v1"), missing("sessionCookiePublicKeys", .get, in: "v1"),
    missing("accounts/passkeyEnrollment:start", .post), missing("accounts/passkeyEnrollment:finalize", .post),
    missing("accounts/passkeySignIn:start", .post), missing("accounts/passkeySignIn:finalize", .post),
    missing("accounts:signInWithGameCenter", .post, in: "v1", old: "signInWithGameCenter"),
    missing("accounts:verifyIosClient", .post, in: "v1", old: "verifyClient"),
    missing("accounts:issueSamlResponse", .post, in: "v1", old: "issueSamlResponse"),
  ]

  private static let tenants = ["\(toolkit)/v2/projects/{project}/tenants"]
  private static let tenant = ["\(toolkit)/v2/projects/{project}/tenants/{tenant}"]

  /// An operation that SDKs request but do not need.
  private static func missing(
    _ name: String, _ method: Method, in version: String = "v2", old: String? = nil
  ) -> Operation {
    let paths =
      ["\(toolkit)/\(version)/\(name)"]
      + (old.map { ["www.googleapis.com/identitytoolkit/v3/relyingparty/\($0)"] } ?? [])
    return Operation(name, method, paths, .client) { _, _ in throw APIError.notImplemented(name) }
  }

  private static func emulator(_ part: String) -> [String] {
    ["emulator/v1/projects/{project}/\(part)", "emulator/v1/projects/{project}/tenants/{tenant}/\(part)"]
  }

  private static let own: [Operation] = [
    Operation("ready", .get, [""], .open) { emulator, call in
      call.wantsPage ? .page(try await emulator.page(call)) : .json(try await emulator.ready(call))
    },
    Operation("openapi", .get, ["emulator/openapi.json"], .open) { _, call in .json(OpenAPI.document(call.origin)) },
    Operation(
      "action", .get, ["emulator/action"], .open,
      query: ["mode", "oobCode", "apiKey", "continueUrl", "newPassword", "tenantId", "projectId", "lang"]
    ) { try await $0.action($1) },
    Operation("deleteAccounts", .delete, emulator("accounts"), .open, json { $0.deleteAccounts }),
    Operation("getEmulatorConfig", .get, emulator("config"), .open, json { $0.getEmulatorConfig }),
    Operation(
      "updateEmulatorConfig", .patch, emulator("config"), .open, Schemas.emulatorConfig,
      json { $0.patchEmulatorConfig }),
    Operation("listOobCodes", .get, emulator("oobCodes"), .open, json { $0.listOOBCodes }),
    Operation("listVerificationCodes", .get, emulator("verificationCodes"), .open, json { $0.listVerificationCodes }),
    Operation("getClock", .get, emulator("clock"), .open, json { $0.getClock }),
    Operation(
      "setClock", .post, emulator("clock"), .open,
      ["now": .string, "advanceSeconds": .integer, "stopped": .boolean, "reset": .boolean], json { $0.setClock }),
  ]
}
