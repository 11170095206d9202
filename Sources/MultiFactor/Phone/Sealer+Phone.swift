import OTP

// Phone numbers and codes, as a store may see them.
extension Sealer {
  /// By what messages to a number are counted, whoever asks for them.
  func numberKey(of number: PhoneNumber) throws(AuthError) -> [UInt8] {
    try hash(Array(number.e164.utf8), for: .phoneNumber, boundTo: [])
  }

  /// What no two factors of one user share. Another user's factor with the same number has another key, so that a copy
  /// of the store does not tell who shares a phone.
  func uniqueKey(of number: PhoneNumber, userID: String) throws(AuthError) -> [UInt8] {
    try hash(Array(number.e164.utf8), for: .phoneNumber, boundTo: [userID])
  }

  /// What the store keeps of a code that was sent.
  func codeHash(of code: String, challengeID: String, userID: String) throws(AuthError) -> [UInt8] {
    try hash(Array(code.utf8), for: .smsCode, boundTo: [userID, challengeID])
  }

  func seal(
    _ number: PhoneNumber, for purpose: SealPurpose, boundTo context: [String]
  ) throws(AuthError) -> [UInt8] {
    try seal(SecretBytes(copying: Array(number.e164.utf8)), for: purpose, boundTo: context)
  }

  /// The number of an enrolled phone, and whether the active key sealed it.
  func phoneNumber(of factor: FactorRecord) throws(AuthError) -> (number: PhoneNumber, isByActiveKey: Bool) {
    try phoneNumber(in: factor.sealed, for: .phoneNumber, boundTo: [factor.userID, factor.uid])
  }

  func phoneNumber(
    in sealed: [UInt8], for purpose: SealPurpose, boundTo context: [String]
  ) throws(AuthError) -> (number: PhoneNumber, isByActiveKey: Bool) {
    let opened = try open(sealed, for: purpose, boundTo: context)
    do {
      let number = try PhoneNumber(String(decoding: opened.bytes.copiedBytes(), as: UTF8.self))
      return (number, opened.isByActiveKey)
    } catch {
      throw unreadable(purpose, context)
    }
  }

  /// What a client may know of a factor.
  ///
  /// A number that does not open any more is told of, and shown as empty: the factor can be removed, and the user's
  /// others used.
  func info(of factor: FactorRecord) -> any MultiFactorInfo {
    switch factor.kind {
    case .totp:
      TOTPMultiFactorInfo(
        uid: factor.uid, displayName: factor.displayName, enrollmentDate: factor.enrollmentDate)
    case .hotp:
      HOTPMultiFactorInfo(
        uid: factor.uid, displayName: factor.displayName, enrollmentDate: factor.enrollmentDate)
    case .phone:
      PhoneMultiFactorInfo(
        uid: factor.uid, displayName: factor.displayName, enrollmentDate: factor.enrollmentDate,
        phoneNumber: (try? phoneNumber(of: factor).number.masked) ?? "")
    }
  }

  /// What a client gives back together with the code: names the challenge, the user and, in a sign-in, the factor.
  func verificationID(of challenge: ChallengeRecord) throws(AuthError) -> String {
    let factorUID: String? = if case .signIn(let uid) = challenge.purpose { uid } else { nil }
    var writer = ByteWriter()
    VerificationPayload(id: challenge.id, userID: challenge.userID, factorUID: factorUID).encode(to: &writer)
    return try token(writer.finish(), for: .verificationIDToken)
  }

  /// Reads what ``verificationID(of:)`` writes.
  func challenge(
    of verificationID: String, userID: String
  ) throws(AuthError) -> (id: String, factorUID: String?) {
    guard !verificationID.isEmpty else { throw AuthError(.missingVerificationID) }
    var reader = ByteReader(
      try payload(of: verificationID, for: .verificationIDToken, otherwise: .invalidVerificationID))
    do {
      let payload = try VerificationPayload(from: &reader)
      try reader.finish()
      guard payload.userID.hasBytes(of: userID) else { throw AuthError(.invalidVerificationID) }
      return (payload.id, payload.factorUID)
    } catch {
      throw AuthError(.invalidVerificationID)
    }
  }
}
