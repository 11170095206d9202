import CPeers
import OTP

/// One code, over a window: with a key that is kept, and from the secret.
enum VerifyRows {
  static func all(_ peers: [peer]) -> [Row] {
    [row(.sha1, 5, fromSecret: false, peers)]
      + HashAlgorithm.allCases.flatMap { hash in [false, true].map { row(hash, 1, fromSecret: $0, peers) } }
  }

  private static func row(_ hash: HashAlgorithm, _ side: Int, fromSecret: Bool, _ peers: [peer]) -> Row {
    Row(name: "verify, ±\(side), \(hash.name)\(fromSecret ? ", from the secret" : "")") {
      let secret = Fixtures.secret(for: hash)
      let totp = try TOTP(secret: OTPSecret(bytes: secret), algorithm: hash)
      let window = try VerificationWindow.adjacent(side)
      // Two closures, so that neither includes the cost of a choice.
      let kept = { (code: SubmittedCode, step: UInt64) -> Bool in
        (try? totp.verify(code, at: Fixtures.time(ofStep: step), window: window, after: nil))?.isAccepted ?? false
      }
      let cold = { (code: SubmittedCode, step: UInt64) -> Bool in
        let verification = try? TOTP.verify(
          code, secret: secret.span, algorithm: hash, timeStep: totp.timeStep, at: Fixtures.time(ofStep: step),
          window: window, after: nil)
        return verification?.isAccepted ?? false
      }
      /// Checks it at both ends of the window, one step beyond each, and with a wrong code.
      func subject<Code>(
        _ subject: String, _ read: (String) throws -> Code, _ verify: @escaping (Code, UInt64) -> Bool
      ) throws -> Subject {
        let guess = try read(Fixtures.guess)
        let first = Fixtures.firstStep
        for (distance, isRight) in [(side, true), (side + 1, false)] {
          for step in [first - UInt64(distance), first + UInt64(distance)] {
            try require(verify(try read(Fixtures.code(secret, hash, step)), first) == isRight, subject)
          }
        }
        try require(!verify(guess, first), subject)
        return Subject(subject) { consume(verify(guess, first &+ UInt64($0))) }
      }
      return try [subject("swift-otp", { try SubmittedCode($0) }, fromSecret ? cold : kept)]
        + peers.compactMap { functions in
          let peer = Peer(functions, hash, [secret], count: 2 * side + 1)
          return try peer.verifier(side, fromSecret: fromSecret).map { try subject(peer.name, Peer.code, $0) }
        }
    }
  }
}
