import MultiFactor
import Testing

/// What is reported to a state listener, and in which order.
@Suite struct StateChangesTests {
  @Test(arguments: StoreKind.available)
  func `Sign-ins, enrolments and removals are reported once each`(on kind: StoreKind) async throws {
    let host = try await Host(kind)
    let changes = try await host.auth.changes {
      let (user, _, uid) = try await host.enrollTOTP()
      let (_, phone) = try await host.enrollPhone(as: user)
      host.clock.advance(by: 30)
      let (resolver, id) = try await host.challenge(phone)
      _ = try await host.answer(id, host.sender.lastCode, resolver)
      try await user.multiFactor.unenroll(withFactorUID: uid)
      _ = try await host.enrollTOTP(as: user)
      _ = await errorCode {
        try await user.multiFactor.unenroll(with: user.multiFactor.enrolledFactors[1])
      }
    }
    #expect(
      changes == [
        "u1 signed in", "u1 updated", "u1 updated", "u1 signed in", "u1 updated", "u1 updated", "u1 revoked",
      ])
  }

  @Test(arguments: StoreKind.available)
  func `An administrator's revocations are reported`(on kind: StoreKind) async throws {
    let host = try await Host(kind)
    let (user, _, _) = try await host.enrollTOTP()
    let (_, uid) = try await host.enrollPhone(as: user)
    let changes = try await host.auth.changes {
      try await host.auth.admin.revokeHandles(of: "u1")
      try await host.auth.admin.overwriteFactors(of: "u2", with: [])
      try await host.auth.admin.removeFactor(uid, of: "u1")
      try await host.auth.admin.deleteUser("u3")
    }
    #expect(changes == ["u1 revoked", "u2 revoked", "u1 revoked", "u3 revoked"])
  }

  @Test(arguments: StoreKind.available)
  func `A refusal is not reported as a change`(on kind: StoreKind) async throws {
    let host = try await Host(kind)
    let (user, key, uid) = try await host.enrollTOTP()
    let changes = try await host.auth.changes {
      _ = await errorCode { try await host.resolve(uid, code: host.wrongCode(for: key)) }
      _ = await errorCode { try await user.multiFactor.unenroll(withFactorUID: "none") }
      _ = await errorCode { try await host.auth.admin.removeFactor("none", of: "u1") }
    }
    #expect(changes.isEmpty)
  }

  @Test(arguments: StoreKind.available)
  func `Each listener gets every change from when it began to listen`(on kind: StoreKind) async throws {
    let host = try await Host(kind)
    _ = try await host.signIn()
    var outer: [String] = []
    let inner = try await host.auth.changes {
      _ = try await host.signIn(Host.bob)
      outer = try await host.auth.changes { _ = try await host.signIn() }
    }
    #expect(outer == ["u1 signed in"])
    #expect(inner == ["u2 signed in", "u1 signed in"])
  }

  @Test(arguments: StoreKind.available)
  func `A sequence ends with its MultiFactorAuth`(on kind: StoreKind) async throws {
    var host: Host? = try await Host(kind)
    let changes = try #require(host?.auth.stateChanges)
    let events = try #require(host?.auth.auditEvents)
    _ = try await host?.signIn()
    // A change retains the user's handle, which retains the MultiFactorAuth, until it is read.
    var iterator = changes.makeAsyncIterator()
    do {
      let change = await iterator.next()
      #expect(change != nil)
    }
    host = nil
    let end = await iterator.next()
    #expect(end == nil)
    var eventCount = 0
    for await _ in events { eventCount += 1 }
    #expect(eventCount == 1)
  }
}
