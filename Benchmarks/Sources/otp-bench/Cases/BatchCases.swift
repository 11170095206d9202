import CPeers
import OTP

/// `verify-batch/<hash>/window{1,5}`: many users, each with their own secret and window. The requests are made again
/// each time, as by a server that has just read them from the network.
enum BatchCases {
  static let people = 1024

  static var all: [Case] {
    HashAlgorithm.allCases.flatMap { algorithm in [1, 5].map { side in batch(algorithm, side) } }
  }

  private static func batch(_ algorithm: HashAlgorithm, _ side: Int) -> Case {
    let row = "verify-batch/\(algorithm.rowName)/window\(side)"
    return Case(name: row, unit: "verification") {
      let secrets = (0..<people).map { Fixtures.secret(for: algorithm, $0) }
      let verifiers = try secrets.map { try TOTP(secret: OTPSecret(bytes: $0), algorithm: algorithm) }
      let window = try VerificationWindow.adjacent(side)
      let guess = try SubmittedCode(Fixtures.guess)
      let requests = { (code: (Int) -> SubmittedCode, step: UInt64) -> [VerificationBatch.Request] in
        verifiers.indices.map { person in
          // A few seconds apart, so that their steps differ.
          let time = Fixtures.time(ofStep: step) + Int64(person % 97)
          return .init(code(person), totp: verifiers[person], at: time, window: window, after: nil)
        }
      }
      try check(row, "swift-otp", secrets, algorithm, side) { texts, step in
        let codes = try texts.map { try SubmittedCode($0) }
        return VerificationBatch.verify(requests({ codes[$0] }, step)).count { (try? $0.get())?.isAccepted ?? false }
      }

      let outcomes = UnsafeMutableBufferPointer<VerificationBatch.Outcome>.allocate(capacity: people)
      var subjects = [swiftOTP(verifiers, window, guess)]
      // The same without making the requests, which were made in advance for a few steps.
      let kept = (0..<4).map { requests({ _ in guess }, Fixtures.firstStep + UInt64($0)) }
      subjects.append(
        Subject("swift-otp-kept", operationsPerCall: people) { input in
          var span = unsafe OutputSpan(buffer: outcomes, initializedCount: 0)
          let requests = kept[input & 3]
          try? VerificationBatch.verify(requests.span, into: &span)
          consume(unsafe span.finalize(for: outcomes))
        })
      if LibOTP.isLoaded && algorithm == .sha1 && side == 1 { subjects.append(try LibOTPBatch.subject(row, secrets)) }
      for (index, (name, _)) in Peers.all(for: algorithm).enumerated() where name != "ipsec-mb" {
        let peers = secrets.map { secret in
          let peer = Peers.all(for: algorithm)[index].peer
          peer.prepare(secret)
          return peer
        }
        try CodeCases.check(peers[0], secrets[0], algorithm, row, name)
        subjects.append(
          Subject(name, operationsPerCall: people) { input in
            var accepted = 0
            for person in peers.indices {
              let first = Fixtures.firstStep &+ UInt64(input &+ person % 97 / 30) &- UInt64(side)
              let isFound = peers[person].verify(
                Fixtures.guessNumber, modulus: 1_000_000, from: first, count: 2 * side + 1)
              accepted += isFound ? 1 : 0
            }
            consume(accepted)
          })
      }
      if Peers.hasIPsecMB { subjects.append(try ipsecMB(row, secrets, algorithm, side)) }
      return subjects
    }
  }

  /// The engine with requests that are made for each batch.
  static func swiftOTP(_ verifiers: [TOTP], _ window: VerificationWindow, _ guess: SubmittedCode) -> Subject {
    let people = verifiers.count
    let outcomes = UnsafeMutableBufferPointer<VerificationBatch.Outcome>.allocate(capacity: people)
    return Subject("swift-otp", operationsPerCall: people) { input in
      let start = Fixtures.time(ofStep: Fixtures.firstStep &+ UInt64(input))
      var made: [VerificationBatch.Request] = []
      made.reserveCapacity(people)
      // Borrowed, not copied: keeping the verifiers alive is not part of the measured work.
      unsafe verifiers.withUnsafeBufferPointer { verifiers in
        for person in verifiers.indices {
          unsafe made.append(
            .init(guess, totp: verifiers[person], at: start + Int64(person % 97), window: window, after: nil))
        }
      }
      var span = unsafe OutputSpan(buffer: outcomes, initializedCount: 0)
      try? VerificationBatch.verify(made.span, into: &span)
      consume(unsafe span.finalize(for: outcomes))
    }
  }

  /// Checks that each user's right code is accepted, and the next user's is not.
  ///
  /// - Parameter accepted: How many of a code for each user are accepted at a step.
  static func check(
    _ row: String, _ subject: String, _ secrets: [[UInt8]], _ algorithm: HashAlgorithm, _ side: Int,
    _ accepted: (_ codes: [String], _ step: UInt64) throws -> Int
  ) throws {
    let step = Fixtures.firstStep
    let codes = try secrets.indices.map { person in
      let own = step + UInt64((7 + person % 97) / 30) + UInt64(side)
      return try Fixtures.code(secrets[person], algorithm, own).description
    }
    try require(accepted(codes, step) == codes.count, row, subject)
    // About one in 100,000 is right by chance.
    let wrong = try accepted(Array(codes.dropFirst()) + [codes[0]], step)
    try require((0...2 + codes.count / 1000).contains(wrong), row, subject)
  }

  /// All users' counters in bursts, as a server would pack them itself.
  private static func ipsecMB(
    _ row: String, _ secrets: [[UInt8]], _ algorithm: HashAlgorithm, _ side: Int
  ) throws -> Subject {
    let peers = secrets.map { secret in
      let peer = IPsecMBPeer(algorithm.peerHash)
      peer.prepare(secret)
      return peer
    }
    let count = 2 * side + 1
    var keys: [UnsafePointer<peer_ipsec_mb_key>?] = unsafe peers.map { unsafe UnsafePointer($0.key) }
    let values = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: peers.count * count)
    var first = [UInt64](repeating: 0, count: peers.count)
    let compute = { (step: UInt64) in
      for person in first.indices { first[person] = step &+ UInt64(person % 97 / 30) &- UInt64(side) }
      unsafe peer_ipsec_mb_many(&keys, first, keys.count, count, values.baseAddress)
    }
    compute(Fixtures.firstStep)
    for person in [0, 1, peers.count - 1] {
      for index in [0, count - 1] {
        let code = try Fixtures.code(secrets[person], algorithm, first[person] + UInt64(index))
        let value = unsafe values[person * count + index]
        try require(UInt32(code.description) == value % 1_000_000, row, "ipsec-mb")
      }
    }
    return Subject("ipsec-mb", operationsPerCall: peers.count) { input in
      withExtendedLifetime(peers) {
        compute(Fixtures.firstStep &+ UInt64(input))
        var accepted = 0
        for index in values.indices where unsafe values[index] % 1_000_000 == Fixtures.guessNumber { accepted += 1 }
        consume(accepted)
      }
    }
  }
}
