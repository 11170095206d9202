import OTP

/// Secrets in a table of your own.
extension Keyring {
  private static var secretPurpose: Purpose { Purpose("secret in the host's own table") }

  /// Seals a secret with the active key (XAES-256-GCM with a random nonce).
  ///
  /// - Parameters:
  ///   - secret: The secret.
  ///   - context: What the secret belongs to, such as `["second factor", "42"]`. It opens only with the same texts in the
  ///     same order: an attacker who can write to the table cannot give one user another's secret.
  /// - Returns: 43 to 74 bytes more than the secret has, depending on the key's name.
  /// - Throws: `KeyringError` with `randomnessUnavailable` or `cryptographyFailed`.
  ///
  /// Timing: depends only on lengths.
  public func seal(_ secret: OTPSecret, boundTo context: [String]) throws(KeyringError) -> [UInt8] {
    try seal(secret.withBytes { SecretBytes(copying: $0) }, for: Self.secretPurpose, boundTo: context)
  }

  /// Opens what ``seal(_:boundTo:)`` sealed, with whichever key of the keyring sealed it.
  ///
  /// - Throws: `KeyringError` with `malformed`, `unknownKey`, `notAuthentic` or `cryptographyFailed`.
  ///
  /// Timing: depends only on lengths and on the key's name.
  public func openSecret(_ sealed: [UInt8], boundTo context: [String]) throws(KeyringError) -> OTPSecret {
    let opened = try open(sealed, for: Self.secretPurpose, boundTo: context)
    // Only a secret is ever sealed for this purpose.
    guard let secret = opened.bytes.withBytes({ try? OTPSecret(bytes: $0) }) else { throw KeyringError(.malformed) }
    return secret
  }

  /// Whether the active key sealed a value. If not, seal it again. An old key can be removed once every server seals with
  /// the new one, and neither a table, a backup nor `MultiFactor` needs the old one.
  public func isSealedByActiveKey(_ sealed: [UInt8]) -> Bool { isByActiveKey(sealed.span) }
}
