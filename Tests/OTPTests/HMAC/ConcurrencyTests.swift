import OTP
import Testing

/// Under Thread Sanitizer, a data race would show here.
@Suite struct ConcurrencyTests {
  @Test(arguments: implementations)
  func `many tasks use one key at once and all get the right codes`(implementation: Implementation) async throws {
    let secret = try OTPSecret.rfc(for: implementation.algorithm)
    let totp = try TOTP(
      secret: secret, algorithm: implementation.algorithm, digits: .eight, backend: implementation.backend)
    let expected = (0..<32).map {
      ReferenceOTP.code(implementation.algorithm, secret: secret.bytes, counter: $0, digits: 8)
    }
    let wrong = try await withThrowingTaskGroup(of: Int.self) { group in
      for task in 0..<16 {
        group.addTask {
          var wrong = 0
          for round in 0..<24 {
            let step = (task * 7 + round) % 32
            let message = UInt64(step).message
            if try totp.code(forStep: UInt64(step)).description != expected[step] { wrong += 1 }
            let verification = try totp.verify(expected[step], at: Int64(step) * 30, after: nil)
            if verification != .accepted(movingFactor: UInt64(step), offset: 0) { wrong += 1 }
            let tag = try totp.key.tag(for: message.span)
            if DynamicTruncation.truncate(tag.span).map({ $0 % 100_000_000 }) != UInt32(expected[step]) { wrong += 1 }
            if round % 8 == 0 { await Task.yield() }
          }
          return wrong
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(wrong == 0)
  }

  /// Thread Sanitizer does not see into libcrypto, so a context shared by mistake shows only in wrong results: each use
  /// of the key here takes long enough for uses to overlap.
  @Test(arguments: implementations)
  func `overlapping long uses of one key do not disturb each other`(implementation: Implementation) async throws {
    let secret = try OTPSecret.rfc(for: implementation.algorithm)
    let hotp = try HOTP(
      secret: secret, algorithm: implementation.algorithm, digits: .eight, backend: implementation.backend)
    let last = ReferenceOTP.code(implementation.algorithm, secret: secret.bytes, counter: 1000, digits: 8)
    let wrong = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          var wrong = 0
          for _ in 0..<12
          where try hotp.verify(last, counter: 0, lookAhead: 1000) != .accepted(movingFactor: 1000, offset: 1000) {
            wrong += 1
          }
          return wrong
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(wrong == 0)
  }

  @Test func `keys are made and released by many tasks at once`() async throws {
    let secret = try OTPSecret.rfc
    let codes = try await withThrowingTaskGroup(of: [String].self) { group in
      for task in 0..<16 {
        group.addTask {
          try (0..<20).map { round in
            let backend = backends[(task + round) % backends.count]
            return try HOTP(secret: secret, backend: backend).code(counter: 1).description
          }
        }
      }
      return try await group.reduce(into: Set<String>()) { $0.formUnion($1) }
    }
    #expect(codes == ["287082"])
  }
}
