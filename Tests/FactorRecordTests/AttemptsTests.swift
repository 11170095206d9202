import Testing

@testable import FactorRecord

/// The table of delays in `AttemptLimit`'s documentation, and states that are damaged. (When an attempt may be made is
/// in `EveryRun`.)
@Suite struct AttemptsTests {
  @Test func `delays double from the first delayed failure, up to the lock, until a new enrollment`() throws {
    let limits: [(AttemptLimit, first: Int, initial: Int64, lock: Int, Int64?)] = try [
      (.standard, 4, 1000, 10, 3_600_000),
      (
        AttemptLimit(
          failuresUntilLock: 100, lockDuration: nil, firstDelayedFailure: 1, initialDelay: .milliseconds(500)),
        1, 500, 100, nil
      ),
      (AttemptLimit(failuresUntilLock: 3, lockDuration: nil), 4, 1000, 3, nil),
      (
        AttemptLimit(failuresUntilLock: 1, lockDuration: .seconds(1), firstDelayedFailure: 50, initialDelay: .zero),
        50, 0, 1, 1000
      ),
      (AttemptLimit(failuresUntilLock: 20, lockDuration: .nanoseconds(1)), 4, 1000, 20, 1),
    ]
    for (limit, first, initial, lock, duration) in limits {
      var next = initial
      for failures in 0...101 {
        let expected: Int64? =
          failures >= 100 ? nil : failures >= lock ? duration : failures < first ? 0 : min(next, duration ?? 86_400_000)
        #expect(limit.delay(afterFailures: UInt64(failures)) == expected)
        if failures >= first { next = min(2 * next, 1 << 40) }
      }
    }
  }

  @Test func `a lock takes time`() throws {
    for lock in [Duration.zero, .nanoseconds(-1), .seconds(Int64(1) << 32) + .nanoseconds(1)] {
      #expect(throws: FactorRecordError(.outOfRange)) { try AttemptLimit(lockDuration: lock) }
    }
  }

  @Test func `a damaged state is refused without trapping`() throws {
    let now: Int64 = 1_700_000_000_000
    var full = Attempts(failures: .max, acceptances: .max)
    #expect(full.begin(at: now, under: .standard) == .refused(retryAfter: nil, isLock: true))
    full.succeed()
    #expect(full.acceptances == .max)
    var timeless = Attempts(failures: 10)
    #expect(timeless.begin(at: now, under: .standard) == .refused(retryAfter: now + 3_600_000, isLock: true))
    // The end of the delay is beyond 64 bits.
    var late = Attempts(failures: 4, latest: .max - 999)
    #expect(late.begin(at: now, under: .standard) == .refused(retryAfter: .max, isLock: false))
  }
}
