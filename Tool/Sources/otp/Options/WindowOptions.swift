/// Which codes besides the expected one are accepted.
struct WindowOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("totp: steps before the current one, 0 to 10. (default: 1)", valueName: "n"),
    transform: OptionValue.number(in: 0...10))
  var behind: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("totp: steps after the current one, 0 to 10. (default: 1)", valueName: "n"),
    transform: OptionValue.number(in: 0...10))
  var ahead: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("totp: steps on either side, 0 to 10, in place of --behind and --ahead.", valueName: "n"),
    transform: OptionValue.number(in: 0...10))
  var window: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("totp: the last accepted step; codes of it and earlier ones are 'replayed'.", valueName: "step"),
    transform: OptionValue.counter)
  var after: UInt64?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("hotp: counters after the expected one, 0 to 1000. (default: 10)", valueName: "n"),
    transform: OptionValue.number(in: 0...1000))
  var lookAhead: Int?
}

extension WindowOptions {
  /// The window of a TOTP verification; refuses HOTP options.
  func totpWindow() throws(ToolError) -> VerificationWindow {
    guard lookAhead == nil else { throw .usage("--look-ahead is only for --type hotp") }
    guard window == nil || (behind == nil && ahead == nil) else {
      throw .usage("--window cannot be combined with --behind or --ahead")
    }
    let standard = VerificationWindow.standard
    return try calling(blaming: .usage) { () throws(OTPError) in
      try VerificationWindow(
        behind: window ?? behind ?? standard.behind, ahead: window ?? ahead ?? standard.ahead)
    }
  }

  /// The look-ahead of an HOTP verification; refuses TOTP options.
  func hotpLookAhead() throws(ToolError) -> Int {
    guard behind == nil, ahead == nil, window == nil, after == nil else {
      throw .usage("--behind, --ahead, --window and --after are only for --type totp")
    }
    return lookAhead ?? 10
  }
}
