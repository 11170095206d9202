import Foundation
import Keyring
import MultiFactor
import OTP

/// The readers of tokens and documents, for the fuzzers only. An attacker's bytes cannot reach them without breaking
/// the seal, unless a key has leaked.
@_spi(Fuzzing) public struct TokenCodec: Sendable {
  /// The contents of a token or a document.
  public struct Kind: Sendable {
    /// The name that tokens of this kind are bound to.
    public let name: String
    fileprivate let value: any Sealable.Type

    package init(_ name: String, _ value: any Sealable.Type) {
      self.name = name
      self.value = value
    }

    /// Those of `MultiFactor`: a signed-in user's handle or a resolver, which both hold a sign-in; a session; a secret
    /// being enrolled; a user's document.
    public static let own = [
      Kind("user", SignIn.self), Kind("session", MultiFactorSession.State.self),
      Kind("enrollment", EnrollmentSecret.Content.self), Kind("account", Account.self),
    ]
  }

  private static let purpose = Purpose("fuzzing")
  private let keyring: Keyring

  /// Creates the readers, with the keys of a keyring.
  public init(keyring: Keyring) { self.keyring = keyring }

  /// A token with arbitrary contents.
  ///
  /// - Throws: ``KeyringError`` with `tooLong`.
  public func token(holding payload: [UInt8], as kind: Kind) throws(KeyringError) -> String {
    try keyring.sealToken(SecretBytes(copying: payload.span), for: Self.purpose, boundTo: [kind.name])
  }

  /// Reads a token and writes its contents again, as the reader understood them.
  ///
  /// - Throws: ``KeyringError`` if it is not a token, or does not contain what it should.
  public func rewritten(_ token: String, as kind: Kind) throws(KeyringError) -> [UInt8] {
    let payload = try keyring.openToken(token, for: Self.purpose, boundTo: [kind.name])
    return try kind.value.init(payload).encoded().copiedBytes()
  }
}
