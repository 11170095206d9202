import SharedFixtures
import Testing

@testable import FactorRecord

/// `Attempts` against a model that keeps every attempt, with a clock that only runs forward, as an account's time does.
@Suite struct AttemptsTests {
  /// Every attempt, and whether it counts as a failure.
  struct Model {
    var isFailure: [Bool] = []
    var last: Int64?

    /// The milliseconds to wait, row by row from the table in `AttemptLimit`'s documentation.
    func wait(_ limit: AttemptLimit) -> Int64? {
      let failures = isFailure.count { $0 }
      if failures >= 100 { return nil }
      if failures >= limit.failuresUntilLock { return limit.lockMilliseconds }
      var wait: Int64 = 0
      var next = limit.initialMilliseconds
      for _ in stride(from: limit.firstDelayedFailure, through: failures, by: 1) {
        wait = min(next, limit.lockMilliseconds ?? 86_400_000)
        next = min(2 * next, 86_400_000_000)
      }
      return wait
    }
  }

  static func limits() throws -> [AttemptLimit] {
    try [
      .standard,
      AttemptLimit(failuresUntilLock: 100, lockDuration: nil, firstDelayedFailure: 1, initialDelay: .milliseconds(500)),
      AttemptLimit(failuresUntilLock: 3, lockDuration: nil),
      AttemptLimit(failuresUntilLock: 1, lockDuration: .seconds(1), firstDelayedFailure: 50, initialDelay: .zero),
      AttemptLimit(
        failuresUntilLock: 100, lockDuration: .nanoseconds(1), firstDelayedFailure: 100, initialDelay: .zero),
    ]
  }

  @Test(arguments: 0..<40)
  func `any sequence of attempts agrees with the model`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for limit in try Self.limits() {
      var attempts = Attempts()
      var model = Model()
      var clock: Int64 = 1_000_000_000
      for _ in 0..<400 {
        clock += [0, 250, 1000, 7000, 4_000_000, 100_000_000].randomElement(using: &random) ?? 0
        switch UInt8.random(in: 0..<10, using: &random) {
        case 0 where seed.isMultiple(of: 4):
          attempts.unlock(at: clock)
          // After 100, only a new enrollment helps.
          if model.isFailure.count(where: \.self) < 100 { model.isFailure = [] }
        default:
          var expected = Attempts.Admission.refused(retryAfter: nil, isLock: true)
          if let wait = model.wait(limit) {
            let end = (model.last ?? clock) + wait
            if wait > 0, end > clock {
              let isLock = model.isFailure.count { $0 } >= limit.failuresUntilLock
              expected = .refused(retryAfter: end, isLock: isLock)
            } else {
              model.isFailure.append(true)
              model.last = clock
              expected = .admitted
            }
          }
          #expect(attempts.begin(at: clock, under: limit) == expected)
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
    for limit in try Self.limits() {
      var attempts = Attempts()
      for _ in 0..<2000 {
        let now = Int64.random(in: .min...(.max), using: &random)
        _ = attempts.begin(at: now, under: limit)
      }
      #expect(attempts.failures <= 100)
    }
  }

  @Test func `a damaged state is refused without trapping`() throws {
    let now: Int64 = 0
    var full = Attempts(failures: .max, acceptances: .max)
    #expect(full.begin(at: now, under: .standard) == .refused(retryAfter: nil, isLock: true))
    full.succeed()
    #expect(full.acceptances == .max)
    var timeless = Attempts(failures: 10)
    #expect(
      timeless.begin(at: now, under: .standard)
        == .refused(retryAfter: 3_600_000, isLock: true))
  }
}
