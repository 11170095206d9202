/// The SDK's way of showing reCAPTCHA pages to users. A server shows nothing: this exists so that the SDK's samples,
/// which pass `nil`, read the same here.
public protocol AuthUIDelegate: Sendable {}

// The SDK's signatures.
extension PhoneAuthProvider {
  /// Sends a code to a number that the user wants to enrol.
  ///
  /// - Parameters:
  ///   - phoneNumber: The number in E.164.
  ///   - uiDelegate: Not used.
  ///   - session: A session from ``MultiFactorUser/session()``.
  /// - Returns: The verification ID.
  /// - Throws: ``AuthError`` with code `missingMultiFactorSession`; otherwise as
  ///   ``verifyPhoneNumber(_:appCredential:clientAddress:multiFactorSession:)``.
  public func verifyPhoneNumber(
    _ phoneNumber: String, uiDelegate: (any AuthUIDelegate)?, multiFactorSession session: MultiFactorSession?
  ) async throws -> String {
    guard let session else { throw AuthError(.missingMultiFactorSession) }
    return try await verifyPhoneNumber(phoneNumber, appCredential: nil, multiFactorSession: session)
  }

  /// Sends a code to an enrolled phone, during a sign-in.
  ///
  /// - Parameters:
  ///   - hint: The factor that the user chose from the resolver's hints.
  ///   - uiDelegate: Not used.
  ///   - session: The resolver's session.
  /// - Returns: The verification ID.
  /// - Throws: ``AuthError`` with code `missingMultiFactorSession`; otherwise as
  ///   ``verifyPhoneNumber(with:appCredential:clientAddress:multiFactorSession:)``.
  public func verifyPhoneNumber(
    with hint: any MultiFactorInfo, uiDelegate: (any AuthUIDelegate)?, multiFactorSession session: MultiFactorSession?
  ) async throws -> String {
    guard let session else { throw AuthError(.missingMultiFactorSession) }
    return try await verifyPhoneNumber(with: hint, appCredential: nil, multiFactorSession: session)
  }
}
