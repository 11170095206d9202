import FactorRecord
import Foundation
import Keyring
import OTP

/// What every operation works with: the configuration, the store and its keyring, the clock, and where events are
/// reported.
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
  /// The mark that was recognized last, so that it is opened only once.
  private let knownMark = Locked<[UInt8]?>(nil)
  /// The loss that was reported last.
  private let knownLoss: Locked<Date?>

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
    let old = store.lossDate.flatMap { $0 < clock().addingTimeInterval(-Self.reportedLossAge) ? $0 : nil }
    knownLoss = Locked(old)
    reportLoss()
  }

  /// How old a loss may be when this process begins, to be reported: a day, in seconds.
  private static let reportedLossAge: TimeInterval = 86_400

  /// The time, to the millisecond: documents keep no finer. A NaN, or a time too large to count in milliseconds, is
  /// treated as a clock that is far behind.
  func now() -> Date {
    let milliseconds = (clock().timeIntervalSince1970 * 1000).rounded(.down)
    return abs(milliseconds) <= 0x1p53 ? Date(timeIntervalSince1970: milliseconds / 1000) : .distantPast
  }
}

// Documents.
extension Context {
  /// What is held about a user, at one moment.
  func account(of userID: String) async throws(AuthError) -> Account {
    do {
      let key = DocumentKey.user(userID)
      let stored = try await inSpan(.read) { try await store.read(key) }
      return try open(stored, of: Account.self, under: key)?.document ?? Account()
    } catch {
      throw failure(error, user: userID)
    }
  }

  /// Changes what is held about a user, by a rule, in one durable transaction.
  ///
  /// What the rule changes is stored whether or not it throws. It may run again; only the result of its last run is
  /// returned and reported, once that is durable.
  ///
  /// - Throws: ``AuthError`` for the refusal that the rule throws, which is reported; or with code `internalError`.
  func change<R: Sendable>(
    _ userID: String, _ rule: @escaping @Sendable (inout Account) throws(Refusal) -> R
  ) async throws(AuthError) -> R {
    let (result, isResealed) = try await change(.user(userID), user: userID) {
      [store, configuration] (account: inout Account) throws(Refusal) in
      if let date = store.lossDate { account.spendAll(until: date, under: configuration) }
      return try rule(&account)
    }
    reportLoss()
    if isResealed { events.record(.resealed, user: userID) }
    do { return try result.get() } catch { throw refused(error, userID) }
  }

  /// Reports once that the store may have lost changes.
  ///
  /// - Returns: Up to when.
  @discardableResult
  func reportLoss() -> Date? {
    let date = store.lossDate
    let isNew = knownLoss.withLock { known in
      defer { known = date }
      return date != nil && date != known
    }
    if isNew { events.record(.changesLost, user: nil) }
    return date
  }

  /// Changes what is held about a user by a rule that may revoke the user's handles, and notifies the host if it has.
  ///
  /// If the store fails after the rule has run, it is unknown whether the change was made. The host is notified of the
  /// revocation then too: ending a session needlessly does less harm than missing one.
  ///
  /// - Parameter report: Reports the result; called before the revocation is reported.
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
      if isRevocation.withLock({ $0 }) { await events.notifyOfRevocation(of: userID) }
      throw error
    }
  }

  /// Changes a document by a rule.
  ///
  /// - Returns: The result of the rule, and whether the changed document is now sealed with the active key instead of
  ///   an older one.
  func change<D: Document, R: Sendable>(
    _ key: DocumentKey, user: String?, _ rule: @escaping @Sendable (inout D) throws(Refusal) -> R
  ) async throws(AuthError) -> (result: Result<R, Refusal>, isResealed: Bool) {
    do {
      return try await inSpan(.change) {
        try await store.change(key) { [self] stored in
          let opened = try open(stored, of: D.self, under: key)
          var document = opened?.document ?? D()
          let before = opened?.bytes ?? document.document()
          let result = Result { () throws(Refusal) in try rule(&document) }
          let after = document.document()
          guard !SecretBytes.equal(before, after) else { return (result, false) }
          stored.bytes = try seal(after, for: D.purpose, boundTo: binding(of: key))
          return (result, opened?.isByActiveKey == false)
        }
      }
    } catch {
      throw failure(error, user: user)
    }
  }

  /// Opens a document.
  ///
  /// - Returns: `nil` if there is none, and this is the store in which there is none.
  /// - Throws: ``FactorStoreError`` with `replaced`; ``KeyringError``.
  func open<D: Document>(
    _ stored: StoredDocument, of type: D.Type, under key: DocumentKey
  ) throws -> (document: D, bytes: SecretBytes, isByActiveKey: Bool)? {
    guard let bytes = stored.bytes else {
      try check(stored.mark)
      return nil
    }
    let opened = try keyring.open(bytes, for: D.purpose, boundTo: binding(of: key))
    return (try D(document: opened.bytes), opened.bytes, opened.isByActiveKey)
  }

  /// Checks that a mark is that of this store: otherwise what is missing there proves nothing.
  func check(_ mark: [UInt8]?) throws {
    guard let mark else { throw FactorStoreError(.replaced) }
    guard knownMark.withLock({ $0 != mark }) else { return }
    guard try StoreMark.isMark(mark, of: storeID, by: keyring) else { throw FactorStoreError(.replaced) }
    knownMark.withLock { $0 = mark }
  }

  func seal(_ document: some Document, under key: DocumentKey) throws(KeyringError) -> [UInt8] {
    try seal(document.document(), for: type(of: document).purpose, boundTo: binding(of: key))
  }

  private func seal(_ document: SecretBytes, for purpose: Purpose, boundTo binding: [String]) throws(KeyringError)
    -> [UInt8]
  {
    guard document.byteCount <= maximumDocumentByteCount else { throw KeyringError(.tooLong) }
    return try keyring.seal(document, for: purpose, boundTo: binding)
  }

  /// What a document is bound to: its store and its key.
  private func binding(of key: DocumentKey) throws(KeyringError) -> [String] {
    guard let text = key.text else { throw KeyringError(.malformed) }
    return [storeID, text]
  }

  /// Seals a document again if a key other than the active one has sealed it.
  ///
  /// - Returns: Whether it was sealed again.
  func reseal<D: Document>(_ key: DocumentKey, of type: D.Type) async throws -> Bool {
    try await store.change(key) { [self] stored in
      guard let (document, _, isByActiveKey) = try open(stored, of: D.self, under: key) else { return false }
      if !isByActiveKey { stored.bytes = try seal(document, under: key) }
      return !isByActiveKey
    }
  }
}

// Tokens, names and hashes.
extension Context {
  /// A value as URL-safe text, sealed for its purpose and this store.
  func token(_ value: some Sealable, for purpose: Purpose) throws(AuthError) -> String {
    try attempt(user: nil) { () throws(KeyringError) in
      try keyring.sealToken(value.encoded(), for: purpose, boundTo: [storeID])
    }
  }

  /// The value in a token.
  ///
  /// - Throws: ``AuthError`` with the given code if the token was not sealed for this purpose and store.
  func value<Value: Sealable>(
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
  func randomName(user: String?) throws(AuthError) -> String {
    try attempt(user: user) { () throws(KeyringError) in try random.hexName(byteCount: 16) }
  }

  /// A keyed hash of something that belongs to a user, for a purpose.
  func hash(_ message: [UInt8], for purpose: Purpose, boundTo binding: [String]) throws(AuthError) -> [UInt8] {
    try attempt(user: binding.first) { () throws(KeyringError) in
      try keyring.hash(message, for: purpose, boundTo: binding)
    }
  }

  /// Runs an operation of the keyring or the random source, and reports its failure.
  func attempt<R>(user: String?, _ body: () throws(KeyringError) -> R) throws(AuthError) -> R {
    do { return try body() } catch { throw failure(error, user: user) }
  }

  /// Completes an operation even if the client disconnects.
  func uninterrupted<R: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () async throws(Failure) -> R
  ) async throws(Failure) -> R {
    let task = Task {
      do throws(Failure) { return Result<R, Failure>.success(try await work()) } catch { return .failure(error) }
    }
    return try await task.value.get()
  }
}

// Errors for the client, and the events that report them.
extension Context {
  /// The error for a refusal, which is reported.
  func refused(_ refusal: Refusal, _ userID: String?) -> AuthError {
    if let event = refusal.event {
      events.record(
        event, refusal.reason, user: userID, factor: refusal.factorUID, factorID: refusal.kind?.rawValue,
        diagnosis: refusal.diagnosis)
    }
    let reason: AuthError.Reason? = refusal.event == .failed ? .cryptography : nil
    return AuthError(refusal.code, retryAfter: refusal.retryAfter, reason: reason)
  }

  /// The error for a failure of the server, which is reported.
  func failure(_ error: any Error, user: String?) -> AuthError {
    if let error = error as? AuthError { return error }
    let storeError = error as? FactorStoreError
    let reason: AuthError.Reason =
      switch error {
      case is FactorStoreError: .store
      // The request was cancelled; the store did not fail.
      case is CancellationError: .cancelled
      case let error as KeyringError:
        switch error.kind {
        case .randomnessUnavailable: .randomness
        case .cryptographyFailed: .cryptography
        default: .sealing
        }
      case let error as FactorRecordError: error.kind == .randomnessUnavailable ? .randomness : .cryptography
      // A store may have its own error for a cancelled request.
      default: Task.isCancelled ? .cancelled : .store
      }
    if let auditReason = AuditEvent.Reason(reason) {
      events.record(.failed, auditReason, user: user, storeError: storeError?.kind)
    }
    return AuthError(.internalError, reason: reason, storeError: storeError)
  }

  /// The error for a failure of the host's service that sends messages or checks their codes; or of the client's
  /// disconnecting, which cancels the service's work. It is reported.
  func messageFailure(
    _ reason: AuthError.Reason, _ auditReason: AuditEvent.Reason, _ userID: String,
    _ kind: AuditEvent.Kind = .messageRefused, factor: String? = nil
  ) -> AuthError {
    let isCancelled = Task.isCancelled
    events.record(
      kind, isCancelled ? .cancelled : auditReason, user: userID, factor: factor, factorID: PhoneMultiFactorID)
    return AuthError(.internalError, reason: isCancelled ? .cancelled : reason)
  }
}
