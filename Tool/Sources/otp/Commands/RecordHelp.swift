/// `otp record explain`
struct RecordExplain: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain", abstract: "Explain why a code is not accepted by a record.",
    discussion: """
      Reads the column from standard input, as 'otp record show' does, and looks for the code a day each way, with each \
      hash and period. Prints a line for each cause (pending, waiting, locked, spent; then right, used, late, early, \
      parameters, recovery-code, wrong or malformed), with what 'otp explain' prints, and what it means. Nothing is \
      changed, and no attempt is counted, so never let it answer a user who has not shown who they are. Exits 0 if the \
      code was found, 1 otherwise.

      EXAMPLE: psql -Atc 'SELECT otp FROM users WHERE id = 42' | otp record explain /etc/example/keyring 'user 42' 287082
      """)

  @OptionGroup var keyring: KeyringFile
  @OptionGroup var whose: RecordSubject

  @Argument(help: "What the user typed. Other users of the machine can see it.")
  var code: String

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("When the code was typed, by this machine's clock. (default: now)", valueName: "unix-time"),
    transform: OptionValue.recordTime)
  var at: Int64?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The server's window: adjacent steps on either side, 0 to 10. (default: 1)", valueName: "n"),
    transform: OptionValue.number(in: 0...10))
  var window: Int = 1

  @OptionGroup var output: JSONOption

  func run() throws {
    let found = try whose.reading(keyring) { (record, _) throws(FactorRecordError) in
      let policy = try FactorRecord.Policy(adjacentSteps: window)
      let explanation = try record.explain(code, at: at ?? currentTime(), under: policy)
      return Self.obstacles(record, explanation) + [Self.explained(record, explanation)]
    }
    try Finding.print(found, asJSON: output.json)
  }

  /// What keeps any code from being accepted.
  private static func obstacles(_ record: FactorRecord, _ explanation: FactorRecord.Explanation) -> [Finding] {
    if record.isPending {
      let says = ["No code has confirmed the enrollment: until one does, it signs no user in."]
      return [Finding(result: "pending", says: says)]
    }
    let needs = explanation.needsNewEnrollment ? "enrollment" : nil
    if let refusal = explanation.refusal {
      let state = FactorState(refusal)
      let remedy =
        needs == nil
        ? "If they were the user's own, and you are sure who is asking: 'otp record unlock'."
        : "After 100, unlocking does not help. Make sure who is asking, and have the user enroll again."
      return [
        Finding(
          result: state.name, until: state.until, needs: needs,
          says: ["No code is accepted, right or wrong: \(record.failures) attempts in a row have failed.", remedy])
      ]
    }
    guard let end = explanation.lossEnd else { return [] }
    return [
      Finding(
        result: "spent", until: Timestamp.text(end),
        says: [
          "Records were lost, or a backup was restored: each code until then may have been used. Have the user try again",
          "at \(Timestamp.text(end)).",
        ])
    ]
  }

  /// What the code is.
  private static func explained(_ record: FactorRecord, _ explanation: FactorRecord.Explanation) -> Finding {
    let last = record.lastAttemptTime
    let hasSucceeded = record.acceptances > 0 && record.failures == 0
    var finding = ExplainedFactor(
      uid: "", type: record.kind == .recoveryCodes ? "recovery" : "", algorithm: record.algorithm,
      digits: record.digits, timeStep: record.timeStep, drift: Int64(record.driftSteps),
      lastAcceptance: hasSucceeded ? last : nil, lastFailure: record.failures > 0 ? last : nil,
      acceptances: record.acceptances,
      isBlocked: record.isPending || explanation.refusal != nil || explanation.lossEnd != nil,
      explanation: explanation, resynchronization: "otp_record_resynchronize(), as your language calls it"
    ).finding()
    (finding.factor, finding.type) = (nil, nil)
    switch explanation.cause {
    case .malformed: finding.says = ["This cannot be a code of the factor."]
    case .wrong:
      finding.says = [
        "The factor does not have this code: it was mistyped, or the app's entry has another secret. If the next code is",
        "wrong, too: make sure who is asking, and have the user enroll again.",
      ]
    default: break
    }
    return finding
  }
}

/// `otp record unlock`
struct RecordUnlock: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlock", abstract: "Clear a record's failures, after you have verified who is asking.",
    discussion: """
      Reads the column from standard input, as 'otp record show' does, and prints the new record in hexadecimal, for an \
      UPDATE under the one rule of records: only if the old one is still there. Fails if 100 attempts in a row have \
      failed: only a new enrollment helps then.

      EXAMPLE: old=$(psql -Atc 'SELECT encode(otp, $$hex$$) FROM users WHERE id = 42')
      new=$(printf %s "$old" | otp record unlock /etc/example/keyring 'user 42') &&
      psql -c "UPDATE users SET otp = decode('$new', 'hex') WHERE id = 42 AND otp = decode('$old', 'hex')"
      """)

  @OptionGroup var keyring: KeyringFile
  @OptionGroup var whose: RecordSubject
  @OptionGroup var output: JSONOption

  func run() throws {
    let unlocked = try whose.reading(keyring) { (record, sealed) throws(FactorRecordError) -> String? in
      var record = record
      try record.unlock(at: currentTime())
      guard !record.needsNewEnrollment else { return nil }
      return try record.sealed(by: sealed.keys, for: whose.subject).hexadecimal
    }
    guard let unlocked else { throw ToolError.data("100 attempts in a row have failed: the user must enroll again") }
    try Report(fields: [Field("record", unlocked)], lines: [unlocked]).print(asJSON: output.json)
  }
}
