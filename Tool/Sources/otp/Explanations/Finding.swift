/// One thing that keeps a code from being accepted, or that it would be accepted: a line for scripts, and sentences for
/// the operator who was woken up by it.
struct Finding {
  /// `right`, `waiting`, `spent`, `locked`, `used`, `late`, `early`, `parameters`, `another-factor`, `recovery-code`,
  /// `wrong`, `malformed`, `no-factor` or `external`.
  let result: String
  var factor: String?
  var type: String?
  /// How many steps the code is after the current one, or counters after the expected one.
  var offset: Int64?
  /// One in this many wrong codes is explained like this, by accident.
  var odds: Int?
  /// Until when no code is accepted.
  var until: String?
  /// What ends that instead: `enrollment`.
  var needs: String?
  /// What it means, and what to do.
  var says: [String]

  private var line: Line {
    Line(
      result,
      [
        Field("factor", factor), Field("type", type), Field("offset", offset),
        Field("odds", odds, text: odds.map { "1/\($0)" }), Field("until", until), Field("needs", needs),
        Field("says", says, text: nil),
      ])
  }

  /// Prints the result of `otp explain`; ends the tool with another status if the code was not found.
  static func print(_ findings: [Finding], asJSON: Bool) throws {
    let end = "This searched a day each way, as no sign-in does. No attempt was counted, and nothing has changed."
    // How far was searched, in seconds either way.
    let fields = [Field("findings", findings.map(\.line), text: nil), Field("searchedSeconds", 86_400)]
    try Report(fields: fields, lines: findings.flatMap { [$0.line.text] + $0.says.map { "  " + $0 } } + [end])
      .print(asJSON: asJSON)
    let found: Set = ["right", "used", "late", "early", "parameters", "another-factor", "recovery-code"]
    guard findings.contains(where: { found.contains($0.result) }) else { throw ExitStatus.negative }
  }
}

/// A factor whose codes are computed, as far as its explanation needs it.
struct ExplainedFactor {
  let uid: String
  let type: String
  let algorithm: HashAlgorithm?
  let digits: OTPCode.Digits?
  let timeStep: TimeStep?
  /// How many steps the factor's clock is known to be ahead.
  let drift: Int64
  /// When the latest attempt was, if it succeeded.
  let lastAcceptance: Int64?
  /// When the latest attempt was, if it failed.
  let lastFailure: Int64?
  let acceptances: Int
  /// Whether no code is accepted for now.
  let isBlocked: Bool
  let explanation: FactorRecord.Explanation
  /// The command that resynchronizes it.
  let resynchronization: String

  /// What the code is to this factor.
  func finding() -> Finding {
    var finding = Finding(result: result, factor: uid, type: type, says: says)
    if explanation.odds != nil { (finding.offset, finding.odds) = (explanation.offset, explanation.odds) }
    return finding
  }

  private var result: String {
    switch explanation.cause {
    case .replayed: "used"
    case .right where type == "recovery": "recovery-code"
    default: explanation.cause.rawValue
    }
  }

  private var says: [String] {
    if explanation.isGuess { return [capitalized(explanation.diagnosis?.description ?? "perhaps it was used")] + doubt }
    return switch explanation.cause {
    case .right where type == "recovery":
      ["This is the unused recovery code no. \(explanation.movingFactor ?? 0): have the user choose 'recovery code'."]
    case .right: right
    case .replayed where type == "recovery":
      ["This is the recovery code no. \(explanation.movingFactor ?? 0), which was used: each is accepted once."]
    case .replayed: used
    case .late:
      timing + [
        "If it was typed when it was shown, the clock of the user's device is \(distance) late: have it set its time",
        "automatically. If other users' codes are late too, this machine's clock is early: see 'otp explain --clock'.",
      ]
    case .early where timeStep == nil:
      [
        "The token is \(explanation.offset) codes ahead of the last one that was accepted, more than a sign-in searches.",
        "Resynchronize it with two consecutive codes:",
        "  " + resynchronization,
      ]
    case .early:
      timing + [
        "The clock of the user's device is \(distance) early: have it set its time automatically. If other users' codes",
        "are early too, this machine's clock is late: see 'otp explain --clock'.",
      ]
    case .parameters:
      [
        "\(capitalized(explanation.diagnosis?.description ?? "the app computes otherwise")).",
        "The factor is of \(parameters). The app ignores what the key URI says: enroll again with SHA1, 6 digits and 30 s,",
        "which every app can do, or with another app.",
      ]
    // Such a factor has no finding of its own.
    default: []
    }
  }

  /// What an explanation says that is likely by accident.
  var doubt: [String] {
    [
      "One in \(explanation.odds ?? 1) wrong codes looks like that by accident. Ask for the next code, and explain it, too,",
      "before you change anything.",
    ]
  }

  private var right: [String] {
    // The window moves with the clock.
    let steps = timeStep == nil ? 0 : explanation.offset - drift
    return [isBlocked ? "The code itself is right." : "The code is right, and would be accepted now."]
      + (-1...1 ~= steps
        ? []
        : [
          "It is \(steps.magnitude) steps \(steps < 0 ? "late" : "early"): a server whose window is less than",
          "\(steps.magnitude) steps either way (adjacentIntervals) refuses it. Say how many it has with --window.",
        ])
  }

  private var used: [String] {
    guard explanation.lossEnd == nil else { return timing + ["It may have been used: all codes until then are spent."] }
    let first = acceptances == 0 ? ["The code that completed an enrollment is used, too."] : []
    let attempt =
      lastAcceptance.map { ["It was accepted at \(Timestamp.text($0)), unless the factor was unlocked since then."] }
      ?? lastFailure.map { ["The factor's latest attempt, which was refused, was at \(Timestamp.text($0))."] } ?? []
    return timing + ["It, or a later one, was accepted already, and each is accepted once: wait for the next code."]
      + attempt + first
  }

  /// When the app showed the code.
  private var timing: [String] {
    guard let timeStep, let step = explanation.movingFactor else { return [] }
    let times = [step, step &+ 1].map { step in
      let (elapsed, isTooLong) = step.multipliedReportingOverflow(by: UInt64(timeStep.period))
      let start = timeStep.t0 &+ Int64(bitPattern: elapsed)
      return Timestamp.text(isTooLong || start < timeStep.t0 ? .max : start)
    }
    let place = explanation.offset == 0 ? "now" : "\(distance) \(explanation.offset < 0 ? "ago" : "from now")"
    return ["By this machine's clock, it is the code from \(times[0]) to \(times[1]): \(place)."]
  }

  private var distance: String {
    let seconds = explanation.offset.magnitude.multipliedReportingOverflow(by: UInt64(timeStep?.period ?? 30))
      .partialValue
    let parts = [(seconds / 3600, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s")].filter { $0.0 > 0 }
    return parts.isEmpty ? "0 s" : parts.map { "\($0.0) \($0.1)" }.joined(separator: " ")
  }

  private var parameters: String {
    let period = timeStep.map { ", \($0.period) s" } ?? ""
    return "\(algorithm?.name ?? ""), \(digits?.rawValue ?? 0) digits\(period)"
  }

  private func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }
}
