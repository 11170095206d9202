/// `otp explain`
struct Explain: StoreUsing {
  static let configuration = CommandConfiguration(
    commandName: "explain", abstract: "Explain why a code is not accepted.",
    discussion: """
      Looks for the code a day each way, with each hash and period, in all of the account's factors. Prints a line for \
      each cause (right, waiting, spent, locked, used, late, early, parameters, another-factor, recovery-code, \
      external, no-factor, wrong or malformed, then 'factor=UID type=… offset=STEPS odds=1/N until=TIME \
      needs=enrollment' as far as it applies), each followed by what it means and what to do, with commands to paste \
      into a shell. One in N wrong codes would be explained like this, by accident: if N is under 1,000, the cause is \
      only a guess, and the next code decides. No attempt is counted, and nothing \
      changes, so this is for administrators: never let it answer a user who has not shown who they are. The question \
      is written to the system's log. Exits 0 if the code was found, 1 otherwise.

      With --clock, asks an NTP server, prints 'clock offset=SECONDS server=…', and exits 1 if that is a second or more.

      EXAMPLE: otp explain alice@example.com -- 287082
      """)

  @Argument(help: "The account: 1 to 256 bytes, used as they are.")
  var account: String?

  @Argument(help: "What the user typed; prompted for if missing. Other users of the machine can see it.")
  var code: String?

  @Option(help: ArgumentHelp("The factor that the user chose, by its uid or name.", valueName: "uid|name"))
  var factor: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("When the code was typed, by this machine's clock. (default: now)", valueName: "unix-time"),
    transform: OptionValue.recordTime)
  var at: Int64?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The server's window: adjacent steps on either side, 0 to 10. (default: 5)", valueName: "n"),
    transform: OptionValue.number(in: 0...10))
  var window: Int = 5

  @Flag(help: "Compare this machine's clock with an NTP server's.")
  var clock = false

  @Option(help: ArgumentHelp("The NTP server. (default: pool.ntp.org)", valueName: "host[:port]"))
  var ntp: String?

  @OptionGroup var location: StoreOptions
  @OptionGroup var output: JSONOption

  func execute() async throws {
    guard !clock else {
      guard account == nil, factor == nil, at == nil else { throw ToolError.usage("--clock takes no account") }
      return try explainClock()
    }
    guard ntp == nil else { throw ToolError.usage("--ntp is for --clock") }
    guard let account else { throw ToolError.usage("an argument is missing: <account>; see 'otp explain --help'") }
    try MisplacedText.check(account: account)
    let configuration = try MultiFactorConfiguration(providerConfigs: [.totp(adjacentIntervals: window)])
    let admin = try await location.location().open(configuration).admin
    _ = try await admin.known(account)
    let typed = try code ?? Prompt.line("Code: ")
    let date = at.map { Date(timeIntervalSince1970: TimeInterval($0)) }
    let explanation = try await admin.explain(typed, of: account, at: date)
    let commands = AccountCommands(account: account, store: location)
    try Finding.print(findings(explanation, commands), asJSON: output.json)
  }

  private func explainClock() throws {
    let answer = try NTPClient.ask(ntp ?? "pool.ntp.org")
    let (offset, server) = (answer.offset, ntp ?? "pool.ntp.org")
    let seconds = String(format: "%.3f", abs(offset))
    let says =
      abs(offset) < 1
      ? "This machine's clock is right: the difference is \(seconds) s."
      : "This machine's clock is \(seconds) s \(offset < 0 ? "late" : "early"): codes are refused for everybody if that is "
        + "more than the window. Correct it, and see why it was not: 'timedatectl status' or 'chronyc tracking'."
    let line = "clock offset=\(String(format: "%.3f", offset)) server=\(DisplayText.escaped(server))"
    try Report(fields: [Field("offset", offset), Field("server", server)], lines: [line, "  " + says])
      .print(asJSON: output.json)
    guard abs(offset) < 1 else { throw ExitStatus.negative }
  }

  /// What the code is, beginning with what keeps any code from being accepted.
  private func findings(
    _ explanation: CodeExplanation, _ commands: AccountCommands
  ) throws(ToolError) -> [Finding] {
    let user = explanation.user
    let chosen = try chosenFactor(of: user)
    let likeliest = explanation.likeliest
    let uid = chosen?.info.uid ?? likeliest?.uid
    func found(for uid: String) -> FactorRecord.Explanation? {
      explanation.factors.first { $0.uid == uid }?.explanation
    }
    var findings = user.factors.filter { uid == nil || $0.info.uid == uid }.compactMap { factor -> Finding? in
      // An attempt is refused by a delay or lock before it is by what is spent, which is that when the code was typed.
      let isRefused = factor.isBlocked && !factor.isSpent
      let lossEnd = isRefused ? nil : found(for: factor.info.uid)?.lossEnd
      guard isRefused || lossEnd != nil else { return nil }
      let state = lossEnd.map { FactorState("spent", until: $0) } ?? FactorState(factor)
      let count = user.isLocked ? user.consecutiveFailures : factor.consecutiveFailures
      return blocked(factor.info.uid, factor.info.factorID, state, count, commands)
    }
    // The administrator sees the recovery codes only as a number.
    if uid == RecoveryCodeMultiFactorID,
      let refusal = user.isLocked ? .locked(until: nil) : found(for: RecoveryCodeMultiFactorID)?.refusal
    {
      findings.append(
        blocked(
          RecoveryCodeMultiFactorID, RecoveryCodeMultiFactorID, FactorState(refusal, ofRecoveryCodesOf: user),
          user.consecutiveFailures, commands))
    }
    if let likeliest {
      findings.append(explained(likeliest, in: user, chosen: chosen, commands))
    } else {
      findings += unexplained(explanation, chosen: chosen, commands)
    }
    return findings
  }

  private func chosenFactor(of user: AdministeredUser) throws(ToolError) -> AdministeredFactor? {
    guard let factor else { return nil }
    let found = user.factors.first { $0.info.uid == factor } ?? user.factors.first { $0.info.displayName == factor }
    guard let found else { throw .data("--factor: the account has no such factor") }
    return found
  }

  private func blocked(
    _ uid: String, _ type: String, _ state: FactorState, _ count: Int, _ commands: AccountCommands
  ) -> Finding {
    let end =
      state.until.map { "until \($0)" } ?? "until \(state.needs == nil ? "it is unlocked" : "the user enrolls again")"
    let says =
      if state.name == "spent" {
        [
          "The store has lost changes, or a backup of it was restored: each code until then may have been used. Attempts",
          "are not counted, and unlocking changes nothing: have the user try again at \(state.until ?? "").",
        ]
      } else if state.needs == nil {
        [
          "The factor accepts no code, right or wrong, \(end).",
          "\(count) attempts in a row have failed. If they were the user's own, and you are sure who is asking:",
          "  " + commands.command("unlock"),
        ]
      } else {
        [
          "The factor accepts no code, right or wrong, \(end).",
          "100 attempts in a row have failed, after which unlocking does not help. Make sure who is asking, and have the user",
          type == RecoveryCodeMultiFactorID ? "make new codes:" : "enroll again, after you have removed it:",
          "  "
            + (type == RecoveryCodeMultiFactorID
              ? commands.command("recovery-codes") : commands.command("unenroll", [uid])),
        ]
      }
    return Finding(result: state.name, factor: uid, type: type, until: state.until, needs: state.needs, says: says)
  }

  private func explained(
    _ found: CodeExplanation.Factor, in user: AdministeredUser, chosen: AdministeredFactor?,
    _ commands: AccountCommands
  ) -> Finding {
    let factor = user.factors.first { $0.info.uid == found.uid }
    let options = user.factors.count > 1 ? ["--factor", found.uid] : []
    let explained = ExplainedFactor(
      factor, found, resynchronization: commands.command("authenticate", options: ["--resync"] + options))
    var finding = explained.finding()
    let name = factor?.info.displayName.map { " ('\(DisplayText.escaped($0))')" } ?? ""
    let isGuess = found.explanation.isGuess
    if let chosen, chosen.info.uid != found.uid {
      let says =
        isGuess
        ? ["Perhaps it is a code of another factor, \(found.uid)\(name)."] + explained.doubt
        : ["It is a code of another factor, \(found.uid)\(name): have the user choose that one when signing in."]
      finding = Finding(
        result: "another-factor", factor: found.uid, type: finding.type, offset: finding.offset, odds: finding.odds,
        says: says)
    } else if !isGuess, chosen == nil, user.factors.count > 1, factor != nil {
      finding.says.append("It is a code of \(found.uid)\(name): for another of the account's factors, it is wrong.")
    }
    return finding
  }

  private func unexplained(
    _ explanation: CodeExplanation, chosen: AdministeredFactor?, _ commands: AccountCommands
  ) -> [Finding] {
    // A text that is not a code of any factor, and that the recovery codes were searched for.
    let isRecoveryCode = explanation.factors.allSatisfy {
      $0.explanation.cause == ($0.uid == RecoveryCodeMultiFactorID ? .wrong : .malformed)
    }
    let isMalformed = explanation.factors.allSatisfy { $0.explanation.cause == .malformed }
    let external = explanation.user.factors.filter { $0.algorithm == nil }.map { factor in
      Finding(
        result: "external", factor: factor.info.uid, type: factor.info.factorID,
        says: ["The codes of this factor are checked elsewhere, and cannot be explained here."])
    }
    let removed = explanation.user.history.last { $0.removalDate != nil }?.removalDate.map {
      "The account had another factor, removed at \(Timestamp.past($0)): the app may still show it."
    }
    guard !explanation.factors.isEmpty else {
      guard external.isEmpty || removed != nil else { return external }
      let says = [
        "The account has no factor whose codes are computed here: make sure who is asking, and have the user enroll an app."
      ]
      return [Finding(result: "no-factor", says: says + [removed].compactMap(\.self))] + external
    }
    let computed = explanation.factors.map(\.uid).filter { $0 != RecoveryCodeMultiFactorID }
    let factor = chosen?.info.uid ?? (computed.count == 1 ? computed.first : nil)
    let wrong =
      isMalformed
      ? Finding(
        result: "malformed", says: ["This is neither a code of 6 to 8 digits nor one of the account's recovery codes."])
      : isRecoveryCode
        ? Finding(
          result: "wrong",
          says: ["This is none of the user's recovery codes: it was replaced by newer ones, or mistyped."])
        : Finding(
          result: "wrong",
          says: [
            "No factor of the account has this code within a day, with any hash or period: it was mistyped, or the app's",
            "entry has another secret, such as that of an earlier enrollment, a test system or another account. If the",
            "next code is wrong, too: make sure who is asking, remove the factor, and have the user enroll again.",
          ] + [removed].compactMap(\.self)
            + ["  " + (factor.map { commands.command("unenroll", [$0]) } ?? commands.command("factors"))])
    return [wrong] + external
  }
}

extension ExplainedFactor {
  fileprivate init(_ factor: AdministeredFactor?, _ found: CodeExplanation.Factor, resynchronization: String) {
    let last = factor?.lastAttempt.map { Int64($0.timeIntervalSince1970.rounded(.down)) }
    self.init(
      uid: found.uid, type: factor?.info.factorID ?? found.uid, algorithm: factor?.algorithm, digits: factor?.digits,
      timeStep: factor?.timeStep, drift: Int64(factor?.driftSteps ?? 0),
      lastAcceptance: factor.flatMap { $0.acceptances > 0 && $0.consecutiveFailures == 0 ? last : nil },
      lastFailure: factor.flatMap { $0.consecutiveFailures > 0 ? last : nil },
      acceptances: factor?.acceptances ?? 0,
      isBlocked: factor?.isBlocked ?? (found.explanation.refusal != nil) || found.explanation.lossEnd != nil,
      explanation: found.explanation, resynchronization: resynchronization)
  }
}
