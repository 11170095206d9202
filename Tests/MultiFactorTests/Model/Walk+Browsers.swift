import MultiFactorBrowsers
import MultiFactorOperations
import Testing

@testable import MultiFactor

// Operations of users in browsers that are remembered, or were.
extension Walk {
  mutating func rememberBrowser() async throws {
    guard let index = pickUser() else { return }
    let user = users[index].real
    let before = try await host.browsers.list(ofUserID: Host.alice.id).map(\.id)
    var token: String?
    let refusal = await errorCode { token = try await host.browsers.remember(for: user) }
    try expect(refusal, model.refusalToRemember(&users[index].model), "remember")
    guard let token else { return }
    let after = try await host.browsers.list(ofUserID: Host.alice.id).map(\.id)
    // One whose time was up when it was added is not listed.
    model.remember(after.first { !before.contains($0) } ?? "", token, by: users[index].model)
    browserTokens.append(token)
  }

  /// Signs in from a browser of the user's, mostly one of the last; sometimes another user does.
  mutating func signInFromBrowser() async throws {
    guard !browserTokens.isEmpty else { return }
    let token = random.pick(random.next() % 4 == 0 ? browserTokens : Array(browserTokens.suffix(3)))
    if random.next() % 8 == 0 { return try await signInFromBrowserAsAnother(token) }
    let (expected, isComplete) = model.signIn(from: token)
    let name = model.devices.isEmpty ? "sign in without a factor" : "sign in from a browser"
    switch try await host.browsers.beginSignIn(Host.alice, firstFactor: .password, token: token) {
    case .signedIn(let result):
      try expect(nil, isComplete ? nil : .secondFactorRequired, name)
      users.append((result.user, expected))
    case .secondFactorRequired(let resolver):
      try expect(.secondFactorRequired, isComplete ? nil : .secondFactorRequired, name)
      resolvers.append((resolver, expected))
    }
  }

  private mutating func signInFromBrowserAsAnother(_ token: String) async throws {
    if try await host.account(Host.bob.id).factors.isEmpty {
      try await host.auth.admin.importFactor(.totp(secret: .vector), for: Host.bob.id)
    }
    var isComplete = false
    if case .signedIn = try await host.browsers.beginSignIn(Host.bob, firstFactor: .password, token: token) {
      isComplete = true
    }
    try expect(isComplete ? nil : .secondFactorRequired, .secondFactorRequired, "sign in as another")
  }

  func compareBrowsers(_ index: Int) async throws {
    let listed = try await host.browsers.list(ofUserID: Host.alice.id).map(\.id)
    guard listed == model.liveBrowsers.map(\.id) else {
      throw Difference(description: "after operation \(index) the list has \(listed), not \(model.liveBrowsers)")
    }
  }

  mutating func forgetBrowser() async throws {
    let id = random.next() % 8 == 0 ? nil : model.browsers.randomElement(using: &random)?.id
    if random.next() % 2 == 0 {
      // Sometimes on a machine whose clock is ahead.
      let ahead: Int64 = random.pick([0, 0, RuleModel.Browser.lifetime])
      advance(by: ahead)
      defer { advance(by: -ahead) }
      try await host.browsers.forget(id, ofUserID: Host.alice.id)
      return model.forget(id)
    } else {
      guard let index = pickUser() else { return }
      let user = users[index].real
      let refusal = await errorCode { try await host.browsers.forget(id, of: user) }
      try expect(refusal, model.restore(&users[index].model), "forget")
      guard refusal == nil else { return }
    }
    model.forget(id)
  }
}
