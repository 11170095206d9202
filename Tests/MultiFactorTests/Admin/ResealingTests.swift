import Keyring
import MultiFactorOperations
import SharedFixtures
import Testing

@testable import MultiFactor

/// Rotating keys without any effect on users.
@Suite struct ResealingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `A key can be rotated, and removed once everything is sealed again, and all users can still sign in`()
    async throws
  {
    let path = folder.file()
    let before = try await Host(keyring: Keyring.create(file: path))
    let (user, key, uid) = try await before.enrollTOTP()
    let (_, phone) = try await before.enrollPhone(as: user)
    let codes = try await user.multiFactor.generateRecoveryCodes().codes
    let (_, bobKey, bobUID) = try await before.enrollTOTP(Host.bob)
    let oldToken = try user.token()
    let old = before.keyring.activeKeyName

    _ = try Keyring.rotate(file: path)
    let log = RecordingLog()
    let during = try await Host(store: before.store, keyring: Keyring(file: path), log: log.append)
    _ = try await during.auth.user(from: oldToken)
    var counts = try await during.auth.admin.resealAll()
    // Two users, one user's messages, and the counts of messages to one number, to its prefix, answered and overall;
    // the store's mark was sealed again when the server started.
    #expect(counts == (8, 0))
    #expect(log.events.map(\.summary) == ["resealed", "resealed"])
    counts = try await during.auth.admin.resealAll()
    #expect(counts == (0, 0))

    try Keyring.removeKey(named: old, fromFile: path)
    let after = try await Host(store: before.store, keyring: Keyring(file: path))
    #expect(after.keyring.keyNames.count == 1)
    after.clock.advance(by: 60)
    _ = try await after.resolve(uid, code: after.code(of: key))
    _ = try await after.resolve(bobUID, code: after.code(of: bobKey), by: Host.bob)
    let (resolver, id) = try await after.challenge(phone)
    #expect(after.sender.messages.last?.phoneNumber == "+15105551234")
    _ = try await after.answer(id, after.sender.lastCode, resolver)
    // Hashes do not depend on the sealing key.
    _ = try await after.recover(codes[0])
    let again = try await after.resolver()
    #expect(again.hints.count == 2)
    await expectError(.invalidUserToken) { try await after.auth.user(from: oldToken) }
  }

  @Test func `A document that does not open is counted, reported, and left as it is`() async throws {
    let host = try await Host()
    _ = try await host.enrollTOTP()
    let (_, key, bobUID) = try await host.enrollTOTP(Host.bob)
    let damaged = try await host.store.update(.user("u1")) { document in
      document?[40] ^= 1
      return document
    }
    let log = RecordingLog()
    let again = try await Host(store: host.store, keyring: host.keyring, log: log.append)
    #expect(try await again.auth.admin.resealAll() == (0, 1))
    #expect(log.events.map(\.summary) == ["failed sealing"])
    #expect(log.events.map(\.userID) == ["u1"])
    #expect(try await again.store.document(.user("u1")) == damaged)
    again.clock.advance(by: 30)
    _ = try await again.resolve(bobUID, code: again.code(of: key), by: Host.bob)
    // It can still be deleted.
    try await again.auth.admin.deleteUser("u1")
    _ = try await again.signIn()
  }
}
