import FactorRecord
import OTP

/// A group of tests of what a factor remembers from one submission to the next.
struct RecordSettings: Sendable {
  let policy: FactorRecord.Policy
  /// A factor of which only this step or counter was accepted.
  let enroll: @Sendable (_ last: UInt64?, _ time: Int64) throws(FactorRecordError) -> FactorRecord

  /// Reads the policy that both types share.
  private static func policy(
    _ fields: inout Fields, window: Int = 0, lookAhead: Int = 0, resynchronization: Int = 0
  ) throws(LocatedError) -> FactorRecord.Policy {
    let lock = try fields.number("failuresUntilLock", in: 1...100)
    let lockSeconds: Int64 = try fields.number("lockSeconds", in: 1...1 << 32)
    let first = try fields.number("firstDelayedFailure", in: 1...100)
    let delay: Int64 = try fields.number("initialDelaySeconds", in: 0...1 << 32)
    do throws(FactorRecordError) {
      return try FactorRecord.Policy(
        adjacentSteps: window, driftLimit: 0, resynchronizationSteps: 0, lookAhead: lookAhead,
        resynchronizationLookAhead: resynchronization,
        attempts: AttemptLimit(
          failuresUntilLock: lock, lockDuration: .seconds(lockSeconds), firstDelayedFailure: first,
          initialDelay: .seconds(delay)))
    } catch {
      throw fields.fault(nil, "not a policy")
    }
  }

  static func totp(_ fields: inout Fields) throws(LocatedError) -> RecordSettings {
    let timed = try TimedCodeSettings(&fields)
    let codes = timed.codes
    guard let timeStep = try? TimeStep(period: timed.period, t0: timed.t0) else { throw fields.fault(nil, "no step") }
    let window = try fields.number("window", in: 0...10)
    return RecordSettings(policy: try policy(&fields, window: window)) { last, time throws(FactorRecordError) in
      try FactorRecord.totp(
        secret: codes.secret, algorithm: codes.algorithm, digits: codes.digits, timeStep: timeStep,
        lastAcceptedStep: last, isPending: false, at: time)
    }
  }

  static func hotp(_ fields: inout Fields) throws(LocatedError) -> RecordSettings {
    let codes = try CodeSettings(&fields)
    let lookAhead = try fields.number("lookAhead", in: 0...1000)
    let resynchronization = try fields.number("resynchronizationLookAhead", in: 0...1000)
    let policy = try policy(&fields, lookAhead: lookAhead, resynchronization: resynchronization)
    return RecordSettings(policy: policy) { last, time throws(FactorRecordError) in
      // The last counter has no successor, so a factor that had accepted it would accept nothing.
      guard last != .max else { throw FactorRecordError(.outOfRange) }
      return try FactorRecord.hotp(
        secret: codes.secret, algorithm: codes.algorithm, digits: codes.digits, counter: last.map { $0 + 1 } ?? 0,
        isPending: false, at: time)
    }
  }
}

/// Submissions to one factor, each with its answer.
struct RecordVector: PlainVectorTest {
  private enum Word: String, CaseIterable {
    case accepted, rejected, wait, locked, unlocked
  }

  private struct Step: Sendable {
    let time: Int64
    /// None unlocks the factor.
    let codes: [String]
    /// The answer, in the words of a test.
    let answer: String

    init(_ fields: inout Fields) throws(LocatedError) {
      time = try fields.decimal("time")
      codes = try fields.value("codes", called: "a list of texts", \.strings)
      let word = try fields.word("answer", as: Word.self)
      guard word == .unlocked ? codes.isEmpty : 1...3 ~= codes.count else {
        throw fields.fault("codes", "not one to three texts, or none to unlock the factor")
      }
      switch word {
      case .accepted: answer = "accepted \(try fields.decimal("matched") as UInt64)"
      case .rejected, .unlocked: answer = word.rawValue
      case .wait: answer = "wait until \(try fields.decimal("until") as Int64)"
      case .locked:
        let until: Int64? = try fields.isNull("until") ? nil : fields.decimal("until")
        answer = until.map { "locked until \($0)" } ?? "locked"
      }
    }
  }

  private let group: RecordSettings
  private let last: UInt64?
  private let steps: [Step]

  init(_ fields: inout Fields, in group: RecordSettings) throws(LocatedError) {
    self.group = group
    last = try fields.isNull("last") ? nil : fields.decimal("last")
    steps = try fields.list("steps") { fields throws(LocatedError) in try Step(&fields) }
  }

  func run() throws(Mismatch) {
    var answers: [String] = []
    do throws(FactorRecordError) {
      var record = try group.enroll(last, steps[0].time)
      for step in steps {
        guard !step.codes.isEmpty else {
          try record.unlock(at: step.time)
          answers.append("unlocked")
          continue
        }
        answers.append(
          step.codes.count == 1
            ? try record.verify(step.codes[0], at: step.time, under: group.policy).words
            : try record.resynchronize(step.codes, at: step.time, under: group.policy).words)
      }
    } catch {
      throw Mismatch("got an error: \(error)")
    }
    for (place, (step, answer)) in zip(steps, answers).enumerated() {
      try Mismatch.unlessEqual("step \(place + 1)", answer, step.answer)
    }
  }
}

extension FactorRecord.Answer {
  /// The answer as a test words it.
  fileprivate var words: String {
    switch self {
    case .accepted(let acceptance): "accepted \(acceptance.movingFactor)"
    case .enrolled: "enrolled"
    case .rejected: "rejected"
    case .wait(let end): "wait until \(end.unixTime)"
    case .locked(let end): end.map { "locked until \($0.unixTime)" } ?? "locked"
    }
  }
}
