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

  /// A keyed hash of something that belongs to a user, for a purpose.
  package func hash(_ message: [UInt8], for purpose: Purpose, boundTo binding: [String]) throws(AuthError) -> [UInt8] {
    try reporting(binding.first) {
      try documents.keyring.hash(message, for: purpose, boundTo: binding)
    }
  }

  /// Runs an operation, and reports why it was refused or has failed.
  package func reporting<R>(_ userID: String?, _ body: () throws -> R) throws(AuthError) -> R {
    do { return try body() } catch { throw events.error(for: error, userID) }
  }

  /// Completes an operation even if the client disconnects.
  package func uninterrupted<R: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () async throws(Failure) -> R
  ) async throws(Failure) -> R {
    let task = Task {
      do throws(Failure) { return Result<R, Failure>.success(try await work()) } catch { return .failure(error) }
    }
    return try await task.value.get()
  }
}
