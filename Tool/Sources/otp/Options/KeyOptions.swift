/// The parameters of a key other than its secret, for codes and for URIs.
///
/// Numbers are parsed unconditionally, here and elsewhere: `--at -5` is a time before 1970, not an option named 5.
struct KeyOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The type of codes. (default: totp)", valueName: "totp|hotp"),
    completion: .list(CodeType.allCases.map(\.rawValue)), transform: OptionValue.word(of: CodeType.self))
  var type: CodeType?

  @OptionGroup var hash: AlgorithmOption

  @Option(
    parsing: .unconditional, help: ArgumentHelp("How many digits a code has: 6, 7 or 8. (default: 6)", valueName: "n"),
    transform: OptionValue.digits)
  var digits: OTPCode.Digits?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("totp: the length of a step. (default: 30)", valueName: "seconds"),
    transform: OptionValue.period)
  var period: Int64?
}

/// The hash function.
struct AlgorithmOption: ParsableArguments {
  @Option(
    help: ArgumentHelp("The hash function: SHA1, SHA256 or SHA512. (default: SHA1)", valueName: "name"),
    completion: .list(HashAlgorithm.allCases.map(\.name)), transform: OptionValue.algorithm)
  var algorithm: HashAlgorithm?
}
