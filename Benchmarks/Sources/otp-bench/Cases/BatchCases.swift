import CPeers
import OTP

/// Many users, each with their own secret and window, whose requests are made again each time, as by a server that has
/// just read them from the network; and many codes of one secret.
enum BatchCases {
  static let people = 1024
  private static let side = 1

  static var all: [Case] { HashAlgorithm.allCases.flatMap { [batch($0), codes($0)] } }

  private static func batch(_ algorithm: HashAlgorithm) -> Case {
    let row = "verify \(people) people, ±\(side), \(algorithm.name)"
    return Case(name: row) {
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
      let step = Fixtures.firstStep
      let codes = try secrets.indices.map { person in
        let own = step + UInt64((7 + person % 97) / 30) + UInt64(side)
        return try SubmittedCode(Fixtures.code(secrets[person], algorithm, own).description)
      }
      for (code, expected) in [({ codes[$0] }, people...people), ({ codes[($0 + 1) % people] }, 0...3)] {
        // About one in 100,000 of the next user's codes is right by chance.
        let accepted = VerificationBatch.verify(requests(code, step)).count { (try? $0.get())?.isAccepted ?? false }
        try require(expected.contains(accepted), row, "swift-otp")
      }

      let outcomes = UnsafeMutableBufferPointer<VerificationBatch.Outcome>.allocate(capacity: people)
      var subjects = [swiftOTP(verifiers, window, guess)]
      // The same without making the requests, which were made in advance for a few steps.
      let kept = (0..<4).map { requests({ _ in guess }, Fixtures.firstStep + UInt64($0)) }
      subjects.append(
        Subject("requests kept", operationsPerCall: people) { input in
          var span = unsafe OutputSpan(buffer: outcomes, initializedCount: 0)
          let requests = kept[input & 3]
          try? VerificationBatch.verify(requests.span, into: &span)
          consume(unsafe span.finalize(for: outcomes))
        })
      for (index, (name, _)) in Peers.all(for: algorithm).enumerated() where name != Peers.ipsecMB {
        let peers = secrets.map { secret in
          let peer = Peers.all(for: algorithm)[index].peer
          peer.prepare(secret)
          return peer
        }
        try checkValues(peers[0], secrets[0], algorithm, row, name)
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
      if let name = Peers.ipsecMB { subjects.append(try ipsecMB(name, row, secrets, algorithm)) }
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

  /// All users' counters in bursts, as a server would pack them itself.
  private static func ipsecMB(
    _ name: String, _ row: String, _ secrets: [[UInt8]], _ algorithm: HashAlgorithm
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
        try require(UInt32(code.description) == value % 1_000_000, row, name)
      }
    }
    return Subject(name, operationsPerCall: peers.count) { input in
      withExtendedLifetime(peers) {
        compute(Fixtures.firstStep &+ UInt64(input))
        var accepted = 0
        for index in values.indices where unsafe values[index] % 1_000_000 == Fixtures.guessNumber { accepted += 1 }
        consume(accepted)
      }
    }
  }

  private static func codes(_ algorithm: HashAlgorithm) -> Case {
    let count = 4096
    let row = "\(count) codes, \(algorithm.name)"
    return Case(name: row) {
      let secret = Fixtures.secret(for: algorithm)
      let hotp = try HOTP(secret: OTPSecret(bytes: secret), algorithm: algorithm)
      let first = Fixtures.firstStep
      let codes = try hotp.codes(counters: first...(first + UInt64(count) - 1))
      for index in [0, 1, 17, count - 1] {
        try require(
          try codes[index] == Fixtures.code(secret, algorithm, first + UInt64(index)), row, "swift-otp")
      }
      let output = UnsafeMutableBufferPointer<OTPCode>.allocate(capacity: count)
      var subjects = [
        Subject("swift-otp", operationsPerCall: count) { input in
          let start = first &+ UInt64(input) &* UInt64(count)
          var span = unsafe OutputSpan(buffer: output, initializedCount: 0)
          try? hotp.codes(counters: start...(start + UInt64(count) - 1), into: &span)
          consume(unsafe span.finalize(for: output))
        }
      ]
      let values = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: count)
      for (name, peer) in Peers.all(for: algorithm) {
        peer.prepare(secret)
        try checkValues(peer, secret, algorithm, row, name)
        subjects.append(
          Subject(name, operationsPerCall: count) { input in
            unsafe peer.writeValues(from: first &+ UInt64(input) &* UInt64(count), to: values)
            for index in values.indices { unsafe values[index] %= 1_000_000 }
            consume(unsafe values[input % count])
          })
      }
      return subjects
    }
  }

  /// Checks that a peer gives the right values in one call for several counters.
  private static func checkValues(
    _ peer: any Peer, _ secret: [UInt8], _ algorithm: HashAlgorithm, _ row: String, _ name: String
  ) throws {
    var values = [UInt32](repeating: 0, count: 37)
    unsafe values.withUnsafeMutableBufferPointer { values in
      unsafe peer.writeValues(from: Fixtures.firstStep, to: values)
    }
    for (index, value) in values.enumerated() {
      let code = try Fixtures.code(secret, algorithm, Fixtures.firstStep + UInt64(index))
      try require(UInt32(code.description) == value % 1_000_000, row, name)
    }
  }
}
