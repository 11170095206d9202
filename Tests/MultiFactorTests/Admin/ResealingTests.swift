import Testing

@testable import MultiFactor

/// Keys change while users do not notice.
@Suite struct ResealingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `A key can be rotated and removed once all is sealed anew, and everyone still signs in`() async throws {
    let path = folder.file()
    let before = try Host(keyring: Keyring(file: path))
    let (user, key, uid) = try await before.enrollTOTP()
    let (_, phone) = try await before.enrollPhone(as: user)
    let codes = try await user.multiFactor.generateRecoveryCodes().codes
    let (_, bobKey, bobUID) = try await before.enrollTOTP(Host.bob)
    let oldToken = try user.token
    let old = before.keyring.activeKeyName

    _ = try Keyring.rotate(file: path)
    let log = RecordingLog()
    let during = try Host(store: before.store, keyring: Keyring(file: path), log: log.append)
    _ = try await during.auth.user(from: oldToken)
    var counts = try await during.auth.admin.resealAll()
    #expect(counts == (3, 0))
    #expect(log.events.map(\.summary) == ["resealed", "resealed", "resealed"])
    counts = try await during.auth.admin.resealAll()
    #expect(counts == (0, 0))

    try Keyring.removeKey(named: old, fromFile: path)
    let after = try Host(store: before.store, keyring: Keyring(file: path))
    #expect(after.keyring.keyNames.count == 1)
    after.clock.advance(by: 60)
    _ = try await after.resolve(uid, code: after.code(of: key))
    _ = try await after.resolve(bobUID, code: after.code(of: bobKey), by: Host.bob)
    let (resolver, id) = try await after.challenge(phone)
    #expect(after.sender.messages.last?.phoneNumber == "+15105551234")
    _ = try await after.answer(id, after.sender.lastCode, resolver)
    // Hashes do not depend on the key that seals.
    _ = try await after.recover(codes[0])
    let again = try await after.resolver()
    #expect(again.hints.count == 2)
    #expect(await errorCode { try await after.auth.user(from: oldToken) } == .invalidUserToken)
  }

  @Test func `A secret is sealed anew when it is used`() async throws {
    let path = folder.file()
    let before = try Host(keyring: Keyring(file: path))
    let (_, key, uid) = try await before.enrollTOTP()
    let sealed = try await before.store.account(of: "u1").factors[0].sealed
    _ = try Keyring.rotate(file: path)
    let log = RecordingLog()
    let after = try Host(store: before.store, keyring: Keyring(file: path), log: log.append)
    after.clock.advance(by: 30)
    let wrong = try after.wrongCode(for: key)
    _ = await errorCode { try await after.resolve(uid, code: wrong) }
    #expect(try await after.store.account(of: "u1").factors[0].sealed == sealed)
    _ = try await after.resolve(uid, code: after.code(of: key))
    #expect(log.events.map(\.summary).suffix(2) == ["resealed", "signed_in"])
    let resealed = try await after.store.account(of: "u1").factors[0]
    #expect(resealed.sealed != sealed)
    #expect(try after.keyring.open(resealed.sealed, for: .totpSecret, boundTo: ["u1", uid]).isByActiveKey)
    #expect(resealed.attempts.consecutiveFailures == 0)
  }

  @Test func `What does not open is counted, told of, and left as it is`() async throws {
    let host = try Host()
    let (_, _, uid) = try await host.enrollTOTP()
    let (_, key, bobUID) = try await host.enrollTOTP(Host.bob)
    let sealed = try await host.store.account(of: "u1").factors[0].sealed
    let damaged = sealed.dropLast() + [~(sealed.last ?? 0)]
    #expect(try await host.store.reseal(uid, of: "u1", from: sealed, to: Array(damaged)))
    let log = RecordingLog()
    let again = try Host(store: host.store, keyring: host.keyring, log: log.append)
    #expect(try await again.auth.admin.resealAll() == (0, 1))
    #expect(log.events.map(\.summary) == ["failed sealing"])
    #expect(log.events.map(\.factorUID) == [uid])
    #expect(try await again.store.account(of: "u1").factors[0].sealed == Array(damaged))
    again.clock.advance(by: 30)
    _ = try await again.resolve(bobUID, code: again.code(of: key), by: Host.bob)
  }
}
