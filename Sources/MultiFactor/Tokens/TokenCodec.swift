import Foundation
import OTP

/// The readers of tokens, for the fuzzers and nobody else: what bytes meet once they are past the seal, which no
/// stranger's are unless a key has leaked.
@_spi(Fuzzing) public struct TokenCodec: Sendable {
  /// What a token, or a sealed value of a store, holds.
  public enum Kind: UInt8, Sendable, CaseIterable {
    /// A signed-in user's handle, or a resolver: both hold a sign-in.
    case user
    /// A multi-factor session.
    case session
    /// A secret being enrolled.
    case enrollment
    /// A verification ID.
    case verification
    /// A factor's secret, as a store holds it.
    case factorSecret

    fileprivate var purpose: SealPurpose {
      switch self {
      case .user: .userToken
      case .session: .sessionToken
      case .enrollment: .totpSecretToken
      case .verification: .verificationIDToken
      case .factorSecret: .totpSecret
      }
    }
  }

  /// Times up to this many seconds before and after 1970 are read to the millisecond, some two thousand years; of those
  /// far beyond, `Date` does not have all.
  private static let exactTime: TimeInterval = 0x1p36

  private let keyring: Keyring

  /// The readers, with the keys of a keyring.
  public init(keyring: Keyring) { self.keyring = keyring }

  /// A token that holds any bytes.
  ///
  /// - Throws: ``KeyringError`` with `tooLong`.
  public func token(holding payload: [UInt8], as kind: Kind) throws(KeyringError) -> String {
    try keyring.sealToken(payload, for: kind.purpose)
  }

  /// Reads a token and writes what it holds again.
  ///
  /// - Returns: The bytes, and whether they have to be the ones that were read.
  /// - Throws: ``KeyringError`` where it is no token, or does not hold what it should.
  public func rewritten(_ token: String, as kind: Kind) throws(KeyringError) -> (bytes: [UInt8], isExact: Bool) {
    let payload = try keyring.openToken(token, for: kind.purpose)
    if kind == .factorSecret {
      guard let secret = payload.withBytes({ bytes in FactorSecretLayout.decode(bytes) }) else {
        throw KeyringError(.malformed)
      }
      return (FactorSecretLayout.encode(secret).copiedBytes(), true)
    }
    var reader = ByteReader(payload)
    var writer = ByteWriter()
    let dates = try rewrite(&reader, to: &writer, as: kind)
    try reader.finish()
    let isExact = dates.allSatisfy { abs($0.timeIntervalSince1970) <= Self.exactTime }
    return (writer.finish().copiedBytes(), isExact)
  }

  /// The times among what was read.
  private func rewrite(
    _ reader: inout ByteReader, to writer: inout ByteWriter, as kind: Kind
  ) throws(KeyringError) -> [Date] {
    switch kind {
    case .user, .session:
      if kind == .session {
        guard let kind = MultiFactorSession.Kind(rawValue: try reader.readUInt8()) else {
          throw KeyringError(.malformed)
        }
        writer.append(kind.rawValue)
      }
      let state = try SignInState(from: &reader)
      state.encode(to: &writer)
      return [state.firstFactorDate, state.expiry] + (state.secondFactor.map { [$0.date] } ?? [])
    case .enrollment:
      let payload = try EnrollmentPayload(from: &reader)
      payload.encode(to: &writer)
      return [payload.expiry]
    case .verification:
      try VerificationPayload(from: &reader).encode(to: &writer)
      return []
    case .factorSecret: throw KeyringError(.malformed)
    }
  }
}
