import CPeers
import OTP

/// `verify-batch/sha1/random`: batches of 4,096 users out of a million whose keys are kept, so that hardly any key is
/// in the CPU's caches. The requests are made in advance.
enum RandomKeyCases {
  private static let row = "verify-batch/sha1/random"
  private static let keys = 1_000_000
  private static let people = 4096
  private static let batches = 16

  static var all: [Case] {
    [
      Case(name: row, unit: "verification") {
        let chosen = (0..<batches * people).map { Int(scrambled(UInt64($0)) % UInt64(keys)) }
        var subjects = [try swiftOTP(chosen)]
        if LibOTP.isLoaded { subjects.append(try libOTP(chosen)) }
        return subjects
      }
    ]
  }

  private static func swiftOTP(_ chosen: [Int]) throws -> Subject {
    let verifiers = try (0..<keys).map { try TOTP(secret: OTPSecret(bytes: secret($0))) }
    let guess = try SubmittedCode(Fixtures.guess)
    let time = Fixtures.time(ofStep: Fixtures.firstStep)
    let kept = (0..<batches).map { batch in
      (0..<people).map { person in
        VerificationBatch.Request(
          guess, totp: verifiers[chosen[batch * people + person]], at: time + Int64(person % 97), after: nil)
      }
    }
    let right = try (0..<people).map { person in
      let totp = verifiers[chosen[person]]
      return try VerificationBatch.Request(
        SubmittedCode(totp.code(at: time).description), totp: totp, at: time, after: nil)
    }
    let answers = VerificationBatch.verify(right)
    try require(answers.allSatisfy { (try? $0.get())?.isAccepted ?? false }, row, "swift-otp")

    let outcomes = UnsafeMutableBufferPointer<VerificationBatch.Outcome>.allocate(capacity: people)
    return Subject("swift-otp", operationsPerCall: people) { input in
      var span = unsafe OutputSpan(buffer: outcomes, initializedCount: 0)
      let requests = kept[input % batches]
      try? VerificationBatch.verify(requests.span, into: &span)
      consume(unsafe span.finalize(for: outcomes))
    }
  }

  private static func libOTP(_ chosen: [Int]) throws -> Subject {
    let library = try (0..<keys).map { try LibOTP(secret($0)) }
    let guess = LibOTP.Text(Fixtures.guess)
    let time = Fixtures.time(ofStep: Fixtures.firstStep)
    let window = UnsafeMutablePointer<otp_window>.allocate(capacity: 1)
    unsafe window.initialize(to: .adjacent(1))
    let requests = { (code: (Int) -> LibOTP.Text, people: Range<Int>) -> [otp_request] in
      unsafe people.map { unsafe otp_request(library[chosen[$0]].key, code($0), at: time + Int64($0 % 97), window) }
    }
    let kept = unsafe (0..<batches).map { unsafe requests({ _ in guess }, $0 * people..<($0 + 1) * people) }
    let results = UnsafeMutableBufferPointer<otp_match>.allocate(capacity: people)
    unsafe results.initialize(repeating: .empty)

    let codes = try (0..<people).map {
      LibOTP.Text(
        try Fixtures.code(secret(chosen[$0]), .sha1, Fixtures.firstStep + UInt64((7 + $0 % 97) / 30)).description)
    }
    let right = unsafe requests({ codes[$0] }, 0..<people)
    // A request holds addresses of texts and keys, which do not keep them alive.
    let status = withExtendedLifetime((codes, library)) {
      unsafe peer_libotp_verify_batch(right, people, results.baseAddress)
    }
    let accepted = unsafe results.allSatisfy { $0.status == OTP_OK && $0.result == OTP_ACCEPTED }
    try require(status == OTP_OK && accepted, row, "libotp")

    return Subject("libotp", operationsPerCall: people) { input in
      withExtendedLifetime((guess, library)) {
        consume(unsafe peer_libotp_verify_batch(kept[input % batches], people, results.baseAddress) == OTP_OK)
      }
    }
  }

  /// A different key for each user.
  private static func secret(_ index: Int) -> [UInt8] {
    (0..<3).flatMap { part in
      let word = scrambled(UInt64(3 * index + part))
      return (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
    }
  }

  /// A pseudo-random number (SplitMix64).
  private static func scrambled(_ number: UInt64) -> UInt64 {
    var word = (number &+ 1) &* 0x9E37_79B9_7F4A_7C15
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }
}
