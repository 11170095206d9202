import Foundation
import MultiFactorOperations
import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

/// What a sent code belongs to, and until when. (That it is valid once, for five tries and one purpose, is in `Model`.)
@Suite struct ChallengeTests {
  @Test func `A verification ID is valid only for its user, unchanged, and on this server`() async throws {
    let (host, _, uid) = try await Host.withPhone()
    let (resolver, id) = try await host.challenge(uid)
    let code = host.sender.lastCode
    _ = try await host.enrollPhone("+15105550000", Host.bob)
    let bobs = try await host.resolver(Host.bob)
    await expectError(.invalidVerificationID) { try await host.answer(id, code, bobs) }
    for index in id.indices {
      let changed = id.replacingCharacters(in: index...index, with: id[index] == "A" ? "B" : "A")
      await expectError(.invalidVerificationID) { try await host.answer(changed, code, resolver) }
    }
    await expectError(.invalidVerificationID) { try await host.answer(String(id.dropLast()), code, resolver) }
    await expectError(.missingVerificationID) { try await host.answer("", code, resolver) }
    await expectError(.invalidVerificationID) { try await host.answer(resolver.token(), code, resolver) }
    let elsewhere = try await Host()
    let (_, otherUID) = try await elsewhere.enrollPhone()
    let (_, otherID) = try await elsewhere.challenge(otherUID)
    await expectError(.invalidVerificationID) { try await host.answer(otherID, code, resolver) }

    await expectError(.missingVerificationCode) { try await host.answer(id, "", resolver) }
    for text in ["12345", "1234567", "abcdef", "123456\0"] {
      await expectError(.invalidVerificationCode) { try await host.answer(id, text, resolver) }
    }
    // None of these used up a try.
    _ = try await host.answer(id, code, resolver)
  }

  @Test func `A message sent during an overwrite is void`() async throws {
    let host = try await Host()
    let user = try await host.signIn()
    let session = try await user.multiFactor.session()
    host.sender.meanwhile.withLock { work in
      work = { try await host.auth.admin.overwriteFactors(of: "u1", with: []) }
    }
    let id = try await host.phones.verifyPhoneNumber("+15105551234", multiFactorSession: session)
    // The host retains its sender, which retains this closure.
    host.sender.meanwhile.withLock { $0 = nil }
    await expectError(.userTokenExpired) { try await host.enroll(user, id, host.sender.lastCode) }
    let again = try await host.signIn()
    await expectError(.invalidVerificationCode) { try await host.enroll(again, id, host.sender.lastCode) }
  }

  @Test func `A code sent to a number signs in by no other one that has its factor's name since`() async throws {
    let (host, user, uid) = try await Host.withPhone()
    _ = try await host.enrollTOTP(as: user)
    let (resolver, id) = try await host.challenge(uid)
    try await host.auth.admin.removeFactor(uid, of: "u1")
    try await host.auth.admin.importFactor(.phone(number: "+15105550000", uid: uid), for: "u1")
    await expectError(.invalidVerificationCode) { try await host.answer(id, host.sender.lastCode, resolver) }
  }

  @Test func `A hint that is not a phone, or another user's, is sent nothing`() async throws {
    let (host, user, _, app) = try await Host.withApp()
    _ = try await host.enrollPhone(as: user)
    _ = try await host.enrollPhone("+15105550000", Host.bob)
    let resolver = try await host.resolver()
    let sent = host.sender.messages.count
    let appHint = try #require(resolver.hints.first { $0.uid == app })
    let bobHint = try #require(try await host.resolver(Host.bob).hints.first)
    await expectError(.missingMultiFactorInfo) {
      try await host.phones.verifyPhoneNumber(with: appHint, multiFactorSession: resolver.session)
    }
    await expectError(.multiFactorInfoNotFound) {
      try await host.phones.verifyPhoneNumber(with: bobHint, multiFactorSession: resolver.session)
    }
    #expect(host.sender.messages.count == sent)
  }

  @Test func `A code that was sent by a clock ahead costs later ones nothing`() async throws {
    let host = try await Host()
    let (_, uid) = try await host.enrollPhone()
    host.clock.advance(by: 7200)
    _ = try await host.challenge(uid)
    host.clock.advance(by: -7200)
    let (resolver, id) = try await host.challenge(uid)
    _ = try await host.answer(id, host.sender.lastCode, resolver)
    // But they end by the other clocks, too.
    let (_, old) = try await host.challenge(uid)
    let code = host.sender.lastCode
    host.clock.advance(by: 300)
    let new = try await host.resolver()
    await expectError(.invalidVerificationCode) { try await host.answer(old, code, new) }
    host.clock.advance(by: -60)
    await expectError(.invalidVerificationCode) { try await host.answer(old, code, new) }
  }

  @Test func `An expired code is not revived by a clock behind`() async throws {
    let (host, _, uid) = try await Host.withPhone()
    let (resolver, id) = try await host.challenge(uid)
    let code = host.sender.lastCode
    host.clock.advance(by: 300)
    await expectError(.invalidVerificationCode) { try await host.answer(id, code, resolver) }
    host.clock.advance(by: -300)
    await expectError(.invalidVerificationCode) { try await host.answer(id, code, resolver) }
  }

  @Test(arguments: [299.999, 300]) func `A message's code is valid for five minutes and no longer`(age: TimeInterval)
    async throws
  {
    let log = RecordingLog()
    let host = try await Host(log: log.append)
    let (_, uid) = try await host.enrollPhone()
    let (resolver, id) = try await host.challenge(uid)
    host.clock.advance(by: age)
    let expected: AuthError.Code? = age < 300 ? nil : .invalidVerificationCode
    await expectError(expected) { try await host.answer(id, host.sender.lastCode, resolver) }
    #expect(log.last == (age < 300 ? "signed_in" : "code_refused late"))
  }
}
