// All operations.
extension Operation {
  static let all: [Operation] = accounts + administration + signIn + secondFactors + configuration + own

  private static let toolkit = "identitytoolkit.googleapis.com"
  static let tokenPath = "securetoken.googleapis.com/v1/token"

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
    Operation(.post, client("signUp", old: "signupNewUser"), .client, Schemas.signUp, json { $0.signUp }),
    Operation(.post, realm("accounts"), .privileged, Schemas.signUp, json { $0.signUp }),
    Operation(.post, client("lookup", old: "getAccountInfo"), .client, Schemas.lookup, json { $0.lookup }),
    Operation(.post, client("update", old: "setAccountInfo"), .client, Schemas.update, json { $0.update }),
    Operation(.post, client("delete", old: "deleteAccount"), .client, Schemas.delete, json { $0.delete }),
    Operation(
      .post, client("sendOobCode", old: "getOobConfirmationCode"), .client, Schemas.oobCode, json { $0.sendOOBCode }),
    Operation(
      .post, client("resetPassword", old: "resetPassword"), .client, Schemas.resetPassword, json { $0.resetPassword }),
    Operation(
      .post, client("createAuthUri", old: "createAuthUri"), .client, Schemas.createAuthURI, json { $0.createAuthURI }),
  ]

  private static let administration: [Operation] = [
    Operation(
      .post,
      realm("accounts:batchCreate") + ["www.googleapis.com/identitytoolkit/v3/relyingparty/uploadAccount"], .privileged,
      Schemas.batchCreate,
      json { $0.batchCreate }),
    Operation(
      .post, realm("accounts:batchDelete"), .privileged,
      ["localIds": .array(.string), "force": .boolean, "tenantId": .string], json { $0.batchDelete }),
    Operation(.get, realm("accounts:batchGet"), .privileged, json { $0.batchGet }),
    Operation(
      .post, ["www.googleapis.com/identitytoolkit/v3/relyingparty/downloadAccount"], .privileged,
      [
        "targetProjectId": .string, "maxResults": .string, "nextPageToken": .string, "tenantId": .string,
        "delegatedProjectNumber": .integer,
      ], json { $0.batchGet }),
    Operation(.post, realm("accounts:query"), .privileged, Schemas.query, json { $0.query }),
    Operation(
      .post, realm(":createSessionCookie"), .privileged,
      ["idToken": .string, "validDuration": .integer, "tenantId": .string], json { $0.createSessionCookie }),
  ]

  private static let signIn: [Operation] = [
    Operation(
      .post, client("signInWithPassword", old: "verifyPassword"), .client,
      Schemas.password, json { $0.signInWithPassword }),
    Operation(
      .post, client("signInWithEmailLink", old: "emailLinkSignin"), .client,
      Schemas.signedIn(["email": .string, "oobCode": .string]), json { $0.signInWithEmailLink }),
    Operation(
      .post, client("sendVerificationCode", old: "sendVerificationCode"), .client,
      Schemas.phoneInfo.merging(["tenantId": .string]) { first, _ in first }, json { $0.sendVerificationCode }),
    Operation(
      .post, client("signInWithPhoneNumber", old: "verifyPhoneNumber"), .client,
      Schemas.phoneSignIn, json { $0.signInWithPhoneNumber }),
    Operation(
      .post, client("signInWithCustomToken", old: "verifyCustomToken"), .client,
      Schemas.signedIn(["token": .string, "instanceId": .string]), json { $0.signInWithCustomToken }),
    Operation(
      .post, client("signInWithIdp", old: "verifyAssertion"), .client,
      Schemas.signedIn([
        "postBody": .string, "requestUri": .string, "returnIdpCredential": .boolean, "sessionId": .string,
        "autoCreate": .boolean, "returnRefreshToken": .boolean,
      ]), json { $0.signInWithIdp }),
    Operation(
      .post, [tokenPath], .client,
      [
        "grantType": .string, "refreshToken": .string, "code": .string, "scope": .string, "targetProjectId": .string,
      ], json { $0.token }),
  ]

  private static func secondFactor(_ method: String) -> [String] { ["\(toolkit)/v2/accounts/\(method)"] }

  private static let secondFactors: [Operation] = [
    Operation(
      .post, secondFactor("mfaEnrollment:start"), .client, Schemas.startEnrollment, json { $0.startEnrollment }),
    Operation(
      .post, secondFactor("mfaEnrollment:finalize"), .client, Schemas.finalizeEnrollment,
      json { $0.finalizeEnrollment }),
    Operation(
      .post, secondFactor("mfaEnrollment:withdraw"), .client,
      ["idToken": .string, "mfaEnrollmentId": .string, "tenantId": .string], json { $0.withdrawEnrollment }),
    Operation(.post, secondFactor("mfaSignIn:start"), .client, Schemas.startSignIn, json { $0.startSecondFactor }),
    Operation(
      .post, secondFactor("mfaSignIn:finalize"), .client, Schemas.finalizeSignIn, json { $0.finalizeSecondFactor }),
  ]

  private static let configPaths = [
    "\(toolkit)/v2/projects/{project}/config", "\(toolkit)/admin/v2/projects/{project}/config",
    // As in the documentation's curl command, without the host in the path.
    "admin/v2/projects/{project}/config",
  ]

  private static let configuration: [Operation] = [
    Operation(.get, configPaths, .privileged, json { $0.getConfig }),
    Operation(.patch, configPaths, .privileged, Schemas.config, json { $0.patchConfig }),
    Operation(.post, tenants, .privileged, Schemas.tenant, json { $0.createTenant }),
    Operation(.get, tenants, .privileged, json { $0.listTenants }),
    Operation(.get, tenant, .privileged, json { $0.getTenant }),
    Operation(.patch, tenant, .privileged, Schemas.tenant, json { $0.patchTenant }),
    Operation(.delete, tenant, .privileged, json { $0.deleteTenant }),
    Operation(
      .get,
      ["\(toolkit)/v1/projects", "www.googleapis.com/identitytoolkit/v3/relyingparty/getProjectConfig"],
      .client, json { $0.getProjects }),
    Operation(
      .get,
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
    return Operation(method, paths, .client) { _, _ in throw APIError.notImplemented(name) }
  }

  private static func emulator(_ part: String) -> [String] {
    ["emulator/v1/projects/{project}/\(part)", "emulator/v1/projects/{project}/tenants/{tenant}/\(part)"]
  }

  private static let own: [Operation] = [
    Operation(.get, [""], .open) { emulator, call in
      call.wantsPage ? .page(try await emulator.page(call)) : .json(try await emulator.ready(call))
    },
    Operation(.get, ["emulator/action"], .open) { try await $0.action($1) },
    Operation(.delete, emulator("accounts"), .open, json { $0.deleteAccounts }),
    Operation(.get, emulator("config"), .open, json { $0.getEmulatorConfig }),
    Operation(.patch, emulator("config"), .open, Schemas.emulatorConfig, json { $0.patchEmulatorConfig }),
    Operation(.get, emulator("oobCodes"), .open, json { $0.listOOBCodes }),
    Operation(.get, emulator("verificationCodes"), .open, json { $0.listVerificationCodes }),
    Operation(.get, emulator("clock"), .open, json { $0.getClock }),
    Operation(
      .post, emulator("clock"), .open,
      ["now": .string, "advanceSeconds": .integer, "stopped": .boolean, "reset": .boolean], json { $0.setClock }),
  ]
}
