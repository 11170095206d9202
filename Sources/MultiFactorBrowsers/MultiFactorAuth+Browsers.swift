import Foundation
import Keyring
import MultiFactor

extension MultiFactorAuth {
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
  ///   - payload: As in `beginSignIn(_:firstFactor:payload:)`.
  ///   - browserToken: What
  ///     ``MultiFactor/MultiFactorUser/rememberBrowser(name:address:replacing:)`` returned, as the browser has kept it;
  ///     `nil` if it has nothing.
  ///   - address: Where the browser is, for the user's list: an IP address, or a place.
  /// - Throws: As `beginSignIn(_:firstFactor:payload:)`.
  public func beginSignIn(
    _ principal: Principal, firstFactor: FirstFactor, payload: [UInt8] = [], browserToken: String?,
    address: String? = nil
  ) async throws -> BegunSignIn {
    try await beginSignIn(principal, firstFactor: firstFactor, payload: payload) { account in
      guard context.rememberedBrowsers != nil, let browserToken,
        let id = try context.browserID(in: browserToken, of: principal.id)
      else { return nil }
      let (owner, address) = (context.owner(account), address.map(Factor.keptName))
      let used = try await context.changeBrowsers(of: principal.id) { browsers in
        browsers.use(id, of: owner, from: address)
      }
      switch used {
      case .success(let browser): return browser.proof
      case .failure(let refused):
        context.refuseBrowser(refused.reason, principal.id)
        return nil
      }
    }
  }
}

extension MultiFactorUser {
  /// Remembers the browser in which the user has just verified a second factor.
  ///
  /// It ends by itself after the lifetime that the host has configured, when it is forgotten, when the user's handles
  /// are revoked, when the factor that was verified is removed, and when another one is enrolled.
  ///
  /// - Parameters:
  ///   - name: What to call it in the user's list, such as `Firefox on Linux`; like the address, at most 100 characters
  ///     and 1,024 bytes are kept.
  ///   - address: Where it is.
  ///   - token: What this browser has kept until now, if it has anything: its entry in the list is replaced.
  /// - Returns: A token for the browser to keep, in a cookie that is `Secure` and `HttpOnly`. With it, only the user's
  ///   first factor is needed.
  /// - Throws: `AuthError` with code `operationNotAllowed` if browsers are not remembered; `requiresRecentLogin` if no
  ///   factor was verified recently, for which neither a recovery code nor a remembered browser counts;
  ///   `userTokenExpired`; `internalError`.
  public func rememberBrowser(
    name: String? = nil, address: String? = nil, replacing token: String? = nil
  ) async throws -> String {
    guard let browsers = context.rememberedBrowsers else { throw context.refused(.disabled(.remembered), user.uid) }
    let (account, now) = try await user.account()
    let signIn = user.signIn
    do {
      try account.checkHasVerifiedRecently(signIn, at: now, under: context.configuration)
    } catch {
      throw context.refused(error, user.uid)
    }
    guard case .factor(let factorUID, _, let binding, let date)? = signIn.proof else {
      throw AuthError(.requiresRecentLogin)
    }
    let browser = BrowserDocument.Browser(
      id: try context.randomName(user: user.uid), factorUID: factorUID, binding: binding, verificationDate: date,
      bindingCount: account.bindingCount, generation: signIn.generation, expiry: date + browsers.lifetime,
      name: name.map(Factor.keptName), address: address.map(Factor.keptName), lastUse: now)
    let old = try token.flatMap { token throws(AuthError) in try context.browserID(in: token, of: user.uid) }
    let owner = context.owner(account)
    try await context.changeBrowsers(of: user.uid) { $0.remember(browser, replacing: old, of: owner) }
    context.record(
      .browserRemembered, user: user.uid, factor: factorUID, factorID: RememberedBrowserMultiFactorID)
    return try context.token(BrowserToken(userID: user.uid, id: browser.id), for: .browserToken)
  }

  /// The remembered browsers, the earliest first.
  ///
  /// - Throws: `AuthError` with code `userTokenExpired` or `internalError`.
  public var rememberedBrowsers: [RememberedBrowser] {
    get async throws {
      let (account, _) = try await user.account()
      return try await context.browsers(of: user.uid, account)
    }
  }

  /// Forgets a browser: its next sign-in needs a second factor. A user who is signed in there stays signed in until the
  /// host no longer reloads the handle, or it is revoked. A browser that is not there is not an error.
  ///
  /// - Parameter id: ``RememberedBrowser/id``, or `nil` for all browsers.
  /// - Throws: `AuthError` with code `userTokenExpired` or `internalError`.
  public func forgetBrowser(_ id: String?) async throws {
    _ = try await user.account()
    try await context.forgetBrowser(id, of: user.uid)
  }
}

extension MultiFactorAdmin {
  /// A user's remembered browsers, the earliest first.
  ///
  /// - Throws: `AuthError` with code `userMismatch` or `internalError`.
  public func rememberedBrowsers(of userID: String) async throws -> [RememberedBrowser] {
    try check(userID)
    let account = try await context.account(of: userID)
    return try await context.browsers(of: userID, account)
  }

  /// Forgets a browser, as its user could; `nil` for all browsers.
  ///
  /// - Throws: `AuthError` with code `userMismatch` or `internalError`.
  public func forgetBrowser(_ id: String?, of userID: String) async throws {
    try check(userID)
    try await context.forgetBrowser(id, of: userID)
  }
}

extension Context {
  /// What remembers browsers, if the configuration has it enabled.
  fileprivate var rememberedBrowsers: RememberedBrowsers? {
    configuration.settings(of: .remembered) == nil ? nil : externalFactor(.remembered) as? RememberedBrowsers
  }

  fileprivate func owner(_ account: Account) -> BrowserOwner {
    let lifetime = rememberedBrowsers?.lifetime ?? RememberedBrowsers.maximumLifetime.timeInterval
    return BrowserOwner(
      account: account, configuration: configuration,
      latestEnd: now().addingTimeInterval(lifetime + Account.maximumClockDifference))
  }

  /// The browser of a token; `nil`, and reported, if it is not this user's.
  fileprivate func browserID(in token: String, of userID: String) throws(AuthError) -> String? {
    let browser: BrowserToken
    do {
      browser = try value(of: token, for: .browserToken, otherwise: .invalidUserToken)
    } catch {
      guard error.code == .invalidUserToken else { throw error }
      refuseBrowser(.invalid, userID)
      return nil
    }
    guard browser.userID.hasBytes(of: userID) else {
      refuseBrowser(.mismatch, userID)
      return nil
    }
    return browser.id
  }

  fileprivate func refuseBrowser(_ reason: AuditEvent.Reason, _ userID: String) {
    record(.tokenRefused, reason, user: userID, factorID: RememberedBrowserMultiFactorID)
  }

  /// Changes a user's remembered browsers, by a rule.
  fileprivate func changeBrowsers<R: Sendable>(
    of userID: String, _ rule: @escaping @Sendable (inout BrowserDocument) -> R
  ) async throws(AuthError) -> R {
    let time = now()
    return try await change(.remembered, of: userID) { [store] (browsers: inout BrowserDocument) throws(Refusal) in
      let before = browsers
      browsers.advance(to: time, lossDate: store.lossDate)
      defer { if before.browsers.isEmpty, browsers.browsers.isEmpty { browsers = before } }
      return rule(&browsers)
    }
  }

  fileprivate func browsers(of userID: String, _ account: Account) async throws -> [RememberedBrowser] {
    var document: BrowserDocument = try await document(.external(.remembered, userID), user: userID)
    document.advance(to: now(), lossDate: store.lossDate)
    let (owner, time) = (owner(account), document.latestTime)
    return document.browsers.filter { owner.refusal(of: $0, at: time) == nil }.map {
      RememberedBrowser(
        id: $0.id, name: $0.name, address: $0.address, verificationDate: $0.verificationDate, lastUseDate: $0.lastUse,
        expirationDate: $0.expiry)
    }
  }

  fileprivate func forgetBrowser(_ id: String?, of userID: String) async throws {
    let isForgotten = try await changeBrowsers(of: userID) { browsers in browsers.forget(id) }
    if isForgotten { record(.browserForgotten, user: userID, factorID: RememberedBrowserMultiFactorID) }
  }
}
