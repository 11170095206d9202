import Foundation
import Keyring
import OTP

/// What every operation works with: the configuration, the store and what seals for it, the clock, and whom it reports to.
final class Context: Sendable {
  let configuration: MultiFactorConfiguration
  let store: any FactorStore
  let storeID: String
  let keyring: Keyring
  let random: SecureRandom
  let events: EventHub
  let smsSender: (any SMSSender)?
  let smsVerifier: (any SMSVerifier)?
  let appVerifier: (any AppVerifier)?
  let urlOpener: (@Sendable (String) -> Void)?
  private let clock: @Sendable () -> Date

  init(
    configuration: MultiFactorConfiguration, store: any FactorStore, storeID: String, keyring: Keyring,
    random: SecureRandom, events: EventHub, smsSender: (any SMSSender)?, smsVerifier: (any SMSVerifier)?,
    appVerifier: (any AppVerifier)?, urlOpener: (@Sendable (String) -> Void)?, clock: @escaping @Sendable () -> Date
  ) {
    self.configuration = configuration
    self.store = store
    self.storeID = storeID
    self.keyring = keyring
    self.random = random
    self.events = events
    self.smsSender = smsSender
    self.smsVerifier = smsVerifier
    self.appVerifier = appVerifier
    self.urlOpener = urlOpener
    self.clock = clock
  }

  /// The time, to the millisecond: documents keep no more. A clock that tells no time, or one that milliseconds cannot
  /// count, is as one that is far behind.
  func now() -> Date {
    let milliseconds = (clock().timeIntervalSince1970 * 1000).rounded(.down)
    return abs(milliseconds) <= 0x1p53 ? Date(timeIntervalSince1970: milliseconds / 1000) : .distantPast
  }
}

// Documents.
extension Context {
  /// What is held of a user, as of one moment.
  func account(of userID: String) async throws(AuthError) -> Account {
    do {
      let key = DocumentKey.user(userID)
      let stored = try await inSpan(.read) { try await store.document(key) }
      return try open(stored, of: Account.self, under: key).document
    } catch {
      throw failure(error, user: userID)
    }
  }

  /// Changes what is held of a user, by a rule, in one durable transaction.
  ///
  /// What the rule changes is kept whether it throws or not. It may run again; only the result of its last run is
  /// answered and reported, once that is durable.
  ///
  /// - Throws: ``AuthError``: for the refusal that the rule throws, which is reported; or `internalError`.
  func change<R: Sendable>(
    _ userID: String, _ rule: @escaping @Sendable (inout Account) throws(Refusal) -> R
  ) async throws(AuthError) -> R {
    let (result, isResealed) = try await change(.user(userID), user: userID) {
      [store, configuration] (account: inout Account) throws(Refusal) in
      if let date = store.lossDate { account.spendAll(until: date, under: configuration) }
      return try rule(&account)
    }
    if isResealed { events.record(.resealed, user: userID) }
    do { return try result.get() } catch { throw refused(error, userID) }
  }

  /// Changes what is held of a user by a rule that may revoke the user's handles, and tells the host where it has.
  ///
  /// Where the store fails once the rule has run, whether the change was made is not known. The host hears of the
  /// revocation then too: to end a session in vain does less harm than to miss one.
  ///
  /// - Parameter report: Reports the result, before the revocation is.
  func changeRevoking<R: Sendable>(
    _ userID: String, _ rule: @escaping @Sendable (inout Account) throws(Refusal) -> R, report: (R) -> Void
  ) async throws(AuthError) -> R {
    let isRevocation = Locked(false)
    do {
      let result = try await change(userID) { account throws(Refusal) in
        let generation = account.generation
        defer {
          let isRevoked = account.generation != generation
          isRevocation.withLock { $0 = isRevoked }
        }
        return try rule(&account)
      }
      report(result)
      if isRevocation.withLock({ $0 }) { await events.recordRevocation(of: userID) }
      return result
    } catch {
      if isRevocation.withLock({ $0 }) { await events.tellRevocation(of: userID) }
      throw error
    }
  }

  /// Changes a document by a rule.
  ///
  /// - Returns: The result of the rule, and whether a change has sealed the document by another key than before.
  func change<D: Document, R: Sendable>(
    _ key: DocumentKey, user: String?, _ rule: @escaping @Sendable (inout D) throws(Refusal) -> R
  ) async throws(AuthError) -> (result: Result<R, Refusal>, isResealed: Bool) {
    do {
      return try await inSpan(.change) {
        try await store.update(key) { [self] stored in
          let place = try place(of: key)
          let opened = try stored.map { try keyring.open($0, for: D.purpose, boundTo: place) }
          var document = try opened.map { try D(document: $0.bytes) } ?? D()
          let before = opened?.bytes ?? document.document()
          let result = Result { () throws(Refusal) in try rule(&document) }
          let after = document.document()
          guard !SecretBytes.equal(before, after) else { return (result, false) }
          stored = try seal(after, for: D.purpose, boundTo: place)
          return (result, opened?.isByActiveKey == false)
        }
      }
    } catch {
      throw failure(error, user: user)
    }
  }

  /// Opens a document; no bytes are no document.
  func open<D: Document>(
    _ stored: [UInt8]?, of type: D.Type, under key: DocumentKey
  ) throws(KeyringError) -> (document: D, isByActiveKey: Bool) {
    guard let stored else { return (D(), true) }
    let opened = try keyring.open(stored, for: D.purpose, boundTo: place(of: key))
    return (try D(document: opened.bytes), opened.isByActiveKey)
  }

  func seal(_ document: some Document, under key: DocumentKey) throws(KeyringError) -> [UInt8] {
    try seal(document.document(), for: type(of: document).purpose, boundTo: place(of: key))
  }

  private func seal(_ document: SecretBytes, for purpose: Purpose, boundTo place: [String]) throws(KeyringError)
    -> [UInt8]
  {
    guard document.byteCount <= maximumDocumentByteCount else { throw KeyringError(.tooLong) }
    return try keyring.seal(document, for: purpose, boundTo: place)
  }

  /// What a document is bound to: its store and its key.
  private func place(of key: DocumentKey) throws(KeyringError) -> [String] {
    guard let text = key.text else { throw KeyringError(.malformed) }
    return [storeID, text]
  }

  /// Seals a document again if another key than the active one has sealed it.
  ///
  /// - Returns: Whether it was sealed again.
  func reseal<D: Document>(_ key: DocumentKey, of type: D.Type) async throws -> Bool {
    try await store.update(key) { [self] stored in
      guard stored != nil else { return false }
      let (document, isByActiveKey) = try open(stored, of: D.self, under: key)
      if !isByActiveKey { stored = try seal(document, under: key) }
      return !isByActiveKey
    }
  }
}

// Tokens, names and hashes.
extension Context {
  /// A value as a text: sealed for its purpose and this store, URL-safe.
  func token(_ value: some Sealable, for purpose: Purpose) throws(AuthError) -> String {
    try attempt(user: nil) { () throws(KeyringError) in
      try keyring.sealToken(value.encoded(), for: purpose, boundTo: [storeID])
    }
  }

  /// Gets a value back from its text.
  ///
  /// - Throws: ``AuthError`` with the given code where it is none that was sealed for this purpose and store.
  func value<Value: Sealable>(
    of token: String, for purpose: Purpose, otherwise code: AuthError.Code
  ) throws(AuthError) -> Value {
    do {
      return try Value(try keyring.openToken(token, for: purpose, boundTo: [storeID]))
    } catch {
      // The library's failure is the server's; all else is the token's.
      throw error.kind == .cryptographyFailed ? failure(error, user: nil) : AuthError(code)
    }
  }

  /// A name that is never used again: 128 random bits.
  func randomName(user: String?) throws(AuthError) -> String {
    try attempt(user: user) { () throws(KeyringError) in try random.hexName(byteCount: 16) }
  }

  /// A keyed hash, for a purpose, of something that belongs to a user.
  func hash(_ message: [UInt8], for purpose: Purpose, boundTo place: [String]) throws(AuthError) -> [UInt8] {
    try attempt(user: place.first) { () throws(KeyringError) in
      try keyring.hash(message, for: purpose, boundTo: place)
    }
  }

  /// Does what the keyring or the random source can fail at.
  func attempt<R>(user: String?, _ body: () throws(KeyringError) -> R) throws(AuthError) -> R {
    do { return try body() } catch { throw failure(error, user: user) }
  }
}

// What is reported, and what the client is told.
extension Context {
  /// A rule has refused.
  func refused(_ refusal: Refusal, _ userID: String?) -> AuthError {
    if let event = refusal.event {
      events.record(
        event, refusal.reason, user: userID, factor: refusal.factorUID, factorID: refusal.kind?.rawValue)
    }
    let reason: AuthError.Reason? = refusal.event == .failed ? .cryptography : nil
    return AuthError(refusal.code, retryAfter: refusal.retryAfter, reason: reason)
  }

  /// The server has failed.
  func failure(_ error: any Error, user: String?) -> AuthError {
    if let error = error as? AuthError { return error }
    let reason: AuthError.Reason =
      switch error {
      // The request is gone, not the store.
      case is CancellationError: .cancelled
      case let error as KeyringError:
        switch error.kind {
        case .randomnessUnavailable: .randomness
        case .cryptographyFailed: .cryptography
        default: .sealing
        }
      // A store may have an error of its own for a request that is gone.
      default: Task.isCancelled ? .cancelled : .store
      }
    if let told = AuditEvent.Reason(reason) { events.record(.failed, told, user: user) }
    return AuthError(.internalError, reason: reason)
  }
}
