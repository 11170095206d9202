import Foundation
import MultiFactor
import MultiFactorFirebase
import MultiFactorPhone
import Testing

/// A handle's claims, and how they are renewed.
@Suite struct ClaimsTests {
  @Test func `Enrollment renews the handle in place, and leaves earlier tokens as they were`() async throws {
    let host = try await Host()
    let user = try await host.signIn()
    let before = try user.token()
    host.clock.advance(by: 60)
    let secret = try await TOTPMultiFactorGenerator.generateSecret(with: user.multiFactor.session())
    let result = try await user.multiFactor.enroll(with: host.assertion(secret), displayName: "App")
    #expect(result.user === user)
    let factor = try #require(result.enrolledFactor as? TOTPMultiFactorInfo)
    #expect(
      factor.uid == user.claims.secondFactorIdentifier && factor.displayName == "App"
        && factor.enrollmentDate == host.clock.now)
    #expect(user.claims.secondFactor == TOTPMultiFactorID)
    #expect(user.claims.secondFactorIdentifier == (try await user.multiFactor.enrolledFactors[0].uid))
    #expect(user.claims.secondFactorDate == host.clock.now)
    #expect(user.claims.authenticationDate == host.clock.now.addingTimeInterval(-60))
    #expect(try await host.auth.user(from: user.token()).claims == user.claims)
    #expect(try await host.auth.user(from: before).claims.secondFactor == nil)

    // A further enrollment verifies the new factor.
    let (_, phone) = try await host.enrollPhone(as: user)
    #expect(user.claims.secondFactor == PhoneMultiFactorID)
    #expect(user.claims.secondFactorIdentifier == phone)
  }

  @Test func `Claims in JSON have an ID token's names, and times in whole seconds`() async throws {
    let host = try await Host()
    host.clock.now = Date(timeIntervalSince1970: 1_700_000_000.75)
    let (user, _, uid) = try await host.enrollTOTP()
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let json = String(decoding: try encoder.encode(user.claims), as: UTF8.self)
    #expect(
      json == """
        {"auth_time":1700000000,"email":"alice@example.com","email_verified":true,\
        "firebase":{"second_factor_identifier":"\(uid)","sign_in_provider":"password",\
        "sign_in_second_factor":"totp"},\
        "second_factor_identifier":"\(uid)","second_factor_time":1700000000,"sign_in_provider":"password",\
        "sign_in_second_factor":"totp","sub":"u1"}
        """)
    let bare = try await host.signIn(Principal(id: "u9"))
    let bareJSON = String(decoding: try encoder.encode(bare.claims), as: UTF8.self)
    #expect(
      bareJSON == #"{"auth_time":1700000000,"email_verified":false,"firebase":{"sign_in_provider":"password"},"#
        + #""sign_in_provider":"password","sub":"u9"}"#)
    #expect(try JSONDecoder().decode(UserClaims.self, from: Data(bareJSON.utf8)) == bare.claims.inWholeSeconds())
    #expect(try JSONDecoder().decode(UserClaims.self, from: Data(json.utf8)) == user.claims.inWholeSeconds())
  }

  @Test func `Claims are read from an ID token's JSON, and from flat JSON`() throws {
    let token = #"""
      {"iss":"https://securetoken.google.com/p","aud":"p","auth_time":1700000000,"user_id":"u1","sub":"u1",
       "iat":1700000000,"exp":1700003600,"email":"a@example.com","email_verified":true,
       "firebase":{"identities":{"email":["a@example.com"]},"sign_in_provider":"password",
        "sign_in_second_factor":"totp","second_factor_identifier":"f1"}}
      """#
    let claims = try JSONDecoder().decode(UserClaims.self, from: Data(token.utf8))
    #expect([claims.signInProvider, claims.secondFactor, claims.secondFactorIdentifier] == ["password", "totp", "f1"])
    // Names outside `firebase` do not add to it.
    let mixed = #"{"auth_time":1,"sub":"u","sign_in_second_factor":"totp","firebase":{"sign_in_provider":"password"}}"#
    #expect(try JSONDecoder().decode(UserClaims.self, from: Data(mixed.utf8)).secondFactor == nil)
    let flat = #"{"auth_time":1,"sub":"u","sign_in_second_factor":"totp","sign_in_provider":"password"}"#
    #expect(try JSONDecoder().decode(UserClaims.self, from: Data(flat.utf8)).secondFactor == "totp")
  }

  @Test(arguments: ["9223372036854775807", "-9223372036854775808", "0"])
  func `Claims with any time that JSON can hold can be written`(time: String) throws {
    let json = #"{"auth_time":\#(time),"email_verified":false,"sign_in_provider":"password","sub":"u9"}"#
    let claims = try JSONDecoder().decode(UserClaims.self, from: Data(json.utf8))
    let written = try JSONEncoder().encode(claims)
    #expect(try JSONDecoder().decode(UserClaims.self, from: written) == claims)
  }

  @Test func `A reload takes the user's current details from the host, such as an address verified since the sign-in`()
    async throws
  {
    let host = try await Host()
    let user = try await host.signIn(Principal(id: "u1", email: "old@example.com"))
    await expectError(.unverifiedEmail) { try await user.multiFactor.session() }
    try await user.reload(with: Principal(id: "u1", email: "new@example.com", isEmailVerified: true))
    #expect(user.email == "new@example.com" && user.isEmailVerified)
    #expect(user.claims.email == "new@example.com" && user.claims.isEmailVerified)
    _ = try await host.enrollTOTP(as: user)
    #expect(try await host.auth.user(from: user.token()).isEmailVerified)
  }

  @Test(arguments: ["u2", "U1", "", "u1\u{0}", String(repeating: "u", count: 1_000_000)])
  func `A reload cannot change a handle's user`(id: String) async throws {
    let log = RecordingLog()
    let host = try await Host(log: log.append)
    let user = try await host.signIn()
    await expectError(.userMismatch) { try await user.reload(with: Principal(id: id)) }
    #expect(log.last == "token_refused mismatch")
    let long = Principal(id: "u1", email: String(repeating: "e", count: 257))
    await expectError(.userMismatch) { try await user.reload(with: long) }
    #expect(user.uid == "u1" && user.email == Host.alice.email)
  }

  @Test func `A handle that would now need a second factor is not extended`() async throws {
    let host = try await Host()
    let early = try await host.signIn()
    _ = try await host.enrollTOTP()
    host.clock.advance(by: 3599)
    try await early.reload()
    host.clock.advance(by: 1)
    await expectError(.userTokenExpired) { try await early.reload() }
  }
}

extension UserClaims {
  /// Some of the claims' JSON.
  fileprivate func inWholeSeconds() throws -> UserClaims {
    try JSONDecoder().decode(UserClaims.self, from: JSONEncoder().encode(self))
  }
}
