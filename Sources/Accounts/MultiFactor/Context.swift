import FactorRecord
import Foundation
import Keyring
import OTP

/// What every operation works with.
package final class Context: Sendable {
  package let configuration: MultiFactorConfiguration
  package let documents: Documents
  package let events: Events
  package let random: SecureRandom
  package let externalFactors: [any ExternalFactor]

  init(
    configuration: MultiFactorConfiguration, documents: Documents, events: Events, random: SecureRandom,
    externalFactors: [any ExternalFactor]
  ) {
    self.configuration = configuration
    self.documents = documents
    self.events = events
    self.random = random
    self.externalFactors = externalFactors
  }
}

// Tokens, names and hashes.
extension Context {
  /// A value as URL-safe text, sealed for its purpose and this store.
  package func token(_ value: some Sealable, for purpose: Purpose) throws(AuthError) -> String {
    try reporting(nil) {
      try documents.keyring.sealToken(value.encoded(), for: purpose, boundTo: [documents.storeID])
    }
  }

  /// The value in a token.
  ///
  /// - Throws: ``AuthError`` with the given code if the token was not sealed for this purpose and store.
  package func value<Value: Sealable>(
    of token: String, for purpose: Purpose, otherwise code: AuthError.Code
  ) throws(AuthError) -> Value {
    do {
      return try Value(try documents.keyring.openToken(token, for: purpose, boundTo: [documents.storeID]))
    } catch {
      // A failure of the library is the server's fault; any other error is the token's.
      throw error.kind == .cryptographyFailed ? events.error(for: error, nil) : AuthError(code)
    }
  }

  /// A unique name: 128 random bits.
  package func randomName(user: String?) throws(AuthError) -> String {
    try reporting(user) { try random.hexName(byteCount: 16) }
  }

  /// Runs an operation, and reports why it was refused or has failed.
  package func reporting<R>(_ userID: String?, _ body: () throws -> R) throws(AuthError) -> R {
    do { return try body() } catch { throw events.error(for: error, userID) }
  }
}
