import COTPSupport
import CPeers
import OTP

/// `verify/<hash>/window1/fenced`: a verification that does not overlap with the one before, and the kernels that it
/// calls. The difference is the cost of everything around them.
enum FencedCases {
  static var all: [Case] { HashAlgorithm.allCases.map(fenced) }

  private static func fenced(_ algorithm: HashAlgorithm) -> Case {
    let row = "verify/\(algorithm.rowName)/window1/fenced"
    return Case(name: row, unit: "verification") {
      let secret = Fixtures.secret(for: algorithm)
      let totp = try TOTP(secret: OTPSecret(bytes: secret), algorithm: algorithm)
      let guess = try SubmittedCode(Fixtures.guess)
      let first = Fixtures.firstStep
      let time = Fixtures.time(ofStep: first)
      let code = try Fixtures.code(secret, algorithm, first + 1)
      try require(try totp.verify(code.description, at: time, after: nil).isAccepted, row, "swift-otp")

      let hash = otp_kernel_hash(rawValue: UInt32(algorithm.peerHash))
      guard let plan = unsafe otp_lanes_plan(OTP_LANES_FASTEST, hash) else { return [] }
      let midstates = UnsafeMutablePointer<otp_midstates>.allocate(capacity: 1)
      unsafe midstates.initialize(to: otp_midstates())
      unsafe otp_lanes_prepare(plan, secret, secret.count, midstates)
      let values = UnsafeMutablePointer<UInt32>.allocate(capacity: 3)
      unsafe values.initialize(repeating: 0, count: 3)
      let compute = { (step: UInt64) in unsafe otp_lanes_key_values(plan, midstates, step &- 1, 3, values) }
      compute(first)
      try require(unsafe Int(values[2] % 1_000_000) == Int(code.description), row, "kernels")
      return [
        Subject("swift-otp") { input in
          peer_fence()
          let verification = try? totp.verify(guess, at: time &+ Int64(input) &* 30, after: nil)
          consume(verification?.isAccepted ?? false)
        },
        Subject("kernels") { input in
          peer_fence()
          compute(first &+ UInt64(input))
          consume(unsafe values[0])
        },
      ]
    }
  }
}
