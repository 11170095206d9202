@_spi(Diagnostics) import OTP
import Testing

/// Under Thread Sanitizer, a data race would show here.
@Suite struct ConcurrencyTests {
  /// Thread Sanitizer does not see into libcrypto, so a context shared by mistake shows only in wrong results: each
  /// task also has uses of the key that take long enough to overlap.
  @Test(arguments: implementations)
  func `many tasks use one key at once and all get the right codes`(implementation: Implementation) async throws {
    let secret = try OTPSecret.rfc(for: implementation.algorithm)
    let reference = try HOTP(secret: secret, algorithm: implementation.algorithm, digits: .eight, backend: .evp)
    let expected = try reference.codes(counters: 0...1000).map(\.description)
    let hotp = try HOTP(
      secret: secret, algorithm: implementation.algorithm, digits: .eight, backend: implementation.backend)
    let wrong = try await withThrowingTaskGroup(of: Int.self) { group in
      for task in 0..<16 {
        group.addTask {
          var wrong = 0
          for round in 0..<24 {
            let counter = (task * 7 + round) % 32
            if try hotp.code(counter: UInt64(counter)).description != expected[counter] { wrong += 1 }
            let tag = try hotp.key.tag(for: UInt64(counter).message.span)
            if DynamicTruncation.truncate(tag.span).map({ $0 % 100_000_000 }) != UInt32(expected[counter]) {
              wrong += 1
            }
            guard round % 4 == 0 else { continue }
            let answer = try hotp.verify(expected[1000], counter: 0, lookAhead: 1000)
            if answer != .accepted(movingFactor: 1000, offset: 1000) { wrong += 1 }
            await Task.yield()
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

  @Test func `codes stay right while many tasks compute those after which the plan is measured`() async {
    await #expect(processExitsWith: .success) {
      let secret = try OTPSecret.rfc
      let shared = try HOTP(secret: secret, backend: .lanes)
      let expected = try HOTP(secret: secret, backend: .evp).codes(counters: 0...20)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<16 {
          group.addTask {
            for round in 0..<500 {
              let hotp = round % 2 == 0 ? shared : try HOTP(secret: secret, backend: .lanes)
              let codes = try hotp.codes(counters: 0...UInt64(round % 21))
              #expect(codes[...] == expected[...(round % 21)])
            }
          }
        }
        try await group.waitForAll()
      }
    }
  }
}
