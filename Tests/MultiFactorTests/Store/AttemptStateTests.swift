import Foundation
import MultiFactor
import Testing

/// `AttemptState` against a model that keeps every attempt.
@Suite struct AttemptStateTests {
  /// Pseudo-random numbers (SplitMix64), the same for the same seed.
  struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
  }

  /// Every attempt, and whether it counts as a failure.
  struct Model {
    var isFailure: [Bool] = []
    var last: TimeInterval?

    /// The seconds to wait, by the table in `AttemptPolicy`'s documentation, row by row.
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
  func `any sequence gives what the model gives`(seed: UInt64) throws {
    var random = Generator(state: seed)
    for policy in try Self.policies() {
      var state = AttemptState()
      var model = Model()
      var clock: TimeInterval = 1_000_000
      for _ in 0..<400 {
        clock += [0, 0.25, 1, 7, 4000, 100_000, -1, -30, -100_000].randomElement(using: &random) ?? 0
        switch UInt8.random(in: 0..<10, using: &random) {
        case 0 where state.attempts > 0:
          let number = UInt64.random(in: 0...state.attempts + 1, using: &random)
          state.succeed(number)
          for index in model.isFailure.indices where index < Int(number) { model.isFailure[index] = false }
        case 1 where seed.isMultiple(of: 4):
          state.unlock()
          model.isFailure = model.isFailure.map { _ in false }
        default:
          let decision = state.reserve(at: Date(timeIntervalSinceReferenceDate: clock), under: policy)
          let expected: AttemptState.Decision
          if let wait = model.wait(policy) {
            if let last = model.last, wait > 0, min(last, clock) + wait > clock {
              model.last = min(last, clock)
              expected = .refused(retryAfter: Date(timeIntervalSinceReferenceDate: min(last, clock) + wait))
            } else {
              model.isFailure.append(true)
              model.last = clock
              expected = .reserved(UInt64(model.isFailure.count))
            }
          } else {
            expected = .refused(retryAfter: nil)
          }
          #expect(decision == expected)
        }
        #expect(state.consecutiveFailures == UInt64(model.isFailure.count { $0 }))
        #expect(state.attempts == UInt64(model.isFailure.count))
      }
    }
  }

  @Test(arguments: 0..<20)
  func `whatever the clock does, failures in a row never pass the ceiling`(seed: UInt64) throws {
    var random = Generator(state: seed)
    for policy in try Self.policies() {
      var state = AttemptState()
      for _ in 0..<2000 {
        let now = Date(timeIntervalSinceReferenceDate: .random(in: -1e9...1e9, using: &random))
        _ = state.reserve(at: now, under: policy)
      }
      #expect(state.consecutiveFailures <= 100)
    }
  }

  @Test func `a clock that is set back neither shortens a wait nor lengthens it`() throws {
    let policy = try AttemptPolicy(failuresUntilLock: 1, lockDuration: 60)
    var state = AttemptState()
    let later = Date(timeIntervalSinceReferenceDate: 1_000_000)
    let earlier = Date(timeIntervalSinceReferenceDate: 0)
    #expect(state.reserve(at: later, under: policy) == .reserved(1))
    #expect(state.reserve(at: earlier, under: policy) == .refused(retryAfter: earlier.addingTimeInterval(60)))
    #expect(
      state.reserve(at: earlier.addingTimeInterval(59), under: policy)
        == .refused(retryAfter: earlier.addingTimeInterval(60)))
    #expect(state.reserve(at: earlier.addingTimeInterval(60), under: policy) == .reserved(2))
  }

  @Test func `a damaged state is refused rather than trapped on`() throws {
    let now = Date(timeIntervalSinceReferenceDate: 0)
    var full = AttemptState(attempts: .max, cleared: .max, acceptances: .max)
    #expect(full.reserve(at: now, under: .standard) == .refused(retryAfter: nil))
    full.succeed(.max)
    #expect(full.acceptances == .max)
    var timeless = AttemptState(attempts: 10)
    #expect(timeless.reserve(at: now, under: .standard) == .refused(retryAfter: now.addingTimeInterval(3600)))
    var noTime = AttemptState(attempts: 10, lastAttempt: now)
    let nan = Date(timeIntervalSinceReferenceDate: .nan)
    guard case .refused = noTime.reserve(at: nan, under: .standard) else {
      Issue.record("an attempt was granted at no time")
      return
    }
  }
}
