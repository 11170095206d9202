import Foundation
import MultiFactorOperations
import Testing

@testable import MultiFactor
@testable import MultiFactorBrowsers

/// The list of a user's remembered browsers: what it says, how long it is, and what takes whose place.
@Suite struct BrowserListTests {
  @Test func `A copied token works in both browsers at once, and the list says where it was used last`() async throws {
    let host = try await Host.remembering()
    let (user, _, _) = try await host.enrollTOTP()
    let start = host.clock.now
    let token = try await host.browsers.remember(for: user, name: "Firefox on Linux", address: "192.0.2.1")
    host.clock.advance(by: 60)
    let signedIn = try await withThrowingTaskGroup(of: Bool.self) { group in
      for index in 0..<20 {
        let address = index.isMultiple(of: 2) ? "192.0.2.1" : "198.51.100.7"
        group.addTask { try await host.signIn(from: token, at: address) != nil }
      }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(signedIn == 20)
    host.clock.advance(by: 60)
    _ = try await host.signIn(from: token, at: "203.0.113.9")
    let listed = try #require(try await host.browsers.list(of: user).first)
    #expect(listed.name == "Firefox on Linux" && listed.address == "203.0.113.9")
    #expect(listed.verificationDate == start && listed.lastUseDate == start + 120)
    #expect(listed.expirationDate == start + 86_400 && "\(listed)" == "RememberedBrowser(redacted)")
    _ = try await host.signIn(from: token)
    #expect(try await host.browsers.list(of: user).map(\.address) == ["203.0.113.9"])
  }

  @Test func `Ten browsers are remembered, and an eleventh replaces the least recently used one`() async throws {
    let host = try await Host.remembering()
    let (user, _, _) = try await host.enrollTOTP()
    var tokens: [String] = []
    for index in 0..<10 {
      host.clock.advance(by: 1)
      // As long as a name can be: the document stays small enough.
      let long = String(repeating: "🧑‍🧑‍🧒‍🧒", count: 200)
      tokens.append(try await host.browsers.remember(for: user, name: "\(index)" + long, address: long))
    }
    host.clock.advance(by: 1)
    #expect(try await host.signIn(from: tokens[0]) != nil)
    host.clock.advance(by: 1)
    tokens.append(try await host.browsers.remember(for: user, name: "10"))
    #expect(try await host.browsers.list(of: user).compactMap(\.name?.first) == Array("0234567891"))
    for (index, token) in tokens.enumerated() { #expect(try await (host.signIn(from: token) == nil) == (index == 1)) }
  }

  @Test func `Remembering the same browser again keeps one entry, and expired entries make room`()
    async throws
  {
    let host = try await Host.remembering()
    let (user, key, uid) = try await host.enrollTOTP()
    let other = try await host.browsers.remember(for: user, name: "other")
    var token = try await host.browsers.remember(for: user)
    for _ in 0..<12 { token = try await host.browsers.remember(for: user, replacing: token) }
    #expect(try await host.browsers.list(of: user).count == 2)
    for token in [token, other] { #expect(try await host.signIn(from: token) != nil) }
    // Another's token replaces nothing.
    let (bob, _, _) = try await host.enrollTOTP(Host.bob)
    _ = try await host.browsers.remember(for: bob, replacing: token)
    #expect(try await host.signIn(from: token) != nil)
    // All end with a revocation, and none of them is evicted for, or kept.
    try await host.auth.admin.revokeTokens(of: "u1")
    host.clock.advance(by: 30)
    let again = try await host.resolve(uid, code: host.code(of: key)).user
    _ = try await host.browsers.remember(for: again, name: "new")
    let document: BrowserDocument = try await host.auth.context.documents.read(.external(.remembered, "u1"))
    #expect(document.browsers.map(\.name) == ["new"])
  }

  @Test func `A browser remembered by a clock far ahead, or for longer than is configured, does not count`()
    async throws
  {
    let host = try await Host.remembering()
    host.clock.advance(by: 31_536_000)
    let (user, _, _) = try await host.enrollTOTP()
    let token = try await host.browsers.remember(for: user)
    #expect(try await host.signIn(from: token) != nil)
    host.clock.advance(by: -31_536_000)
    #expect(try await host.signIn(from: token) == nil)
    let long = try await Host.remembering(lifetime: RememberedBrowsers.maximumLifetime)
    let (bob, _, _) = try await long.enrollTOTP(Host.bob)
    let old = try await long.browsers.remember(for: bob)
    let short = try await Host(store: long.store, keyring: long.keyring)
    #expect(try await short.signIn(from: old, Host.bob) == nil)
    #expect(try await long.signIn(from: old, Host.bob) != nil)
    // An administrator's tool sees it, whatever its own lifetime.
    #expect(try await short.browsers.list(of: bob) == [])
    #expect(try await short.browsers.list(ofUserID: Host.bob.id).count == 1)
  }

  @Test func `A browser is not trusted while its factor's kind is disabled, nor for a factor that replaces its own`()
    async throws
  {
    let host = try await Host.remembering()
    let (user, _, _) = try await host.enrollTOTP()
    let (_, phone) = try await host.enrollPhone(as: user)
    let (_, _, app) = try await host.enrollTOTP(as: user)
    let token = try await host.browsers.remember(for: user)
    let off = try await Host(
      store: host.store, keyring: host.keyring,
      configuration: MultiFactorConfiguration(
        providerConfigs: [.totp(state: .disabled), .phone()]))
    #expect(try await off.signIn(from: token) == nil)
    #expect(try await host.signIn(from: token) != nil)
    host.clock.advance(by: 60)
    try await host.auth.admin.removeFactor(phone, of: "u1")
    #expect(try await host.signIn(from: token)?.claims.secondFactorIdentifier == app)
    let date = host.clock.now - 3600
    try await host.auth.admin.importFactor(
      .totp(secret: .vector, displayName: nil, uid: phone, enrollmentDate: date), for: "u1")
    #expect(try await host.signIn(from: token) == nil)
  }
}
