import Foundation
import MultiFactor
import MultiFactorPhone

// Names that the SDK's samples use and this project spells differently. Its own convention would start constants in
// lower case.
/// `AuthError`, as the SDK's samples name it.
public typealias AuthErrorCode = AuthError

extension AuthError {
  /// `Code.secondFactorRequired`, as in `AuthErrorCode.secondFactorRequired.rawValue`.
  public static var secondFactorRequired: Code { .secondFactorRequired }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The domain of an `AuthError` as an `NSError`.
public let AuthErrorDomain = "FIRAuthErrorDomain"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the `MultiFactorResolver` in `AuthError.userInfo`.
public let AuthErrorUserInfoMultiFactorResolverKey = "FIRAuthErrorUserInfoMultiFactorResolverKey"

extension AuthError: CustomNSError {
  /// The resolver, under ``AuthErrorUserInfoMultiFactorResolverKey``, and the description, as in the SDK's errors.
  public var userInfo: [String: Any] {
    var userInfo: [String: Any] = [NSLocalizedDescriptionKey: description]
    userInfo[AuthErrorUserInfoMultiFactorResolverKey] = resolver
    return userInfo
  }

  /// The domain of every `AuthError`: ``AuthErrorDomain``.
  public static var errorDomain: String { AuthErrorDomain }
  /// The number of the code, which is the SDK's.
  public var errorCode: Int { code.rawValue }
  /// The same as `userInfo`, for the conversion to `NSError`.
  public var errorUserInfo: [String: Any] { userInfo }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// `TOTPMultiFactorID`, as some of the SDK's samples spell it.
public let TotpMultiFactorID = TOTPMultiFactorID

extension PhoneMultiFactorInfo {
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// The `factorID` of codes by text message.
  public static var PhoneMultiFactorID: String { MultiFactorPhone.PhoneMultiFactorID }
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// The `factorID` of TOTP factors.
  public static var TOTPMultiFactorID: String { MultiFactor.TOTPMultiFactorID }
}

extension TOTPSecret {
  /// Passes a key URI to the host's opener, if any. A server has no app to open: its page links to the URI instead.
  public func openInOTPApp(withQRCodeURL url: String, open: ((String) -> Void)? = nil) { open?(url) }
}

extension PhoneAuthProvider {
  /// Sends a code to a number that the user wants to enroll, as
  /// `verifyPhoneNumber(_:appCredential:clientAddress:multiFactorSession:)`.
  ///
  /// - Parameter uiDelegate: `nil`: a server shows no reCAPTCHA pages.
  /// - Throws: `AuthError` with code `missingMultiFactorSession`; otherwise as that function.
  public func verifyPhoneNumber(
    _ phoneNumber: String, uiDelegate: Never?, multiFactorSession session: MultiFactorSession?
  ) async throws -> String {
    guard let session else { throw AuthError(.missingMultiFactorSession) }
    return try await verifyPhoneNumber(phoneNumber, multiFactorSession: session)
  }

  /// Sends a code to an enrolled phone, during a sign-in, as
  /// `verifyPhoneNumber(with:appCredential:clientAddress:multiFactorSession:)`.
  ///
  /// - Parameter uiDelegate: `nil`: a server shows no reCAPTCHA pages.
  /// - Throws: `AuthError` with code `missingMultiFactorSession`; otherwise as that function.
  public func verifyPhoneNumber(
    with hint: any MultiFactorInfo, uiDelegate: Never?, multiFactorSession session: MultiFactorSession?
  ) async throws -> String {
    guard let session else { throw AuthError(.missingMultiFactorSession) }
    return try await verifyPhoneNumber(with: hint, multiFactorSession: session)
  }
}

extension MultiFactorUser {
  /// Removes a factor, as `unenroll(withFactorUID:)`.
  public func unenroll(with info: any MultiFactorInfo) async throws { try await unenroll(withFactorUID: info.uid) }
}
