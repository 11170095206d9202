import Foundation
import Keyring
import OTP

/// The readers of tokens and documents, for the fuzzers only. An attacker's bytes cannot reach them without breaking
/// the seal, unless a key has leaked.
@_spi(Fuzzing) public struct TokenCodec: Sendable {
  /// The contents of a token or a document.
  public enum Kind: UInt8, Sendable, CaseIterable {
    /// A signed-in user's handle, or a resolver: both hold a sign-in.
    case user
    /// A multi-factor session.
    case session
    /// A secret being enrolled.
    case enrollment
    /// A verification ID.
    case verification
    /// A user's document.
    case account
    /// A document of counted messages.
    case messages

    fileprivate var value: any Sealable.Type {
      switch self {
      case .user: SignIn.self
      case .session: MultiFactorSession.State.self
      case .enrollment: EnrollmentSecret.self
      case .verification: PhoneVerification.self
      case .account: Account.self
      case .messages: MessageLog.self
      }
    }
  }

  private static let purpose = Purpose("fuzzing")
  private let keyring: Keyring

  /// Creates the readers, with the keys of a keyring.
  public init(keyring: Keyring) { self.keyring = keyring }

  /// A token with arbitrary contents.
  ///
  /// - Throws: ``KeyringError`` with `tooLong`.
  public func token(holding payload: [UInt8], as kind: Kind) throws(KeyringError) -> String {
    try keyring.sealToken(SecretBytes(copying: payload.span), for: Self.purpose, boundTo: ["\(kind)"])
  }

  /// Reads a token and writes its contents again, as the reader understood them.
  ///
  /// - Throws: ``KeyringError`` if it is not a token, or does not contain what it should.
  public func rewritten(_ token: String, as kind: Kind) throws(KeyringError) -> [UInt8] {
    let payload = try keyring.openToken(token, for: Self.purpose, boundTo: ["\(kind)"])
    return try kind.value.init(payload).encoded().copiedBytes()
  }
}
