import CPeers
import OTP

/// `code/<hash>/{cached,cold}` and `codes-batch/<hash>`.
enum CodeCases {
  static var all: [Case] {
    HashAlgorithm.allCases.flatMap { algorithm in
      [single(algorithm, isCold: false), single(algorithm, isCold: true), bulk(algorithm)]
    }
  }

  private static func single(_ algorithm: HashAlgorithm, isCold: Bool) -> Case {
    let row = "code/\(algorithm.rowName)/\(isCold ? "cold" : "cached")"
    return Case(name: row, unit: "code") {
      let secret = Fixtures.secret(for: algorithm)
      let bytes = try OTPSecret(bytes: secret)
      let kept = try HOTP(secret: bytes, algorithm: algorithm)
      let engine = { (counter: UInt64) -> OTPCode? in
        isCold
          ? try? HOTP(secret: bytes, algorithm: algorithm).code(counter: counter) : try? kept.code(counter: counter)
      }
      let first = Fixtures.firstStep
      try require(try engine(first) == Fixtures.code(secret, algorithm, first), row, "swift-otp")
      var subjects = [Subject("swift-otp") { consume(engine(first &+ UInt64($0))) }]

      if LibOTP.isLoaded && algorithm == .sha1 && !isCold { subjects.append(try libotp(secret, row)) }
      for (name, peer) in Peers.all(for: algorithm) where name != "ipsec-mb" {
        peer.prepare(secret)
        try check(peer, secret, algorithm, row, name)
        subjects.append(
          Subject(name) { input in
            if isCold { peer.prepare(secret) }
            var value: UInt32 = 0
            unsafe withUnsafeMutablePointer(to: &value) { value in
              unsafe peer.writeValues(from: first &+ UInt64(input), to: .init(start: value, count: 1))
            }
            consume(value % 1_000_000)
          })
      }
      if Peers.hasLiboath && isCold { subjects.append(try liboath(secret, algorithm, row)) }
      return subjects
    }
  }

  private static func libotp(_ secret: [UInt8], _ row: String) throws -> Subject {
    let library = try LibOTP(secret)
    let code = LibOTP.Text("         ")
    for step in [Fixtures.firstStep, 0, .max] {
      let isWritten = unsafe library.writeCode(of: step, to: code.start)
      let text = unsafe String(cString: code.start)
      try require(try isWritten && text == Fixtures.code(secret, .sha1, step).description, row, "libotp")
    }
    return Subject("libotp") { consume(unsafe library.writeCode(of: Fixtures.firstStep &+ UInt64($0), to: code.start)) }
  }

  private static func liboath(_ secret: [UInt8], _ algorithm: HashAlgorithm, _ row: String) throws -> Subject {
    let generate = { (step: UInt64) -> UInt32 in
      unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 9) { text in
        unsafe text.initialize(repeating: 0)
        let time = Fixtures.time(ofStep: step)
        guard unsafe peer_liboath_totp(algorithm.peerHash, secret, secret.count, time, 6, text.baseAddress) == 1 else {
          return .max
        }
        var number: UInt32 = 0
        for index in 0..<6 { number = unsafe number * 10 + UInt32(text[index] - 48) }
        return number
      }
    }
    let expected = try UInt32(Fixtures.code(secret, algorithm, Fixtures.firstStep).description)
    try require(generate(Fixtures.firstStep) == expected, row, "liboath")
    return Subject("liboath") { consume(generate(Fixtures.firstStep &+ UInt64($0))) }
  }

  private static func bulk(_ algorithm: HashAlgorithm) -> Case {
    let count = 4096
    let row = "codes-batch/\(algorithm.rowName)"
    return Case(name: row, unit: "code") {
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
        try check(peer, secret, algorithm, row, name)
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
  static func check(
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
