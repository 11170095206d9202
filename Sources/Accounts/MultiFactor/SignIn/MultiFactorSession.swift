import Foundation
import Keyring
import OTP

/// Permission for the next step: for a signed-in user, to enroll a factor; during a sign-in, to have a code sent.
///
/// It expires after ten minutes by default. A web server keeps its
/// ``token()`` between requests, and recovers the session with ``MultiFactorAuth/session(from:for:)``.
public struct MultiFactorSession: Sendable {
  /// What a session is for.
  package enum Kind: UInt8, Sendable, CaseIterable {
    case enrollment = 1
    case signIn = 2
  }

  /// The contents of its token.
  package struct State: Sendable {
    package let kind: Kind
    let signIn: SignIn
  }

  package let context: Context
  package let state: State

  init(context: Context, kind: Kind, signIn: SignIn) {
    self.context = context
    state = State(kind: kind, signIn: signIn)
  }

  /// The sign-in that it belongs to.
  package var signIn: SignIn { state.signIn }

  /// The host's ID for the user.
  public var uid: String { signIn.userID }

  /// The session as sealed, URL-safe text, valid until the session expires.
  ///
  /// - Throws: ``AuthError`` with code `internalError`.
  public func token() throws -> String {
    try context.token(state, for: .sessionToken)
  }

  /// Checks that the session is of the right kind and, by this machine's clock, has not expired.
  package func check(_ kind: Kind) throws(Refusal) {
    guard state.kind == kind else { throw Refusal(.invalidMultiFactorSession, .tokenRefused, .invalid) }
    guard context.events.now() < signIn.expiry else { throw Refusal(.sessionExpired, .tokenRefused, .expired) }
  }
}

extension MultiFactorSession: Redacted {}

extension MultiFactorSession.State: Sealable {
  package func encode(to writer: inout ByteWriter) {
    writer.append(kind.rawValue)
    signIn.encode(to: &writer)
  }

  package init(from reader: inout ByteReader) throws(KeyringError) {
    guard let kind = MultiFactorSession.Kind(rawValue: try reader.readUInt8()) else { throw KeyringError(.malformed) }
    self.kind = kind
    signIn = try SignIn(from: &reader)
  }
}
