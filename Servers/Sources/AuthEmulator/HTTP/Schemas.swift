/// The fields of the operations' requests, with the names of Google's API. Fields that clients send but the emulator
/// does not use are listed too, so that they are not refused.
enum Schemas {
  /// A schema, by the types of its fields: names of texts, of Boolean values and so on.
  static func fields(
    _ texts: String, booleans: String = "", integers: String = "", lists: String = "", any: String = "",
    _ others: Schema...
  ) -> Schema {
    var schema: Schema = [:]
    let kinds: [(String, Kind)] = [
      (texts, .string), (booleans, .boolean), (integers, .integer), (lists, .array(.string)), (any, .any),
    ]
    for (names, kind) in kinds { for name in names.split(separator: " ") { schema[String(name)] = kind } }
    for other in others { schema.merge(other) { first, _ in first } }
    return schema
  }

  /// Fields that show that a request comes from an app.
  private static let appFields = fields(
    "captchaResponse",
    [
      "clientType": clientType,
      "recaptchaVersion": .enumeration(["RECAPTCHA_VERSION_UNSPECIFIED", "RECAPTCHA_ENTERPRISE"]),
    ])
  private static let clientType = Kind.enumeration([
    "CLIENT_TYPE_UNSPECIFIED", "CLIENT_TYPE_WEB", "CLIENT_TYPE_ANDROID", "CLIENT_TYPE_IOS",
  ])

  static func signedIn(_ texts: String, booleans: String = "", _ others: Schema...) -> Schema {
    others.reduce(
      fields(
        "\(texts) idToken tenantId targetProjectId pendingIdToken pendingToken",
        booleans: "\(booleans) returnSecureToken", integers: "delegatedProjectNumber", appFields)
    ) { fields("", $0, $1) }
  }

  private static let enrollment = Kind.object(
    fields(
      "mfaEnrollmentId displayName enrolledAt phoneInfo unobfuscatedPhoneInfo emulatorTotpSecret", any: "emailInfo",
      ["totpInfo": .object([:])]))

  private static let provider = Kind.object(
    fields("providerId rawId federatedId email displayName photoUrl phoneNumber screenName"))

  private static let profile = fields(
    "email password displayName photoUrl phoneNumber localId captchaChallenge instanceId", booleans: "emailVerified")

  static let signUp = signedIn("", booleans: "disabled", profile, ["mfaInfo": .array(enrollment)])
  static let password = signedIn("email password captchaChallenge instanceId")

  static let lookup = fields(
    "idToken tenantId targetProjectId", integers: "delegatedProjectNumber",
    lists: "localId email phoneNumber initialEmail",
    ["federatedUserId": .array(.object(fields("providerId rawId")))])

  static let update = signedIn(
    "oobCode customAttributes", booleans: "disableUser upgradeToFederatedLogin", profile,
    fields("", integers: "validSince createdAt lastLoginAt", lists: "provider deleteProvider deletePasskey"),
    [
      "deleteAttribute": .array(
        .enumeration([
          "USER_ATTRIBUTE_NAME_UNSPECIFIED", "EMAIL", "DISPLAY_NAME", "PROVIDER", "PHOTO_URL", "PASSWORD",
          "RAW_USER_INFO",
        ])),
      "linkProviderUserInfo": provider, "mfa": .object(["enrollments": .array(enrollment)]),
    ])

  static let delete = fields("idToken localId tenantId targetProjectId", integers: "delegatedProjectNumber")

  static let oobCode = fields(
    """
    email newEmail idToken continueUrl iOSBundleId iOSAppStoreId androidPackageName androidMinimumVersion \
    androidMinimumVersionCode dynamicLinkDomain linkDomain challenge captchaResp userIp tenantId targetProjectId
    """, booleans: "canHandleCodeInApp returnOobLink androidInstallApp", appFields,
    [
      "requestType": .enumeration([
        "OOB_REQ_TYPE_UNSPECIFIED", "PASSWORD_RESET", "OLD_EMAIL_AGREE", "NEW_EMAIL_ACCEPT", "VERIFY_EMAIL",
        "RECOVER_EMAIL", "EMAIL_SIGNIN", "VERIFY_AND_CHANGE_EMAIL", "REVERT_SECOND_FACTOR_ADDITION",
      ])
    ])

  static let resetPassword = fields("oobCode newPassword email oldPassword tenantId", ["clientType": clientType])

  static let createAuthURI = fields(
    """
    identifier continueUri providerId sessionId context oauthScope tenantId authFlowType openidRealm otaApp \
    hostedDomain appId oauthConsumerKey
    """, ["customParameter": .map(.string)])

  static let query = fields(
    "tenantId sortBy order", booleans: "returnUserInfo", integers: "limit offset", ["expression": .array(.any)])

  private static let user = fields(
    """
    localId email displayName photoUrl phoneNumber customAttributes passwordHash salt lastRefreshAt initialEmail \
    tenantId rawPassword dateOfBirth language timeZone screenName
    """, booleans: "emailVerified disabled customAuth emailLinkSignin",
    integers: "passwordUpdatedAt validSince createdAt lastLoginAt version",
    ["providerUserInfo": .array(provider), "mfaInfo": .array(enrollment)])

  static let batchCreate = fields(
    "hashAlgorithm signerKey saltSeparator tenantId targetProjectId", booleans: "allowOverwrite sanityCheck",
    integers: "rounds memoryCost cpuMemCost parallelization blockSize dkLen delegatedProjectNumber",
    any: "argon2Parameters",
    [
      "users": .array(.object(user)),
      "passwordHashOrder": .enumeration(["UNSPECIFIED_ORDER", "SALT_AND_PASSWORD", "PASSWORD_AND_SALT"]),
    ])

  static let phoneInfo = fields(
    "phoneNumber recaptchaToken iosReceipt iosSecret safetyNetToken playIntegrityToken androidVerificationProof",
    appFields, ["autoRetrievalInfo": .object(fields("appSignatureHash"))])

  static let phoneSignIn = signedIn(
    "sessionInfo code phoneNumber temporaryProof verificationProof verificationProofExpiresIn",
    ["operation": .enumeration(["VERIFY_OP_UNSPECIFIED", "SIGN_UP_OR_IN", "REAUTH", "UPDATE", "LINK"])])

  private static let phoneVerification = Kind.object(fields("sessionInfo code phoneNumber androidVerificationProof"))

  static let startEnrollment = fields(
    "idToken tenantId", ["phoneEnrollmentInfo": .object(phoneInfo), "totpEnrollmentInfo": .object([:])])
  static let finalizeEnrollment = fields(
    "idToken tenantId displayName",
    [
      "phoneVerificationInfo": phoneVerification,
      "totpVerificationInfo": .object(fields("sessionInfo verificationCode")),
    ])
  static let startSignIn = fields(
    "mfaPendingCredential mfaEnrollmentId tenantId", ["phoneSignInInfo": .object(phoneInfo)])
  static let finalizeSignIn = fields(
    "mfaPendingCredential mfaEnrollmentId tenantId",
    ["phoneVerificationInfo": phoneVerification, "totpVerificationInfo": .object(fields("verificationCode"))])

  private static let state: Schema = ["state": .enumeration(["DISABLED", "ENABLED", "MANDATORY"])]
  private static let mfa = Kind.object(
    fields(
      "", state,
      [
        "enabledProviders": .array(.enumeration(["PROVIDER_UNSPECIFIED", "PHONE_SMS"])),
        "providerConfigs": .array(
          .object(fields("", state, ["totpProviderConfig": .object(["adjacentIntervals": .integer])]))),
      ]))
  private static let privacy: Schema = [
    "emailPrivacyConfig": .object(["enableImprovedEmailPrivacy": .boolean])
  ]

  /// Settings that are stored and returned, but not read.
  private static let kept =
    "smsRegionConfig recaptchaConfig passwordPolicyConfig mobileLinksConfig monitoring client hashConfig inheritance"

  static let config = fields(
    "subtype name", booleans: "autodeleteAnonymousUsers", lists: "authorizedDomains",
    any: "\(kept) multiTenant notification quota blockingFunctions", privacy,
    [
      "mfa": mfa,
      "signIn": .object(
        fields(
          "", booleans: "allowDuplicateEmails", any: "email anonymous hashConfig",
          ["phoneNumber": .object(["enabled": .boolean, "testPhoneNumbers": .map(.string)])])),
    ])
  static let emulatorConfig = fields("", privacy, ["signIn": .object(["allowDuplicateEmails": .boolean])])
  static let tenant = fields(
    "name tenantId displayName",
    booleans: "allowPasswordSignup enableEmailLinkSignin enableAnonymousUser disableAuth", any: kept, privacy,
    ["mfaConfig": mfa, "testPhoneNumbers": .map(.string)])
}
