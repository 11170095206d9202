import Foundation
import Keyring
import MultiFactor
import OTP

// The SDK's style of names; this project's convention would start it in lower case.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The second factor in the claims of a sign-in from a remembered browser.
public let RememberedBrowserMultiFactorID = "remembered"

/// Remembers browsers: for a time after a second factor was verified in one, its sign-ins need only the first factor.
///
/// Nothing is remembered, or counts, unless the host calls this. A user can have ten browsers; one more ends the least
/// recently used one. It is no factor, and no resolver offers it.
public struct RememberedBrowsers: Sendable {
  /// The longest time that a browser can be remembered: 90 days.
  public static let maximumLifetime = Duration.seconds(90 * 86_400)
  /// How many browsers of a user are remembered.
  public static let maximumCount = 10

  private let auth: MultiFactorAuth
  private let lifetime: TimeInterval
  private var context: Context { auth.context }

  /// - Parameters:
  ///   - auth: Where the users sign in.
  ///   - lifetime: How long a browser is remembered after the verification: more than 0, and at most
  ///     ``maximumLifetime``; 30 days by default. All processes need the same one: to one with a shorter lifetime, the
  ///     browsers of a longer one have ended.
  /// - Throws: `ConfigurationError` if it is out of range.
  public init(auth: MultiFactorAuth, lifetime: Duration = .seconds(30 * 86_400)) throws(ConfigurationError) {
    guard lifetime > .zero, lifetime <= Self.maximumLifetime else { throw .outOfRange("lifetime") }
    self.auth = auth
    self.lifetime = lifetime.timeInterval
  }

  /// Begins the sign-in of a user whose first factor the host has verified, in a browser that may be remembered: then
  /// no second factor is needed, and the claims say ``RememberedBrowserMultiFactorID``.
  ///
  /// They name the factor that was verified when the browser was remembered, and when that was. It counts for this
  /// sign-in only: `User.requireSecondFactor(within:)`, and whatever needs a verified factor, still asks for one.
  ///
  /// If the token is another user's, was changed, has ended or was revoked, the second factor is required, and the
  /// client learns nothing more; an audit event says why.
  ///
  /// - Parameters:
  ///   - principal: The user, as known to the host.
  ///   - firstFactor: How the host has just verified the user: the first factor.
  ///   - payload: As in `MultiFactorAuth.beginSignIn(_:firstFactor:payload:)`.
  ///   - token: What ``remember(for:name:address:replacing:)`` returned, as the browser has kept it; `nil` if it has
  ///     nothing.
  ///   - address: Where the browser is, for the user's list: an IP address, or a place.
  /// - Throws: As `MultiFactorAuth.beginSignIn(_:firstFactor:payload:)`.
  public func beginSignIn(
    _ principal: Principal, firstFactor: FirstFactor, payload: [UInt8] = [], token: String?, address: String? = nil
  ) async throws -> BegunSignIn {
    try await auth.beginSignIn(principal, firstFactor: firstFactor, payload: payload) { account in
      guard let token, let id = try browserID(in: token, of: principal.id) else { return nil }
      let (owner, address) = (owner(account), address.map(Factor.keptName))
      let used = try await change(of: principal.id) { browsers in browsers.use(id, of: owner, from: address) }
      switch used {
      case .success(let browser): return browser.proof
      case .failure(let refused):
        refuse(refused.reason, principal.id)
        return nil
      }
    }
  }

  /// Remembers the browser in which a user has just verified a second factor.
  ///
  /// It ends by itself after the lifetime, when it is forgotten, when the user's handles are revoked, when the factor
  /// that was verified is removed, and when another one is enrolled.
  ///
  /// - Parameters:
  ///   - user: The user.
  ///   - name: What to call it in the user's list, such as `Firefox on Linux`; like the address, at most 100 characters
  ///     and 1,024 bytes are kept.
  ///   - address: Where it is.
  ///   - token: What this browser has kept until now, if it has anything: its entry in the list is replaced.
  /// - Returns: A token for the browser to keep, in a cookie that is `Secure` and `HttpOnly`. With it, only the user's
  ///   first factor is needed.
  /// - Throws: `AuthError` with code `requiresRecentLogin` if no factor was verified recently, for which neither a
  ///   recovery code nor a remembered browser counts; `userTokenExpired`; `internalError`.
  public func remember(
    for user: User, name: String? = nil, address: String? = nil, replacing token: String? = nil
  ) async throws -> String {
    let (account, now) = try await user.account()
    let signIn = user.signIn
    try context.reporting(user.uid) {
      try account.checkHasVerifiedRecently(signIn, at: now, under: context.configuration)
    }
    guard case .factor(let factorUID, _, let binding, let date)? = signIn.proof else {
      throw AuthError(.requiresRecentLogin)
    }
    let browser = BrowserDocument.Browser(
      id: try context.randomName(user: user.uid), factorUID: factorUID, binding: binding, verificationDate: date,
      bindingCount: account.bindingCount, generation: signIn.generation, expiry: date + lifetime,
      name: name.map(Factor.keptName), address: address.map(Factor.keptName), lastUse: now)
    let old = try token.flatMap { token throws(AuthError) in try browserID(in: token, of: user.uid) }
    let owner = owner(account)
    try await change(of: user.uid) { $0.remember(browser, replacing: old, of: owner) }
    context.events.record(
      .browserRemembered, user: user.uid, factor: factorUID, factorID: RememberedBrowserMultiFactorID)
    return try context.token(BrowserToken(userID: user.uid, id: browser.id), for: .browserToken)
  }

  /// A user's remembered browsers, the earliest first.
  ///
  /// - Throws: `AuthError` with code `userTokenExpired` or `internalError`.
  public func list(of user: User) async throws -> [RememberedBrowser] {
    let (account, _) = try await user.account()
    return try await list(of: user.uid, account)
  }

  /// The same for an administrator, of a user by the host's ID, whatever the lifetime.
  ///
  /// - Throws: `AuthError` with code `userMismatch` or `internalError`.
  public func list(ofUserID userID: String) async throws -> [RememberedBrowser] {
    try check(userID)
    return try await list(
      of: userID, try await context.account(of: userID), lifetime: Self.maximumLifetime.timeInterval)
  }

  /// Forgets a browser: its next sign-in needs a second factor. A user who is signed in there stays signed in until the
  /// host no longer reloads the handle, or it is revoked. A browser that is not there is not an error.
  ///
  /// - Parameters:
  ///   - id: ``RememberedBrowser/id``, or `nil` for all browsers.
  ///   - user: The user.
  /// - Throws: `AuthError` with code `userTokenExpired` or `internalError`.
  public func forget(_ id: String?, of user: User) async throws {
    _ = try await user.account()
    try await forget(id, ofUserID: user.uid)
  }

  /// The same for an administrator, of a user by the host's ID.
  ///
  /// - Throws: `AuthError` with code `userMismatch` or `internalError`.
  public func forget(_ id: String?, ofUserID userID: String) async throws {
    try check(userID)
    let isForgotten = try await change(of: userID) { browsers in browsers.forget(id) }
    if isForgotten {
      context.events.record(.browserForgotten, user: userID, factorID: RememberedBrowserMultiFactorID)
    }
  }
}

extension RememberedBrowsers {
  private func check(_ userID: String) throws(AuthError) {
    guard Principal(id: userID).isWellFormed else { throw AuthError(.userMismatch) }
  }

  private func owner(_ account: Account, lifetime: TimeInterval? = nil) -> BrowserOwner {
    BrowserOwner(
      account: account, configuration: context.configuration,
      latestEnd: context.events.now().addingTimeInterval((lifetime ?? self.lifetime) + Account.maximumClockDifference))
  }

  /// The browser of a token; `nil`, and reported, if it is not this user's.
  private func browserID(in token: String, of userID: String) throws(AuthError) -> String? {
    let browser: BrowserToken
    do {
      browser = try context.value(of: token, for: .browserToken, otherwise: .invalidUserToken)
    } catch {
      guard error.code == .invalidUserToken else { throw error }
      refuse(.invalid, userID)
      return nil
    }
    guard browser.userID.hasBytes(of: userID) else {
      refuse(.mismatch, userID)
      return nil
    }
    return browser.id
  }

  private func refuse(_ reason: AuditEvent.Reason, _ userID: String) {
    context.events.record(.tokenRefused, reason, user: userID, factorID: RememberedBrowserMultiFactorID)
  }

  /// Changes a user's remembered browsers, by a rule.
  private func change<R: Sendable>(
    of userID: String, _ rule: @escaping @Sendable (inout BrowserDocument) -> R
  ) async throws(AuthError) -> R {
    let (time, store) = (context.events.now(), context.documents.store)
    return try await context.change(.remembered, of: userID) { (browsers: inout BrowserDocument) throws(Refusal) in
      let before = browsers
      browsers.advance(to: time, lossDate: store.lossDate)
      defer { if before.browsers.isEmpty, browsers.browsers.isEmpty { browsers = before } }
      return rule(&browsers)
    }
  }

  private func list(
    of userID: String, _ account: Account, lifetime: TimeInterval? = nil
  ) async throws -> [RememberedBrowser] {
    var document: BrowserDocument
    do { document = try await context.documents.read(.external(.remembered, userID)) } catch {
      throw context.events.error(for: error, userID)
    }
    document.advance(to: context.events.now(), lossDate: context.documents.store.lossDate)
    let (owner, time) = (owner(account, lifetime: lifetime), document.latestTime)
    return document.browsers.filter { owner.refusal(of: $0, at: time) == nil }.map {
      RememberedBrowser(
        id: $0.id, name: $0.name, address: $0.address, verificationDate: $0.verificationDate, lastUseDate: $0.lastUse,
        expirationDate: $0.expiry)
    }
  }
}

/// A browser in which a user's second factor was verified, and which is remembered. Its description shows nothing.
public struct RememberedBrowser: Sendable, Hashable {
  /// Its name, to forget it by: 32 hexadecimal digits.
  public let id: String
  /// What the host calls it, such as `Firefox on Linux`.
  public let name: String?
  /// Where it was used last, according to the host: an IP address, or a place.
  public let address: String?
  /// When the second factor was verified in it.
  public let verificationDate: Date
  /// When it signed in last, or was remembered.
  public let lastUseDate: Date
  /// When it is no longer remembered.
  public let expirationDate: Date
}

extension RememberedBrowser: Redacted {}
