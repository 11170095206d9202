import FactorRecord
import Foundation
import Keyring
import OTP

/// What every operation works with: the configuration, the store and its keyring, the clock, and where events are
/// reported.
package final class Context: Sendable {
  package let configuration: MultiFactorConfiguration
  package let store: any FactorStore
  package let storeID: String
  package let keyring: Keyring
  package let random: SecureRandom
  let handlers: MultiFactorHandlers
  let externalFactors: [any ExternalFactor]
  let clock: @Sendable () -> Date
  /// The mark that was recognized last, so that it is opened only once.
  let knownMark = Locked<[UInt8]?>(nil)
  /// The loss that was reported last.
  let knownLoss: Locked<Date?>

  init(
    configuration: MultiFactorConfiguration, store: any FactorStore, storeID: String, keyring: Keyring,
    random: SecureRandom, externalFactors: [any ExternalFactor], handlers: MultiFactorHandlers,
    clock: @escaping @Sendable () -> Date
  ) {
    self.configuration = configuration
    self.store = store
    self.storeID = storeID
    self.keyring = keyring
    self.random = random
    self.handlers = handlers
    self.externalFactors = externalFactors
    self.clock = clock
    let old = store.lossDate.flatMap { $0 < clock().addingTimeInterval(-Self.reportedLossAge) ? $0 : nil }
    knownLoss = Locked(old)
    reportLoss()
  }

  /// How old a loss may be when this process begins, to be reported: a day, in seconds.
  private static let reportedLossAge: TimeInterval = 86_400

  /// The time, to the millisecond: documents keep no finer. A time that no record takes, or a NaN, is treated as a
  /// clock that is far behind.
  package func now() -> Date {
    let (seconds, range) = (clock().timeIntervalSince1970, Milliseconds.range)
    guard seconds >= Double(range.lowerBound), seconds < Double(range.upperBound) else { return .distantPast }
    return Date(timeIntervalSince1970: (seconds * 1000).rounded(.down) / 1000)
  }
}

// Tokens, names and hashes.
extension Context {
  /// A value as URL-safe text, sealed for its purpose and this store.
  package func token(_ value: some Sealable, for purpose: Purpose) throws(AuthError) -> String {
    try reportingFailures(of: nil) { () throws(KeyringError) in
      try keyring.sealToken(value.encoded(), for: purpose, boundTo: [storeID])
    }
  }

  /// The value in a token.
  ///
  /// - Throws: ``AuthError`` with the given code if the token was not sealed for this purpose and store.
  package func value<Value: Sealable>(
    of token: String, for purpose: Purpose, otherwise code: AuthError.Code
  ) throws(AuthError) -> Value {
    do {
      return try Value(try keyring.openToken(token, for: purpose, boundTo: [storeID]))
    } catch {
      // A failure of the library is the server's fault; any other error is the token's.
      throw error.kind == .cryptographyFailed ? failure(error, user: nil) : AuthError(code)
    }
  }

  /// A unique name: 128 random bits.
  package func randomName(user: String?) throws(AuthError) -> String {
    try reportingFailures(of: user) { () throws(KeyringError) in try random.hexName(byteCount: 16) }
  }

  /// A keyed hash of something that belongs to a user, for a purpose.
  package func hash(_ message: [UInt8], for purpose: Purpose, boundTo binding: [String]) throws(AuthError) -> [UInt8] {
    try reportingFailures(of: binding.first) { () throws(KeyringError) in
      try keyring.hash(message, for: purpose, boundTo: binding)
    }
  }

  /// Runs an operation of the keyring or the random source, and reports its failure.
  package func reportingFailures<R, Failure: Error>(
    of user: String?, _ body: () throws(Failure) -> R
  ) throws(AuthError) -> R {
    do { return try body() } catch { throw failure(error, user: user) }
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
