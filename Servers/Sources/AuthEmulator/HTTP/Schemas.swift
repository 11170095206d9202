/// The fields of the operations' requests, with the names of Google's API. Fields that clients send but the emulator
/// does not use are listed too, so that they are not refused.
enum Schemas {
  /// Fields that show that a request comes from an app.
  private static let appFields: Schema = [
    "captchaResponse": .string, "clientType": clientType, "recaptchaVersion": recaptchaVersion,
  ]
  private static let clientType = Kind.enumeration([
    "CLIENT_TYPE_UNSPECIFIED", "CLIENT_TYPE_WEB", "CLIENT_TYPE_ANDROID", "CLIENT_TYPE_IOS",
  ])
  private static let recaptchaVersion = Kind.enumeration(["RECAPTCHA_VERSION_UNSPECIFIED", "RECAPTCHA_ENTERPRISE"])

  private static func joined(_ schemas: Schema...) -> Schema {
    schemas.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
  }

  static func signedIn(_ fields: Schema) -> Schema {
    joined(
      fields, appFields,
      [
        "idToken": .string, "tenantId": .string, "returnSecureToken": .boolean, "targetProjectId": .string,
        "delegatedProjectNumber": .integer, "pendingIdToken": .string, "pendingToken": .string,
      ])
  }

  private static let enrollment = Kind.object([
    "mfaEnrollmentId": .string, "displayName": .string, "enrolledAt": .string, "phoneInfo": .string,
    "totpInfo": .object([:]), "unobfuscatedPhoneInfo": .string, "emailInfo": .any, "emulatorTotpSecret": .string,
  ])

  private static let provider = Kind.object([
    "providerId": .string, "rawId": .string, "federatedId": .string, "email": .string, "displayName": .string,
    "photoUrl": .string, "phoneNumber": .string, "screenName": .string,
  ])

  private static let profile: Schema = [
    "email": .string, "password": .string, "displayName": .string, "photoUrl": .string, "phoneNumber": .string,
    "emailVerified": .boolean, "localId": .string, "captchaChallenge": .string, "instanceId": .string,
  ]

  static let signUp = signedIn(profile).merging([
    "disabled": .boolean, "mfaInfo": .array(enrollment),
  ]) { first, _ in first }

  static let password = signedIn([
    "email": .string, "password": .string, "captchaChallenge": .string, "instanceId": .string,
  ])

  static let lookup: Schema = [
    "idToken": .string, "localId": .array(.string), "email": .array(.string), "phoneNumber": .array(.string),
    "federatedUserId": .array(.object(["providerId": .string, "rawId": .string])), "initialEmail": .array(.string),
    "tenantId": .string, "targetProjectId": .string, "delegatedProjectNumber": .integer,
  ]

  static let update = signedIn(profile).merging([
    "oobCode": .string, "disableUser": .boolean, "customAttributes": .string, "validSince": .integer,
    "createdAt": .integer, "lastLoginAt": .integer, "upgradeToFederatedLogin": .boolean, "provider": .array(.string),
    "deleteAttribute": .array(
      .enumeration([
        "USER_ATTRIBUTE_NAME_UNSPECIFIED", "EMAIL", "DISPLAY_NAME", "PROVIDER", "PHOTO_URL", "PASSWORD",
        "RAW_USER_INFO",
      ])), "deleteProvider": .array(.string), "deletePasskey": .array(.string), "linkProviderUserInfo": provider,
    "mfa": .object(["enrollments": .array(enrollment)]),
  ]) { first, _ in first }

  static let delete: Schema = [
    "idToken": .string, "localId": .string, "tenantId": .string, "targetProjectId": .string,
    "delegatedProjectNumber": .integer,
  ]

  static let oobCode = joined(
    appFields,
    [
      "requestType": .enumeration([
        "OOB_REQ_TYPE_UNSPECIFIED", "PASSWORD_RESET", "OLD_EMAIL_AGREE", "NEW_EMAIL_ACCEPT", "VERIFY_EMAIL",
        "RECOVER_EMAIL", "EMAIL_SIGNIN", "VERIFY_AND_CHANGE_EMAIL", "REVERT_SECOND_FACTOR_ADDITION",
      ]), "email": .string, "newEmail": .string, "idToken": .string, "continueUrl": .string,
      "canHandleCodeInApp": .boolean, "returnOobLink": .boolean, "iOSBundleId": .string, "iOSAppStoreId": .string,
      "androidPackageName": .string, "androidInstallApp": .boolean, "androidMinimumVersion": .string,
      "androidMinimumVersionCode": .string, "dynamicLinkDomain": .string, "linkDomain": .string, "challenge": .string,
      "captchaResp": .string, "userIp": .string, "tenantId": .string, "targetProjectId": .string,
    ])

  static let resetPassword: Schema = [
    "oobCode": .string, "newPassword": .string, "email": .string, "oldPassword": .string, "tenantId": .string,
    "clientType": clientType,
  ]

  static let createAuthURI: Schema = [
    "identifier": .string, "continueUri": .string, "providerId": .string, "sessionId": .string, "context": .string,
    "customParameter": .map(.string), "oauthScope": .string, "tenantId": .string, "authFlowType": .string,
    "openidRealm": .string, "otaApp": .string, "hostedDomain": .string, "appId": .string, "oauthConsumerKey": .string,
  ]

  static let query: Schema = [
    "returnUserInfo": .boolean, "limit": .integer, "offset": .integer, "tenantId": .string, "expression": .array(.any),
    "sortBy": .string, "order": .string,
  ]

  private static let user = Kind.object([
    "localId": .string, "email": .string, "emailVerified": .boolean, "displayName": .string, "photoUrl": .string,
    "phoneNumber": .string, "disabled": .boolean, "customAttributes": .string, "passwordHash": .string, "salt": .string,
    "passwordUpdatedAt": .integer, "validSince": .integer, "createdAt": .integer, "lastLoginAt": .integer,
    "lastRefreshAt": .string, "providerUserInfo": .array(provider), "initialEmail": .string, "customAuth": .boolean,
    "emailLinkSignin": .boolean, "tenantId": .string, "mfaInfo": .array(enrollment), "rawPassword": .string,
    "version": .integer, "dateOfBirth": .string, "language": .string, "timeZone": .string, "screenName": .string,
  ])

  static let batchCreate: Schema = [
    "users": .array(user), "allowOverwrite": .boolean, "sanityCheck": .boolean, "hashAlgorithm": .string,
    "signerKey": .string, "saltSeparator": .string, "rounds": .integer, "memoryCost": .integer,
    "cpuMemCost": .integer, "parallelization": .integer, "blockSize": .integer, "dkLen": .integer,
    "passwordHashOrder": .enumeration(["UNSPECIFIED_ORDER", "SALT_AND_PASSWORD", "PASSWORD_AND_SALT"]),
    "argon2Parameters": .any, "tenantId": .string, "delegatedProjectNumber": .integer, "targetProjectId": .string,
  ]

  static let phoneInfo: Schema = joined(
    appFields,
    [
      "phoneNumber": .string, "recaptchaToken": .string, "iosReceipt": .string, "iosSecret": .string,
      "safetyNetToken": .string, "playIntegrityToken": .string, "androidVerificationProof": .string,
      "autoRetrievalInfo": .object(["appSignatureHash": .string]),
    ])

  static let phoneSignIn = signedIn([
    "sessionInfo": .string, "code": .string, "phoneNumber": .string, "temporaryProof": .string,
    "verificationProof": .string, "verificationProofExpiresIn": .string,
    "operation": .enumeration(["VERIFY_OP_UNSPECIFIED", "SIGN_UP_OR_IN", "REAUTH", "UPDATE", "LINK"]),
  ])

  private static let phoneVerification = Kind.object([
    "sessionInfo": .string, "code": .string, "phoneNumber": .string, "androidVerificationProof": .string,
  ])

  static let startEnrollment: Schema = [
    "idToken": .string, "tenantId": .string, "phoneEnrollmentInfo": .object(phoneInfo),
    "totpEnrollmentInfo": .object([:]),
  ]
  static let finalizeEnrollment: Schema = [
    "idToken": .string, "tenantId": .string, "displayName": .string, "phoneVerificationInfo": phoneVerification,
    "totpVerificationInfo": .object(["sessionInfo": .string, "verificationCode": .string]),
  ]
  static let startSignIn: Schema = [
    "mfaPendingCredential": .string, "mfaEnrollmentId": .string, "tenantId": .string,
    "phoneSignInInfo": .object(phoneInfo),
  ]
  static let finalizeSignIn: Schema = [
    "mfaPendingCredential": .string, "mfaEnrollmentId": .string, "tenantId": .string,
    "phoneVerificationInfo": phoneVerification, "totpVerificationInfo": .object(["verificationCode": .string]),
  ]

  private static let mfa = Kind.object([
    "state": .enumeration(["DISABLED", "ENABLED", "MANDATORY"]),
    "enabledProviders": .array(.enumeration(["PROVIDER_UNSPECIFIED", "PHONE_SMS"])),
    "providerConfigs": .array(
      .object([
        "state": .enumeration(["DISABLED", "ENABLED", "MANDATORY"]),
        "totpProviderConfig": .object(["adjacentIntervals": .integer]),
      ])),
  ])
  private static let privacy = Kind.object(["enableImprovedEmailPrivacy": .boolean])

  /// Settings that are stored and returned, but not read.
  private static let kept: Schema = [
    "smsRegionConfig": .any, "recaptchaConfig": .any, "passwordPolicyConfig": .any, "mobileLinksConfig": .any,
    "monitoring": .any, "client": .any, "hashConfig": .any, "inheritance": .any,
  ]

  static let config: Schema = joined(
    kept,
    [
      "authorizedDomains": .array(.string), "autodeleteAnonymousUsers": .boolean, "multiTenant": .any,
      "notification": .any, "quota": .any, "subtype": .string, "name": .string, "mfa": mfa,
      "emailPrivacyConfig": privacy, "blockingFunctions": .any,
      "signIn": .object([
        "allowDuplicateEmails": .boolean,
        "phoneNumber": .object(["enabled": .boolean, "testPhoneNumbers": .map(.string)]),
        "email": .any, "anonymous": .any, "hashConfig": .any,
      ]),
    ])
  static let emulatorConfig: Schema = [
    "signIn": .object(["allowDuplicateEmails": .boolean]), "emailPrivacyConfig": privacy,
  ]
  static let tenant: Schema = joined(
    kept,
    [
      "name": .string, "tenantId": .string, "displayName": .string, "allowPasswordSignup": .boolean,
      "enableEmailLinkSignin": .boolean, "enableAnonymousUser": .boolean, "disableAuth": .boolean, "mfaConfig": mfa,
      "emailPrivacyConfig": privacy, "testPhoneNumbers": .map(.string),
    ])
}
