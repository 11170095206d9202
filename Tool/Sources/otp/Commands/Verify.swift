/// `otp verify`
struct Verify: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Verify a submitted code.",
    discussion: """
      Prints 'accepted step=S offset=O', 'replayed' or 'rejected'. Nothing is stored: after an acceptance, keep S and \
      pass it as --after (totp), or continue with counter S+1 (hotp), so that each code is accepted only once.

      Scripts should put the code after '--', so that it cannot be taken for an option.

      EXAMPLE: otp verify --secret-file key.txt --at 61 --after 0 -- 287082
      """)

  @Argument(help: "The code as typed. Other users of the machine can see it.")
  var code: String

  @OptionGroup(title: "Secret (exactly one)") var source: KeySourceOptions
  @OptionGroup(title: "Code") var options: CodeOptions
  @OptionGroup(title: "Window") var window: WindowOptions
  @OptionGroup var output: JSONOption

  func run() throws {
    let result: Verification
    var isHOTP = false
    switch try options.key(from: source.read()) {
    case .totp(let totp, let time):
      let sides = try window.totpWindow()
      result = try calling(blaming: .usage) { () throws(OTPError) in
        try totp.verify(code, at: time, window: sides, after: window.after)
      }
    case .hotp(let hotp, let counter):
      isHOTP = true
      let lookAhead = try window.hotpLookAhead()
      result = try calling(blaming: .usage) { () throws(OTPError) in
        try hotp.verify(code, counter: counter, lookAhead: lookAhead)
      }
    }
    try result.line(isHOTP: isHOTP).print(asJSON: output.json)
    guard result.isAccepted else { throw ExitStatus.negative }
  }
}

extension Verification {
  /// The result, with the step or counter as a text, since JSON's numbers are not exact beyond 2^53.
  fileprivate func line(isHOTP: Bool) -> Line {
    switch self {
    case .replayed: return Line("replayed", [])
    case .rejected: return Line("rejected", [])
    case .accepted(let movingFactor, let offset):
      let fields = [Field(isHOTP ? "counter" : "step", String(movingFactor)), Field("offset", offset)]
      // `null` after counter 2^64-1: the secret has no more codes.
      let next = Field("nextCounter", .some(nextCounter.map(String.init)), text: nil)
      return Line("accepted", fields + (isHOTP ? [next] : []))
    }
  }
}
