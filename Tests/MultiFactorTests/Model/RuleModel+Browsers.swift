@testable import MultiFactor

// Remembered browsers.
extension RuleModel {
  struct Browser {
    /// The kind in claims.
    static let kind = "remembered"
    /// How long one is remembered, in seconds.
    static let lifetime: Int64 = 3000

    let id: String
    let token: String
    /// The device that was verified in it.
    let proof: Proof
    /// What was bound to the account when it was remembered, by number.
    let bound: Set<Int>
    let generation: Generation
    var used: Int64
  }

  var nowByBrowsers: Int64 { max(clock, seen, seenByBrowsers) }

  /// Those that count.
  var liveBrowsers: [Browser] { browsers.filter(isLive) }

  private func isLive(_ browser: Browser) -> Bool {
    nowByBrowsers < browser.proof.date + Browser.lifetime && browser.generation == generation
      && isThere(browser.proof) && devices.allSatisfy { browser.bound.contains($0.number) }
  }

  /// Whether the user can have this browser remembered: a device was verified in the last five minutes.
  func refusalToRemember(_ user: inout SignIn) -> AuthError.Code? {
    if let refusal = restore(&user) { return refusal }
    return isVerifiedRecently(user) ? nil : .requiresRecentLogin
  }

  mutating func remember(_ id: String, _ token: String, by user: SignIn) {
    guard let proof = user.proof else { return }
    let used = now
    seenByBrowsers = max(clock, seenByBrowsers)
    browsers = liveBrowsers
    if browsers.count >= 10, let oldest = browsers.indices.min(by: { browsers[$0].used < browsers[$1].used }) {
      browsers.remove(at: oldest)
    }
    browsers.append(
      Browser(
        id: id, token: token,
        proof: Proof(uid: proof.uid, kind: Browser.kind, date: proof.date, bound: proof.bound), bound: bound,
        generation: generation, used: used))
  }

  /// Signs in by the first factor, from a browser.
  ///
  /// - Returns: The sign-in, and whether it is complete.
  mutating func signIn(from token: String) -> (signIn: SignIn, isComplete: Bool) {
    var signIn = signIn()
    if devices.isEmpty { return (signIn, true) }
    if !browsers.isEmpty { seenByBrowsers = max(clock, seenByBrowsers) }
    guard let index = browsers.firstIndex(where: { $0.token == token }), isLive(browsers[index]) else {
      return (signIn, false)
    }
    browsers[index].used = nowByBrowsers
    signIn.expiry = signIn.end
    signIn.proof = browsers[index].proof
    return (signIn, true)
  }

  mutating func forget(_ id: String?) {
    if !browsers.isEmpty { seenByBrowsers = max(clock, seenByBrowsers) }
    browsers.removeAll { id == nil || $0.id == id }
  }
}
