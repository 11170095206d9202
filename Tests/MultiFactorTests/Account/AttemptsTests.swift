import Foundation
import SharedFixtures
import Testing

@testable import MultiFactor

/// `Attempts` against a model that keeps every attempt, with a clock that only runs forward, as an account's time does.
@Suite struct AttemptsTests {
  /// Every attempt, and whether it counts as a failure.
  struct Model {
    var isFailure: [Bool] = []
    var last: TimeInterval?

    /// The seconds to wait, row by row from the table in `AttemptPolicy`'s documentation.
    func wait(_ policy: AttemptPolicy) -> TimeInterval? {
      let failures = isFailure.count { $0 }
      if failures >= 100 { return nil }
      if failures >= policy.failuresUntilLock { return policy.lockDuration }
      var wait: TimeInterval = 0
      var next = policy.initialDelay
      for _ in stride(from: policy.firstDelayedFailure, through: failures, by: 1) {
        wait = min(next, policy.lockDuration ?? 86_400)
        next *= 2
      }
      return wait
    }
  }

  static func policies() throws -> [AttemptPolicy] {
    try [
      .standard,
      AttemptPolicy(failuresUntilLock: 100, lockDuration: nil, firstDelayedFailure: 1, initialDelay: 0.5),
      AttemptPolicy(failuresUntilLock: 3, lockDuration: nil),
      AttemptPolicy(failuresUntilLock: 1, lockDuration: 1, firstDelayedFailure: 50, initialDelay: 0),
      AttemptPolicy(failuresUntilLock: 100, lockDuration: 5, firstDelayedFailure: 100, initialDelay: 0),
    ]
  }

  @Test(arguments: 0..<40)
  func `any sequence agrees with the model`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for policy in try Self.policies() {
      var attempts = Attempts()
      var model = Model()
      var clock: TimeInterval = 1_000_000
      for _ in 0..<400 {
        clock += [0, 0.25, 1, 7, 4000, 100_000].randomElement(using: &random) ?? 0
        let now = Date(timeIntervalSinceReferenceDate: clock)
        switch UInt8.random(in: 0..<10, using: &random) {
        case 0 where seed.isMultiple(of: 4):
          attempts.unlock()
          model.isFailure = []
        default:
          var expected = Attempts.Admission.refused(retryAfter: nil, isLock: true)
          if let wait = model.wait(policy) {
            let end = (model.last ?? clock) + wait
            if wait > 0, end > clock {
              let isLock = model.isFailure.count { $0 } >= policy.failuresUntilLock
              expected = .refused(retryAfter: Date(timeIntervalSinceReferenceDate: end), isLock: isLock)
            } else {
              model.isFailure.append(true)
              model.last = clock
              expected = .admitted
            }
          }
          #expect(attempts.begin(at: now, under: policy) == expected)
          if expected == .admitted, random.next() % 16 == 0 {
            attempts.succeed()
            model.isFailure = []
          }
        }
        #expect(attempts.failures == UInt64(model.isFailure.count))
      }
    }
  }

  @Test func `consecutive failures never exceed the ceiling, whatever the clock says`() throws {
    var random = SeededGenerator(seed: 1)
    for policy in try Self.policies() {
      var attempts = Attempts()
      for _ in 0..<2000 {
        let now = Date(timeIntervalSinceReferenceDate: .random(in: -1e9...1e9, using: &random))
        _ = attempts.begin(at: now, under: policy)
      }
      #expect(attempts.failures <= 100)
    }
  }

  @Test func `a damaged state is refused, and does not trap`() throws {
    let now = Date(timeIntervalSinceReferenceDate: 0)
    var full = Attempts(failures: .max, acceptances: .max)
    #expect(full.begin(at: now, under: .standard) == .refused(retryAfter: nil, isLock: true))
    full.succeed()
    #expect(full.acceptances == .max)
    var timeless = Attempts(failures: 10)
    #expect(
      timeless.begin(at: now, under: .standard)
        == .refused(retryAfter: now.addingTimeInterval(3600), isLock: true))
  }
}
