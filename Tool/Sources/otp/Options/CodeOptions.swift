/// The inputs of a code other than the secret.
struct CodeOptions: ParsableArguments {
  @OptionGroup var key: KeyOptions

  @Option(
    parsing: .unconditional, help: ArgumentHelp("totp: when step 0 starts. (default: 0)", valueName: "unix-time"),
    transform: OptionValue.time)
  var t0: Int64?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("totp: the time of the code. (default: now)", valueName: "unix-time"),
    transform: OptionValue.time)
  var at: Int64?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("hotp: the counter of the code; required unless the URI has it.", valueName: "n"),
    transform: OptionValue.counter)
  var counter: UInt64?
}

/// All inputs of a code.
enum CodeKey {
  case totp(TOTP, time: Int64)
  case hotp(HOTP, counter: UInt64)
}

extension CodeOptions {
  /// Combines the options with the secret's source. A URI sets the defaults, which options override.
  func key(from source: KeySourceOptions.Source) throws(ToolError) -> CodeKey {
    switch source {
    case .secret(let secret):
      return try key(secret: secret, type: key.type ?? .totp, algorithm: .sha1, digits: .six)
    case .uri(let uri):
      switch uri.kind {
      case .totp(let period):
        return try key(
          secret: uri.secret, type: key.type ?? .totp, algorithm: uri.algorithm, digits: uri.digits, period: period)
      case .hotp(let counter):
        return try key(
          secret: uri.secret, type: key.type ?? .hotp, algorithm: uri.algorithm, digits: uri.digits, counter: counter)
      }
    }
  }

  /// Combines the options with a URI's values.
  private func key(
    secret: OTPSecret, type: CodeType, algorithm: HashAlgorithm, digits: OTPCode.Digits, period: Int64 = 30,
    counter: UInt64? = nil
  ) throws(ToolError) -> CodeKey {
    let algorithm = key.hash.algorithm ?? algorithm
    let digits = key.digits ?? digits
    switch type {
    case .totp:
      guard self.counter == nil else { throw .usage("--counter is only for --type hotp") }
      return try calling(blaming: .usage) { () throws(OTPError) in
        let totp = try TOTP(
          secret: secret, algorithm: algorithm, digits: digits, period: key.period ?? period, t0: t0 ?? 0)
        return .totp(totp, time: at ?? currentTime())
      }
    case .hotp:
      guard key.period == nil, t0 == nil, at == nil else {
        throw .usage("--period, --t0 and --at are only for --type totp")
      }
      guard let counter = self.counter ?? counter else { throw .usage("--counter is required with --type hotp") }
      return try calling(blaming: .usage) { () throws(OTPError) in
        .hotp(try HOTP(secret: secret, algorithm: algorithm, digits: digits), counter: counter)
      }
    }
  }
}
