import FactorRecord
import OTP

/// A user's claim that a code proves a factor. `enroll` or `resolveSignIn` verifies it.
public struct MultiFactorAssertion: Sendable {
  enum Content: Sendable {
    case enrollment(EnrollmentSecret, code: String, Context)
    case code(String, factor: String, FactorKind)
    case codesInARow([String], factor: String, FactorKind)
    case phone(PhoneAuthCredential)
    case recoveryCode(String)
  }

  let content: Content

  /// The kind of factor: ``TOTPMultiFactorID`` and the like.
  public var factorID: String {
    switch content {
    case .enrollment(let secret, _, _): secret.secret.kind.rawValue
    case .code(_, _, let kind), .codesInARow(_, _, let kind): kind.rawValue
    case .phone: PhoneMultiFactorID
    case .recoveryCode: RecoveryCodeMultiFactorID
    }
  }
}

extension MultiFactorAssertion: Redacted {}

// What was typed, in the form in which it is compared. Anything but a code is not a guess: it is refused without
// counting an attempt.
extension MultiFactorAssertion {
  /// The offer that this makes at a sign-in and, if only the provider of text messages knows the code, the question to
  /// ask the provider first.
  func offer(of userID: String, _ context: Context) throws(AuthError) -> (Offer, ProviderQuestion?) {
    func canonical(_ text: String, _ digits: ClosedRange<Int>, _ uid: String, _ kind: FactorKind) throws(AuthError)
      -> String
    {
      guard let code = try CodeText.digits(of: text, digits) else {
        throw context.refused(.code(.malformed, uid, kind), userID)
      }
      return code
    }
    func checkAllows(_ kind: FactorKind) throws(AuthError) {
      guard context.configuration.allows(kind) else { throw context.refused(.disabled(kind), userID) }
    }
    func checkIsName(_ uid: String, _ kind: FactorKind) throws(AuthError) {
      guard Factor.isName(uid) else {
        throw context.refused(Refusal(.multiFactorInfoNotFound, .codeRefused, .notFound, uid, kind), userID)
      }
    }

    switch content {
    case .code(let text, let uid, let kind):
      guard !uid.isEmpty else { throw AuthError(.missingMultiFactorInfo) }
      try checkAllows(kind)
      let code = try canonical(text, 6...8, uid, kind)
      try checkIsName(uid, kind)
      return (.code(code, factor: uid, kind), nil)

    case .codesInARow(let texts, let uid, let kind):
      guard !uid.isEmpty else { throw AuthError(.missingMultiFactorInfo) }
      try checkAllows(kind)
      guard !texts.isEmpty else { throw AuthError(.missingVerificationCode) }
      guard 2...3 ~= texts.count else { throw context.refused(.code(.malformed, uid, kind), userID) }
      let codes = try texts.map { text throws(AuthError) in try canonical(text, 6...8, uid, kind) }
      try checkIsName(uid, kind)
      return (.codesInARow(codes, factor: uid, kind), nil)

    case .phone(let credential):
      try checkAllows(.phone)
      let verification = try credential.verification(of: userID, context)
      guard let uid = verification.factorUID else { throw AuthError(.invalidVerificationID) }
      let code = try canonical(credential.verificationCode, verification.digits, uid, .phone)
      let (hash, question) = try credential.answer(code, to: verification, context)
      return (.message(codeHash: hash, challenge: verification.id, factor: uid), question)

    case .recoveryCode(let text):
      try checkAllows(.recovery)
      var utf8 = text
      guard let code = utf8.withUTF8({ utf8 in RecoveryCodeText.bytes(utf8: unsafe utf8.span) }) else {
        throw context.refused(.code(.malformed, RecoveryCodeMultiFactorID, .recovery), userID)
      }
      guard code.byteCount > 0 else { throw AuthError(.missingVerificationCode) }
      return (.recoveryCode(text), nil)

    case .enrollment: throw AuthError(.missingMultiFactorInfo)
    }
  }

  /// The factor that this would enrol and, if only the provider of text messages knows the code, the question to ask
  /// the provider first.
  func candidate(of userID: String, _ context: Context) throws(AuthError) -> (Candidate, ProviderQuestion?) {
    switch content {
    case .enrollment(let secret, let text, let issuer):
      guard issuer.storeID == context.storeID else { throw AuthError(.invalidMultiFactorSession) }
      let kind = secret.secret.kind
      guard context.configuration.allows(kind) else { throw context.refused(.disabled(kind), userID) }
      guard secret.userID.hasBytes(of: userID) else {
        throw context.refused(Refusal(.userMismatch, .enrollmentRefused, .mismatch, nil, kind), userID)
      }
      guard let code = try CodeText.digits(of: text, 6...8) else {
        throw context.refused(.enrollmentCode(.malformed, secret.uid, kind), userID)
      }
      return (.secret(secret, code: code), nil)

    case .phone(let credential):
      guard context.configuration.allows(.phone) else { throw context.refused(.disabled(.phone), userID) }
      let verification = try credential.verification(of: userID, context)
      // A challenge for a sign-in belongs to a factor that is already enrolled.
      guard verification.factorUID == nil else { throw AuthError(.invalidVerificationID) }
      guard let code = try CodeText.digits(of: credential.verificationCode, verification.digits) else {
        throw context.refused(.enrollmentCode(.malformed, nil, .phone), userID)
      }
      let (hash, question) = try credential.answer(code, to: verification, context)
      let uid = try context.randomName(user: userID)
      return (.phone(challenge: verification.id, codeHash: hash, uid: uid), question)

    case .code, .codesInARow, .recoveryCode: throw AuthError(.missingMultiFactorSession)
    }
  }
}
