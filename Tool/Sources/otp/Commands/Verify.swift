import ArgumentParser
import OTP

/// `otp verify`
struct Verify: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Verify a submitted code.",
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
    try VerificationReport(result: result, isHOTP: isHOTP).print(asJSON: output.json)
    guard result.isAccepted else { throw ExitStatus.negative }
  }
}

/// What `otp verify` prints.
private struct VerificationReport: Report {
  let result: Verification
  let isHOTP: Bool

  var lines: [String] {
    guard case .accepted(let movingFactor, let offset) = result else { return [name] }
    return ["accepted \(isHOTP ? "counter" : "step")=\(movingFactor) offset=\(offset)"]
  }

  private var name: String {
    switch result {
    case .accepted: "accepted"
    case .replayed: "replayed"
    case .rejected: "rejected"
    }
  }

  private enum Key: CodingKey {
    case result, step, counter, offset, nextCounter
  }

  func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: Key.self)
    try object.encode(name, forKey: .result)
    guard case .accepted(let movingFactor, let offset) = result else { return }
    try object.encode(String(movingFactor), forKey: isHOTP ? .counter : .step)
    try object.encode(offset, forKey: .offset)
    // `null` after counter 2^64-1: the secret has no more codes.
    if isHOTP { try object.encode(result.nextCounter.map(String.init), forKey: .nextCounter) }
  }
}
