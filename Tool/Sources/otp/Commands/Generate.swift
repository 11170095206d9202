import ArgumentParser
import OTP

/// `otp generate`
struct Generate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print the code for a time or a counter.",
    discussion: """
      A key URI sets the defaults, which options override.

      EXAMPLE: otp generate --secret-file key.txt --at 59 --digits 8
      """)

  @OptionGroup(title: "Secret (exactly one)") var source: KeySourceOptions
  @OptionGroup(title: "Code") var options: CodeOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How many codes of consecutive steps or counters to print, 1 to 1000.", valueName: "n"),
    transform: OptionValue.number(in: 1...1000))
  var count = 1

  @OptionGroup var output: JSONOption

  func run() throws {
    let report =
      switch try options.key(from: source.read()) {
      case .totp(let totp, let time): try generate(totp, at: time)
      case .hotp(let hotp, let counter): try generate(hotp, from: counter)
      }
    try report.print(asJSON: output.json)
  }

  private func generate(_ totp: TOTP, at time: Int64) throws(ToolError) -> GeneratedCodes {
    let first = try calling(blaming: .usage) { () throws(OTPError) in try totp.timeStep.number(at: time) }
    let steps = try consecutive(from: first, called: "step")
    let codes = try calling(blaming: .usage) { () throws(OTPError) in
      try steps.map { (step) throws(OTPError) in
        GeneratedCodes.Code(code: try totp.code(forStep: step).description, step: String(step), counter: nil)
      }
    }
    return GeneratedCodes(
      type: .totp, algorithm: totp.key.algorithm.name, digits: totp.digits.rawValue, period: totp.timeStep.period,
      t0: String(totp.timeStep.t0), codes: codes)
  }

  private func generate(_ hotp: HOTP, from first: UInt64) throws(ToolError) -> GeneratedCodes {
    let counters = try consecutive(from: first, called: "counter")
    let codes = try calling(blaming: .usage) { () throws(OTPError) in
      try counters.map { (counter) throws(OTPError) in
        GeneratedCodes.Code(code: try hotp.code(counter: counter).description, step: nil, counter: String(counter))
      }
    }
    return GeneratedCodes(
      type: .hotp, algorithm: hotp.key.algorithm.name, digits: hotp.digits.rawValue, period: nil, t0: nil, codes: codes)
  }

  /// The steps or counters of the codes to print. There are no codes after 2^64-1.
  private func consecutive(from first: UInt64, called name: String) throws(ToolError) -> ClosedRange<UInt64> {
    let (last, overflow) = first.addingReportingOverflow(UInt64(count - 1))
    guard !overflow else { throw .usage("--count: exceeds \(name) 2^64-1") }
    return first...last
  }
}

/// What `otp generate` prints.
private struct GeneratedCodes: Report {
  struct Code: Encodable {
    let code: String
    let step: String?
    let counter: String?
  }

  let type: CodeType
  let algorithm: String
  let digits: Int
  let period: Int64?
  let t0: String?
  let codes: [Code]

  var lines: [String] { codes.map(\.code) }
}
