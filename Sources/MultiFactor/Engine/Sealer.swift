import Foundation
import OTP

/// The keyring and the random source in the terms of this layer: what fails is told of, and becomes an ``AuthError``.
struct Sealer: Sendable {
  let keyring: Keyring
  let random: SecureRandom
  /// Who is told what failed, for which user and factor.
  var report: @Sendable (AuditEvent.Reason, _ userID: String?, _ factorUID: String?) -> Void = { _, _, _ in }

  /// What a failure of the keyring means where a value of our own cannot be sealed or opened.
  private func failure(_ error: KeyringError, _ purpose: SealPurpose?, _ context: [String]) -> AuthError {
    let isRandomness = error.kind == .randomnessUnavailable
    // What a factor's values are bound to: the user, and the factor.
    let factorUID = purpose == .totpSecret || purpose == .phoneNumber ? context.dropFirst().first : nil
    report(isRandomness ? .randomness : .sealing, context.first, factorUID)
    return AuthError(.internalError, reason: isRandomness ? .randomness : .sealing)
  }

  /// A value opens, and is not what this layer seals.
  func unreadable(_ purpose: SealPurpose, _ context: [String]) -> AuthError {
    failure(KeyringError(.malformed), purpose, context)
  }

  func seal(
    _ plaintext: SecretBytes, for purpose: SealPurpose, boundTo context: [String]
  ) throws(AuthError) -> [UInt8] {
    do {
      return try plaintext.withBytes { (bytes) throws(KeyringError) in
        try keyring.seal(bytes, for: purpose, boundTo: context)
      }
    } catch {
      throw failure(error, purpose, context)
    }
  }

  func open(
    _ sealed: [UInt8], for purpose: SealPurpose, boundTo context: [String]
  ) throws(AuthError) -> Opened {
    do { return try keyring.open(sealed, for: purpose, boundTo: context) } catch {
      throw failure(error, purpose, context)
    }
  }

  func hash(_ message: [UInt8], for purpose: HashPurpose, boundTo context: [String]) throws(AuthError) -> [UInt8] {
    do { return try keyring.hash(message, for: purpose, boundTo: context) } catch { throw failure(error, nil, context) }
  }

  /// A token with a payload.
  func token(_ payload: SecretBytes, for purpose: SealPurpose) throws(AuthError) -> String {
    do { return try keyring.sealToken(payload, for: purpose) } catch { throw failure(error, purpose, []) }
  }

  /// A token's payload; the given error where the token is not one of ours.
  func payload(
    of token: String, for purpose: SealPurpose, otherwise code: AuthErrorCode
  ) throws(AuthError) -> SecretBytes {
    do { return try keyring.openToken(token, for: purpose) } catch {
      // The library's failure is the server's; all else is the token's.
      throw error.kind == .cryptographyFailed ? failure(error, purpose, []) : AuthError(code)
    }
  }
}

// Randomness.
extension Sealer {
  private func drawn<R>(_ draw: () throws(KeyringError) -> R) throws(AuthError) -> R {
    do { return try draw() } catch { throw failure(error, nil, []) }
  }

  /// A name that is never used again: 128 random bits.
  func randomName() throws(AuthError) -> String {
    try drawn { () throws(KeyringError) in try random.hexName(byteCount: 16) }
  }

  /// Uniformly random digits.
  func randomDigits(_ count: Int) throws(AuthError) -> String {
    try drawn { () throws(KeyringError) in try random.digits(count) }
  }

  /// A secret of 20 bytes.
  func randomSecret() throws(AuthError) -> OTPSecret {
    let bytes = try drawn { () throws(KeyringError) in try random.secretBytes(20) }
    do {
      return try bytes.withBytes { (bytes) throws(OTPError) in try OTPSecret(bytes: bytes) }
    } catch {
      throw failure(KeyringError(.randomnessUnavailable), nil, [])
    }
  }

  /// A recovery code: 80 bits, as people write it down.
  func randomRecoveryCode() throws(AuthError) -> String {
    let bytes = try drawn { () throws(KeyringError) in try random.secretBytes(RecoveryCodeText.byteCount) }
    return RecoveryCodeText.written(bytes.copiedBytes())
  }
}

// Tokens of a sign-in.
extension Sealer {
  func token(for state: SignInState, purpose: SealPurpose) throws(AuthError) -> String {
    var writer = ByteWriter()
    state.encode(to: &writer)
    return try token(writer.finish(), for: purpose)
  }

  func token(for state: SignInState, kind: MultiFactorSession.Kind) throws(AuthError) -> String {
    var writer = ByteWriter()
    writer.append(kind.rawValue)
    state.encode(to: &writer)
    return try token(writer.finish(), for: .sessionToken)
  }

  func state(
    of token: String, purpose: SealPurpose, otherwise code: AuthErrorCode
  ) throws(AuthError) -> SignInState {
    var reader = ByteReader(try payload(of: token, for: purpose, otherwise: code))
    do {
      let state = try SignInState(from: &reader)
      try reader.finish()
      return state
    } catch {
      throw AuthError(code)
    }
  }

  func session(of token: String) throws(AuthError) -> (kind: MultiFactorSession.Kind, state: SignInState) {
    let code = AuthErrorCode.invalidMultiFactorSession
    var reader = ByteReader(try payload(of: token, for: .sessionToken, otherwise: code))
    do {
      guard let kind = MultiFactorSession.Kind(rawValue: try reader.readUInt8()) else { throw AuthError(code) }
      let state = try SignInState(from: &reader)
      try reader.finish()
      return (kind, state)
    } catch {
      throw AuthError(code)
    }
  }
}

// Secrets of factors.
extension Sealer {
  /// What no two factors of one user share, so that one secret cannot be two factors, each with a code to spend.
  func uniqueKey(of secret: OTPSecret, userID: String) throws(AuthError) -> [UInt8] {
    do {
      return try secret.withBytes { (bytes) throws(KeyringError) in
        try keyring.hash(bytes, for: .factorSecret, boundTo: [userID])
      }
    } catch {
      throw failure(error, nil, [userID])
    }
  }
}
