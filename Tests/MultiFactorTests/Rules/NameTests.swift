import MultiFactorOperations
import OTP
import Testing

@testable import MultiFactor

/// Names that people give to factors and accounts.
@Suite struct NameTests {
  private static let accent = "\u{301}"

  @Test(arguments: [("", nil), (String(repeating: "x", count: 257), nil), ("u1", String(repeating: "x", count: 257))])
  func `A user without a name, or with one or an address of over 256 bytes, is not signed in`(
    id: String, email: String?
  ) async throws {
    let host = try await Host()
    await expectError(.userMismatch) { try await host.signIn(Principal(id: id, email: email)) }
  }

  @Test func `A display name of up to a hundred characters is kept as it is`() async throws {
    let host = try await Host()
    let user = try await host.signIn()
    let names = ["Phone \u{1F4F1} of Zoë", "", String(repeating: "é", count: 100)]
    for name in names + [String(repeating: "x", count: 10_000)] {
      let secret = try await TOTPMultiFactorGenerator.generateSecret(with: user.multiFactor.session())
      try await user.multiFactor.enroll(with: host.assertion(secret), displayName: name)
    }
    _ = try await host.auth.admin.importFactor(.hotp(secret: .vector), for: "u1")
    let kept = try await user.multiFactor.enrolledFactors.map(\.displayName)
    #expect(kept == names + [String(repeating: "x", count: 100), nil])
    #expect(try await host.resolver().hints.map(\.displayName) == kept)
  }

  @Test(arguments: [1, 50, 100_000])
  func `One character with many accents does not get around the limit`(accents: Int) async throws {
    let host = try await Host()
    let name = "a" + String(repeating: "b" + String(repeating: NameTests.accent, count: accents), count: 30)
    try await host.auth.admin.importFactor(.hotp(secret: .vector, displayName: name), for: "u1")
    let kept = try #require(try await host.auth.admin.user("u1").factors[0].info.displayName)
    #expect(kept.utf8.count <= 1024)
    #expect(name.hasPrefix(kept) && !kept.isEmpty)
    #expect((kept == name) == (accents == 1))
  }

  private static let labels = [
    "", " ", ":", "a:b", "::::", "a:\(accent)b", "שלום עולם", "a%3Ab", "a&secret=AAAA", "a?b#c", "\u{0}\u{7F}\u{FFFF}",
    "e\(accent)", "\r\n", "+ +", String(repeating: ":", count: 10_000), String(repeating: "\u{1F600}", count: 10_000),
    "x" + String(repeating: accent, count: 10_000), String(repeating: " ", count: 10_000) + "x",
  ]

  @Test(arguments: labels) func `A key URI with any names parses back with its secret`(label: String) async throws {
    let host = try await Host()
    let session = try await host.signIn().multiFactor.session()
    let totp = try await TOTPMultiFactorGenerator.generateSecret(with: session)
    let hotp = try await HOTPMultiFactorGenerator.generateSecret(with: session)
    for other in [label, "", "Example", String(repeating: "\u{1F600}", count: 500)] {
      for (account, issuer) in [(label, other), (other, label)] {
        let uri = try OTPAuthURI(totp.generateQRCodeURL(withAccountName: account, issuer: issuer))
        #expect(uri.secret.base32String() == totp.sharedSecretKey() && uri.kind == .totp(period: 30))
        #expect(uri.additionalParameters.isEmpty && uri.issuerParameter == uri.labelIssuer && !uri.account.isEmpty)
        let counter = try OTPAuthURI(hotp.generateQRCodeURL(withAccountName: account, issuer: issuer))
        #expect(counter.secret.base32String() == hotp.sharedSecretKey() && counter.kind == .hotp(counter: 0))
      }
    }
  }

  private static let accounts = [
    ("a:b", "a-b"), ("", "account"), ("  x", "x"), ("שלום", "שלום"), ("a%3Ab", "a%3Ab"),
    (String(repeating: "x", count: 1000), String(repeating: "x", count: 1000)),
  ]

  @Test(arguments: accounts)
  func `A name in a key URI is changed only if the format cannot represent it`(account: String, expected: String)
    async throws
  {
    let host = try await Host()
    let secret = try await TOTPMultiFactorGenerator.generateSecret(with: host.signIn().multiFactor.session())
    #expect(
      try OTPAuthURI(secret.generateQRCodeURL(withAccountName: account, issuer: "I:J")).account == expected)
    #expect(try OTPAuthURI(secret.generateQRCodeURL(withAccountName: account, issuer: "I:J")).issuer == "I-J")
    #expect(try OTPAuthURI(secret.generateQRCodeURL(withAccountName: account, issuer: "")).issuer == nil)
  }

  @Test func `A new secret has every parameter that an app needs`() async throws {
    let host = try await Host()
    let secret = try await TOTPMultiFactorGenerator.generateSecret(with: host.signIn().multiFactor.session())
    #expect(secret.codeLength == 6)
    #expect(secret.codeIntervalSeconds == 30)
    #expect(secret.hashingAlgorithm == "SHA1")
    #expect(try OTPSecret(base32: secret.sharedSecretKey()).byteCount == 20)
  }
}
