import FactorRecord
import Keyring
import OTP

/// Runs the real `FactorRecord` on every sequence of actions up to a length, in a small world, and compares each answer
/// and each new record with `RecordRules`.
///
/// The world: TOTP, HOTP and recovery codes; two secrets; two policies, with a change between them at any action; a
/// clock that stands still, runs ahead by a second, half a minute or an hour, or is set back by half a minute. Between
/// two actions, the record is sealed and opened.
///
/// A run begins with an enrollment, with failures, with steps of 15 or 60 s, with an imported last step, or with a
/// token's first or highest counters.
///
/// Sequences that lead to the same state, by the rules, are continued once. That is sound only if the rules' state
/// determines the record, so this is checked too: records that differ for one state are reported.
struct EveryRun {
  typealias Typed = RecordRules.Typed
  typealias Verdict = RecordRules.Verdict

  struct State: Hashable {
    var rules: RecordRules
    var clock: Int
    var history = History()
  }

  enum Action {
    case verify(Typed)
    case confirm(Typed)
    case resynchronize(from: Int?, count: Int)
    case spend, unlock
    case replace(secret: Int, isPending: Bool, evenIfActive: Bool)
  }

  static let start = 1_700_000_010
  private let policies: [FactorRecord.Policy]
  private let secrets: [OTPSecret]
  private let keyring: Keyring
  /// The codes of each secret for the steps, or counters, that the world reaches.
  private var codes: [[Int: String]] = [[:], [:]]
  private var recoveryCodes: [String] = []

  private(set) var transitions = 0
  private(set) var states = 0
  private var counts: [Verdict?: Int] = [:]
  /// How often each verdict was given, whatever its details.
  var verdicts: [String: Int] { Dictionary(counts.map { ($0?.name ?? "none", $1) }) { $0 + $1 } }
  /// What differed: at most ten, since one fault leads to many.
  private(set) var differences: [String] = []

  init() throws {
    policies = try [
      .init(
        adjacentSteps: 1, driftLimit: 1, resynchronizationSteps: 4, lookAhead: 2, resynchronizationLookAhead: 4),
      .init(
        adjacentSteps: 0, driftLimit: 0, resynchronizationSteps: 0, lookAhead: 0, resynchronizationLookAhead: 1,
        attempts: AttemptLimit(
          failuresUntilLock: 5, lockDuration: nil, firstDelayedFailure: 2, initialDelay: .milliseconds(1001))),
    ]
    keyring = try Keyring()
    secrets = try [1, 2].map { try OTPSecret(bytes: [UInt8](repeating: $0, count: 20)) }
    let steps = [15, 30, 60].flatMap { Array(Self.start / $0 - 40...Self.start / $0 + 1000) }
    for secret in 0...1 {
      let hotp = try HOTP(secret: secrets[secret], digits: .eight)
      for counter in Array(0...60) + steps {
        codes[secret][counter] = try hotp.code(counter: UInt64(counter)).description
      }
      for counter in 0...Self.highest {
        codes[secret][Self.key(ofHigh: counter)] = try hotp.code(counter: UInt64.max - UInt64(Self.highest - counter))
          .description
      }
    }
  }

  /// Whether each code is of one secret and one step or counter only, as the rules take for granted.
  var codesAreUnique: Bool {
    let all = codes.flatMap(\.values) + [Self.wrongCode]
    return Set(all).count == all.count
  }

  /// The distance of a token's highest counter, 2^64 - 1, from the one that is 0 to the rules.
  private static var highest: Int { 20 }

  /// Where the code of a high counter is among the codes. After the highest comes the one of 0, which is not accepted.
  private static func key(ofHigh counter: Int) -> Int { counter - (counter > highest ? highest + 1 : 1000) }

  private static var wrongCode: String { "00000000" }

  // MARK: Beginnings

  private mutating func beginnings() throws -> [State: FactorRecord] {
    var beginnings: [State: FactorRecord] = [:]
    let (record, texts) = try FactorRecord.recoveryCodes(count: 2, at: Int64(Self.start))
    recoveryCodes = texts
    var rules = RecordRules(kind: .recoveryCodes, enrolled: Self.start * 1000)
    rules.unused = [1, 2]
    for failures in [0, 4] { try add(record, rules, failures) }
    for kind in [FactorRecord.Kind.totp, .hotp] {
      for isPending in [false, true] {
        var rules = RecordRules(kind: kind, isPending: isPending, enrolled: Self.start * 1000)
        if kind == .hotp { rules.last = RecordRules.firstCounter - 1 }
        for failures in isPending ? [0] : [0, 3, 9, 99] { try add(enrolled(rules), rules, failures) }
      }
    }
    for period in [15, 60] {
      let rules = RecordRules(kind: .totp, period: period, enrolled: Self.start * 1000)
      try add(enrolled(rules), rules)
    }
    let top = UInt64.max - UInt64(Self.highest)
    for (kind, base, last) in [(FactorRecord.Kind.totp, 0, Self.start / 30), (.hotp, 0, nil), (.hotp, top, 16)] {
      let rules = RecordRules(kind: kind, base: base, enrolled: Self.start * 1000, last: last)
      try add(enrolled(rules), rules)
    }
    return beginnings

    /// Adds a record after some failures an hour apart, the last one just now.
    func add(_ record: FactorRecord, _ rules: RecordRules, _ failures: Int = 0) throws {
      var (record, rules) = (record, rules)
      for count in 0..<failures {
        let time = Self.start - 3600 * (failures - 1 - count)
        _ = try record.verify(text(of: .wrong, rules), at: Int64(time), under: policies[0])
        _ = rules.verify(.wrong, at: time, under: policies[0])
      }
      beginnings[State(rules: rules, clock: Self.start)] = record
    }
  }

  /// A record as it is enrolled, by the rules.
  private func enrolled(_ rules: RecordRules) throws -> FactorRecord {
    let (secret, time) = (secrets[rules.secret], Int64(rules.enrolled / 1000))
    return rules.kind == .totp
      ? try .totp(
        secret: secret, digits: .eight, timeStep: TimeStep(period: Int64(rules.period)),
        lastAcceptedStep: rules.last.map { UInt64($0) }, isPending: rules.isPending, at: time)
      : try .hotp(
        secret: secret, digits: .eight, counter: rules.base + (rules.last.map { UInt64($0 + 1) } ?? 0),
        isPending: rules.isPending, at: time)
  }

  // MARK: What may be done in a state

  private func actions(_ rules: RecordRules, at now: Int) -> [Action] {
    guard rules.kind != .recoveryCodes else {
      return [
        .verify(.recoveryCode(1)), .verify(.recoveryCode(2)), .verify(.wrong), .verify(.malformed), .spend, .unlock,
      ]
    }
    let isTOTP = rules.kind == .totp
    let middle = isTOTP ? now / rules.period + rules.found + rules.learned : (rules.last ?? -1) + 1
    let offsets = isTOTP ? [-11, -10, -2, -1, 0, 1, 2, 10, 11] : [-12, -11, -1, 0, 1, 2, 3]
    let typed =
      offsets.map { middle + $0 }.filter { $0 >= 0 }.map { Typed.code($0, of: rules.secret) } + [.wrong, .malformed]
    let origin = isTOTP ? now / rules.period : middle
    let runs: [Action] = (isTOTP ? [-5, -4, -1, 0, 3, 4] : [-1, 0, 1, 4, 5]).map {
      .resynchronize(from: origin + $0, count: 2)
    }
    // A pending record signs no one in, whatever is typed.
    return (rules.isPending ? [.code(middle, of: rules.secret), .wrong, .malformed] : typed).map { .verify($0) }
      + (rules.isPending ? typed.map { .confirm($0) } : [.confirm(typed[4])])
      + runs + [.resynchronize(from: origin, count: 3), .resynchronize(from: nil, count: 2)]
      + [.verify(.code(middle, of: 1 - rules.secret)), .spend, .unlock]
      + [0, 1].flatMap { secret in
        [true, false].map { .replace(secret: secret, isPending: $0, evenIfActive: true) }
      } + [.replace(secret: 1, isPending: true, evenIfActive: false)]
  }

  private func text(of typed: Typed, _ rules: RecordRules) -> String {
    switch typed {
    case .code(let code, let secret): codes[secret][rules.base == 0 ? code : Self.key(ofHigh: code)] ?? Self.wrongCode
    case .recoveryCode(let number): recoveryCodes[number - 1]
    case .wrong: rules.kind == .recoveryCodes ? "AAAA-AAAA-AAAA-AAAA-AAAA-AAAA" : Self.wrongCode
    case .malformed: "1234567"
    }
  }

  /// Performs an action on a record, and by the rules.
  private func perform(
    _ action: Action, on record: inout FactorRecord, _ rules: inout RecordRules, at now: Int,
    under policy: FactorRecord.Policy
  ) throws -> (answer: Verdict?, expected: Verdict?) {
    let time = Int64(now)
    switch action {
    case .verify(let typed):
      let answer = try record.verify(text(of: typed, rules), at: time, under: policy)
      return (Verdict(answer, rules.base), rules.verify(typed, at: now, under: policy))
    case .confirm(let typed):
      let answer = try record.confirm(text(of: typed, rules), at: time, under: policy)
      return (Verdict(answer, rules.base), rules.confirm(typed, at: now, under: policy))
    case .resynchronize(let first, let count):
      let typed = (0..<count).map { index in first.map { Typed.code($0 + index, of: rules.secret) } ?? .wrong }
      let answer = try record.resynchronize(typed.map { text(of: $0, rules) }, at: time, under: policy)
      return (Verdict(answer, rules.base), rules.resynchronize(from: first, count: count, at: now, under: policy))
    case .spend:
      try record.spend(until: time, under: policy)
      rules.spend(until: now, under: policy)
    case .unlock:
      try record.unlock(at: time)
      rules.unlock(at: now)
    case .replace(let secret, let isPending, let evenIfActive):
      var start = RecordRules(
        kind: rules.kind, period: rules.period, base: rules.base, secret: secret, isPending: isPending,
        enrolled: now * 1000)
      if rules.kind == .hotp { start.last = RecordRules.firstCounter - 1 }
      let new = try enrolled(start)
      var isReplaced = true
      do { try record.replace(with: new, evenIfActive: evenIfActive) } catch {
        guard error.kind == .enrolled else { throw error }
        isReplaced = false
      }
      let expected = rules.replace(withSecret: secret, isPending: isPending, evenIfActive: evenIfActive, at: now)
      return (isReplaced ? nil : .refused, expected ? nil : .refused)
    }
    return (nil, nil)
  }

  // MARK: The search

  /// What may precede an action: the clock moves on, or is set back, and another policy is passed.
  private static var moments: [(tick: Int, policy: Int)] {
    [(0, 0), (1, 0), (30, 0), (-30, 0), (3600, 0), (0, 1), (1, 1)]
  }

  /// Runs every sequence of up to `length` actions.
  mutating func run(length: Int) throws {
    var frontier = try beginnings()
    var seen = frontier
    for level in 1...length {
      var next: [State: FactorRecord] = [:]
      for (state, record) in frontier {
        for (tick, policy) in Self.moments {
          let now = state.clock + tick
          for action in actions(state.rules, at: now) {
            var (new, changed) = (State(rules: state.rules, clock: now, history: state.history), record)
            let verdict = try perform(action, on: &changed, &new.rules, at: now, under: policies[policy])
            let broken = new.history.promise(
              brokenBy: action, verdict.answer, state.rules, record, changed, at: now, policy: policy)
            transitions += 1
            counts[verdict.answer?.withoutDetails, default: 0] += 1
            let difference = try broken ?? difference(verdict, of: changed, from: new, known: seen[new])
            if let difference {
              let time = now - Self.start
              differences.append("\(difference), by \(action) at \(time) s, policy \(policy), in \(state.rules)")
              if differences.count == 10 { return }
            } else if level < length, seen[new] == nil {
              let opened = try FactorRecord(
                sealed: changed.sealed(by: keyring, for: "user"), by: keyring, for: "user")
              if opened != changed { differences.append("another record after sealing, by \(action)") }
              (seen[new], next[new]) = (opened, opened)
            }
          }
        }
      }
      frontier = next
    }
    states = seen.count
  }

  /// What a record, or the answer that led to it, shows that the rules do not say, if anything.
  private func difference(
    _ verdict: (answer: Verdict?, expected: Verdict?), of record: FactorRecord, from state: State,
    known: FactorRecord?
  ) throws -> String? {
    let rules = state.rules
    let seconds = { (milliseconds: Int) in Int64(milliseconds / 1000) }
    guard verdict.answer == verdict.expected else {
      return "\(verdict.answer as Any) instead of \(verdict.expected as Any)"
    }
    if let known, known != record { return "a record that the rules do not determine" }
    let shown: [(String, Bool)] = [
      ("kind", record.kind == rules.kind), ("isPending", record.isPending == rules.isPending),
      ("enrollmentTime", record.enrollmentTime == seconds(rules.enrolled)),
      ("lastAcceptedMovingFactor", record.lastAcceptedMovingFactor.map { Int($0 - rules.base) } == rules.last),
      ("driftSteps", record.driftSteps == rules.found + rules.learned),
      ("failures", record.failures == rules.failures), ("acceptances", record.acceptances == rules.acceptances),
      ("lastAttemptTime", record.lastAttemptTime == rules.latest.map(seconds)),
      ("unusedRecoveryCodes", record.unusedRecoveryCodes == rules.unused),
    ]
    if let (field, _) = shown.first(where: { !$0.1 }) { return "another \(field) than the rules say" }
    for policy in policies {
      let refusal = try record.refusal(at: Int64(state.clock), under: policy).map { Verdict($0) }
      if refusal != rules.refusal(at: state.clock, under: policy) { return "another refusal" }
    }
    return nil
  }
}
