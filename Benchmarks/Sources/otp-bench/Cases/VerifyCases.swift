import CPeers
import OTP

/// One code, over a window: with a key that is kept, and from the secret.
enum VerifyCases {
  static var all: [Case] {
    [window(.sha1, 5, isCold: false)]
      + HashAlgorithm.allCases.flatMap { algorithm in [false, true].map { window(algorithm, 1, isCold: $0) } }
  }

  /// Checks a verifier at both ends of its window, one step beyond each, and with a wrong code.
  private static func check(
    _ row: String, _ name: String, _ secret: [UInt8], _ algorithm: HashAlgorithm, steps: ClosedRange<Int>,
    _ verify: (_ code: String) -> Bool
  ) throws {
    for (offset, isRight) in [
      (steps.lowerBound, true), (steps.upperBound, true), (steps.lowerBound - 1, false), (steps.upperBound + 1, false),
    ] {
      let counter = UInt64(Int64(Fixtures.firstStep) + Int64(offset))
      let code = try Fixtures.code(secret, algorithm, counter)
      try require(verify(code.description) == isRight, row, name)
    }
    try require(!verify(Fixtures.guess), row, name)
  }

  private static func window(_ algorithm: HashAlgorithm, _ side: Int, isCold: Bool) -> Case {
    let row = "verify, ±\(side), \(algorithm.name)\(isCold ? ", from the secret" : "")"
    return Case(name: row) {
      let secret = Fixtures.secret(for: algorithm)
      let totp = try TOTP(secret: OTPSecret(bytes: secret), algorithm: algorithm)
      let window = try VerificationWindow.adjacent(side)
      let first = Fixtures.firstStep
      let time = Fixtures.time(ofStep: first)
      // Two closures, so that neither includes the cost of a choice.
      let cached = { (code: SubmittedCode, time: Int64) -> Bool in
        let verification = try? totp.verify(code, at: time, window: window, after: nil)
        return verification?.isAccepted ?? false
      }
      let cold = { (code: SubmittedCode, time: Int64) -> Bool in
        let verification = try? TOTP.verify(
          code, secret: secret.span, algorithm: algorithm, timeStep: totp.timeStep, at: time, window: window, after: nil
        )
        return verification?.isAccepted ?? false
      }
      let engine = isCold ? cold : cached
      try check(row, "swift-otp", secret, algorithm, steps: -side...side) { text in
        (try? SubmittedCode(text)).map { engine($0, time) } ?? false
      }
      let guess = try SubmittedCode(Fixtures.guess)
      var subjects = [
        isCold
          ? Subject("swift-otp") { consume(cold(guess, time &+ Int64($0) &* 30)) }
          : Subject("swift-otp") { consume(cached(guess, time &+ Int64($0) &* 30)) }
      ]

      if LibOTP.isLoaded && algorithm == .sha1 { subjects.append(try libotp(row, secret, side, isCold)) }
      let count = 2 * side + 1
      for (name, peer) in Peers.all(for: algorithm) {
        peer.prepare(secret)
        let verify = { (code: UInt32, step: UInt64) -> Bool in
          if isCold { peer.prepare(secret) }
          return peer.verify(code, modulus: 1_000_000, from: step &- UInt64(side), count: count)
        }
        try check(row, name, secret, algorithm, steps: -side...side) { verify(UInt32($0) ?? .max, first) }
        subjects.append(Subject(name) { consume(verify(Fixtures.guessNumber, first &+ UInt64($0))) })
      }
      // liboath starts from the secret each time, since it has no prepared keys.
      if let name = Peers.liboath {
        let verify = { (code: String, step: UInt64) -> Bool in
          unsafe peer_liboath_validate_totp(
            algorithm.peerHash, secret, secret.count, Fixtures.time(ofStep: step), side, code) >= 0
        }
        try check(row, name, secret, algorithm, steps: -side...side) { verify($0, first) }
        subjects.append(Subject(name) { consume(verify(Fixtures.guess, first &+ UInt64($0))) })
      }
      return subjects
    }
  }

  private static func libotp(_ row: String, _ secret: [UInt8], _ side: Int, _ isCold: Bool) throws -> Subject {
    let library = try LibOTP(secret, side: side)
    let verify = isCold ? library.verifyCold : library.verify
    let time = Fixtures.time(ofStep: Fixtures.firstStep)
    try check(row, "libotp", secret, .sha1, steps: -side...side) { verify(LibOTP.Text($0), time) }
    let guess = LibOTP.Text(Fixtures.guess)
    return isCold
      ? Subject("libotp") { consume(library.verifyCold(guess, at: time &+ Int64($0) &* 30)) }
      : Subject("libotp") { consume(library.verify(guess, at: time &+ Int64($0) &* 30)) }
  }
}
