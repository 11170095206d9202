import MultiFactorOperations
import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

/// Enrollments at once: what each finds is what the one before it left.
@Suite struct SimultaneousEnrollmentTests {
  @Test(arguments: StoreKind.available)
  func `Of a hundred simultaneous enrollments five succeed, and a phone is enrolled once`(on kind: StoreKind)
    async throws
  {
    let host = try await Host(kind)
    let ends = await withTaskGroup(of: AuthError.Code?.self) { group in
      for task in 0..<100 {
        group.addTask {
          await errorCode {
            task.isMultiple(of: 2)
              ? try await host.auth.admin.importFactor(.phone(number: "+15105550001"), for: "u1")
              : try await host.auth.admin.importFactor(.totp(secret: .random()), for: "u1")
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(ends.count { $0 == nil } == 5)
    #expect(ends.allSatisfy { [nil, .maximumSecondFactorCountExceeded, .secondFactorAlreadyEnrolled].contains($0) })
    let factors = try await host.account("u1").factors
    #expect(factors.count == 5)
    #expect(factors.count { $0.kind == .phone } <= 1)
  }

  @Test(arguments: StoreKind.available)
  func `Of fifty simultaneous first enrollments, by handles without a second factor, one succeeds`(
    on kind: StoreKind
  ) async throws {
    let host = try await Host(kind)
    var users: [User] = []
    for _ in 0..<50 { users.append(try await host.signIn()) }
    let ends = await withTaskGroup(of: AuthError.Code?.self) { group in
      for user in users { group.addTask { await errorCode { try await host.enrollTOTP(as: user) } } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(ends.count { $0 == nil } == 1)
    #expect(ends.count { $0 == .requiresRecentLogin } == 49)
  }
}
