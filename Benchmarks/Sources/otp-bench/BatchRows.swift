import CPeers
import OTP

/// Many users, each with their own secret and window, whose requests are made again each time, as by a server that has
/// just read them from the network; and many codes of one secret.
enum BatchRows {
  static func all(_ peers: [peer]) -> [Row] {
    HashAlgorithm.allCases.flatMap { [people($0, peers), codes($0, peers)] }
  }

  private static func people(_ hash: HashAlgorithm, _ peers: [peer]) -> Row {
    let (people, side) = (1024, 1)
    return Row(name: "verify \(people) people, ±\(side), \(hash.name)") {
      let secrets = (0..<people).map { Fixtures.secret(for: hash, $0) }
      let verifiers = try secrets.map { try TOTP(secret: OTPSecret(bytes: $0), algorithm: hash) }
      let window = try VerificationWindow.adjacent(side)
      let first = Fixtures.firstStep
      // The users' times are up to 97 seconds apart, so that their steps differ.
      func requests(_ step: UInt64, _ codes: [SubmittedCode]) -> [VerificationBatch.Request] {
        let start = Fixtures.time(ofStep: step)
        return codes.indices.map {
          .init(codes[$0], totp: verifiers[$0], at: start + Int64($0 % 97), window: window, after: nil)
        }
      }
      let earliest = { (input: Int) in (0..<people).map { first - UInt64(side) + UInt64(input + (7 + $0 % 97) / 30) } }

      let codes = try zip(secrets, earliest(2 * side)).map { try SubmittedCode(Fixtures.code($0, hash, $1)) }
      // About one in 100,000 of the next user's codes is right by chance.
      for (submitted, expected) in [(codes, people...people), (Array(codes.dropFirst() + codes.prefix(1)), 0...3)] {
        let outcomes = VerificationBatch.verify(requests(first, submitted))
        try require(expected.contains(outcomes.count { (try? $0.get())?.isAccepted ?? false }), "swift-otp")
      }

      let outcomes = UnsafeMutableBufferPointer<VerificationBatch.Outcome>.allocate(capacity: people)
      func verify(_ requests: [VerificationBatch.Request]) {
        var span = unsafe OutputSpan(buffer: outcomes, initializedCount: 0)
        try? VerificationBatch.verify(requests.span, into: &span)
        consume(unsafe span.finalize(for: outcomes) > 0)
      }
      let guesses = try codes.map { _ in try SubmittedCode(Fixtures.guess) }
      let kept = (0..<4).map { requests(first + $0, guesses) }
      return try [
        Subject("swift-otp", operationsPerCall: people) { verify(requests(first &+ UInt64($0), guesses)) },
        Subject("requests kept", operationsPerCall: people) { verify(kept[$0 & 3]) },
      ]
        + subjects(peers, hash, secrets, count: 2 * side + 1, from: earliest)
    }
  }

  private static func codes(_ hash: HashAlgorithm, _ peers: [peer]) -> Row {
    let count = 4096
    return Row(name: "\(count) codes, \(hash.name)") {
      let secret = Fixtures.secret(for: hash)
      let hotp = try HOTP(secret: OTPSecret(bytes: secret), algorithm: hash)
      let first = { (input: Int) in Fixtures.firstStep + UInt64(input * count) }
      let range = { (input: Int) in first(input)...first(input + 1) - 1 }
      let right = try Fixtures.codes(secret, hash, from: first(0), count: count)
      try require(try hotp.codes(counters: range(0)) == right, "swift-otp")
      let output = UnsafeMutableBufferPointer<OTPCode>.allocate(capacity: count)
      let own = Subject("swift-otp", operationsPerCall: count) { input in
        var span = unsafe OutputSpan(buffer: output, initializedCount: 0)
        try? hotp.codes(counters: range(input), into: &span)
        consume(unsafe span.finalize(for: output) > 0)
      }
      return try [own] + subjects(peers, hash, [secret], count: count) { [first($0)] }
    }
  }

  /// The peers that compute values: `count` for each secret, from counters that depend on the call's number.
  private static func subjects(
    _ peers: [peer], _ hash: HashAlgorithm, _ secrets: [[UInt8]], count: Int,
    from first: @escaping (Int) -> [UInt64]
  ) throws -> [Subject] {
    let guess = Peer.code(Fixtures.guess).number
    return try peers.compactMap { functions in
      guard unsafe functions.values != nil else { return nil }
      let peer = Peer(functions, hash, secrets, count: count)
      try peer.check(from: first(0))
      // As many as there are people, or codes of one.
      return Subject(peer.name, operationsPerCall: max(secrets.count, count)) { input in
        consume(unsafe peer.finds(guess, from: first(input)))
      }
    }
  }
}
