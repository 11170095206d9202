import OTP

/// One use of the engine with everything secret tainted. Memcheck's reports are counted around it.
struct Scenario {
  let name: String
  /// Whether the scenario contains a leak on purpose, which must be reported.
  var isControl = false
  let run: () throws -> Void
}

/// What went wrong with a scenario itself.
struct ScenarioError: Error, CustomStringConvertible {
  let description: String
}

private let seed = Array("12345678901234567890".utf8)

/// What must run without a report, and what must not.
func allScenarios() -> [Scenario] {
  base32Scenarios() + codeScenarios() + verificationScenarios() + controlScenarios()
}

private func taintedSecret(_ bytes: [UInt8] = seed) throws -> OTPSecret {
  try TaintedBytes(bytes).withBytes { bytes in try OTPSecret(bytes: bytes) }
}

private func base32Scenarios() -> [Scenario] {
  let texts = [
    ("canonical", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"), ("padded", "GEZDGNBVGY======"),
    ("lower case in groups", "gezd gnbv-gy3t qojq"), ("left-over bits", "M7"),
  ]
  let decoding = texts.map { name, text in
    Scenario(name: "base32 decode: \(name)") {
      let secret = try TaintedBytes(text.utf8).withBytes { text in try OTPSecret(base32UTF8: text) }
      try secret.withBytes { bytes in try requireTainted(bytes[0]) }
    }
  }
  let refused = Scenario(name: "base32 decode: refused") {
    for text in ["GEZDGN!VGY", "GEZ", "GE=ZDGNB", "M7======"] {
      let secret = TaintedBytes(text.utf8).withBytes { text in try? OTPSecret(base32UTF8: text, strict: true) }
      guard secret == nil else { throw ScenarioError(description: "took \(text)") }
    }
  }
  let encoding = Scenario(name: "base32 encode, compare secrets") {
    let secret = try taintedSecret()
    guard secret.base32String() == "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ" else {
      throw ScenarioError(description: "wrong text")
    }
    // The answer is the caller's, who branches on it: shown by the control that compares in another way.
    guard isTainted(secret == (try taintedSecret())) else { throw ScenarioError(description: "the taint was lost") }
  }
  return decoding + [refused, encoding]
}

private func codeScenarios() -> [Scenario] {
  var scenarios: [Scenario] = []
  for backend in HMACBackend.allCases where backend.isAvailable {
    for algorithm in HashAlgorithm.allCases {
      scenarios.append(
        Scenario(name: "key set-up and code: \(backend.name) \(algorithm.name)") {
          for byteCount in [1, 20, algorithm.blockByteCount, algorithm.blockByteCount + 1] {
            let secret = try taintedSecret((0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) })
            let key = try HMACKey(secret, algorithm: algorithm, backend: backend)
            for digits in OTPCode.Digits.allCases {
              // 34 counters, among which SHA-1's RFC key meets every truncation offset.
              for counter in 0..<34 as Range<UInt64> {
                let code = try HOTP(key: key, digits: digits).code(counter: counter)
                try requireTainted(code)
                guard code.description.utf8.count == digits.rawValue else { throw ScenarioError(description: "digits") }
              }
            }
            let message = Array("message".utf8)
            let tag = try key.tag(for: message.span)
            try requireTainted(DynamicTruncation.truncate(tag.span) ?? 0)
          }
        })
    }
  }
  return scenarios
}

private func verificationScenarios() -> [Scenario] {
  var scenarios: [Scenario] = []
  for backend in HMACBackend.allCases where backend.isAvailable {
    scenarios.append(
      Scenario(name: "verify TOTP: \(backend.name)") {
        let totp = try TOTP(secret: taintedSecret(), backend: backend)
        // At the first place, the last, in the middle, nowhere, and at a spent step.
        for (code, after, expected) in [
          ("755224", nil, Verification.accepted(step: 0, offset: -5)),
          ("399871", nil, .accepted(step: 8, offset: 3)),
          ("254676", 4, .accepted(step: 5, offset: 0)),
          ("000000", nil, .rejected),
          ("287082", 3, .replayed),
        ] as [(String, UInt64?, Verification)] {
          let submitted = try TaintedBytes(code.utf8).withBytes { code in try SubmittedCode(utf8: code) }
          let found = try totp.verify(
            submitted, at: 150, window: VerificationWindow(behind: 10, ahead: 3), after: after)
          guard found == expected else { throw ScenarioError(description: "\(found) is not \(expected)") }
        }
      })
    scenarios.append(
      Scenario(name: "verify HOTP with look-ahead, resynchronize: \(backend.name)") {
        let hotp = try HOTP(secret: taintedSecret(), backend: backend)
        let codes = try ["338314", "254676", "287922"].map { code in
          try TaintedBytes(code.utf8).withBytes { code in try SubmittedCode(utf8: code) }
        }
        let found = try hotp.verify(codes[0], counter: 0, lookAhead: 100)
        guard found == .accepted(step: 4, offset: 4) else { throw ScenarioError(description: "\(found)") }
        let two = try hotp.resynchronize(codes[0], codes[1], counter: 0, lookAhead: 40)
        guard two == .accepted(step: 5, offset: 5) else { throw ScenarioError(description: "\(two)") }
        let three = try hotp.resynchronize(codes[0], codes[1], codes[2], counter: 0, lookAhead: 40)
        guard three == .accepted(step: 6, offset: 6) else { throw ScenarioError(description: "\(three)") }
        let miss = try hotp.resynchronize(codes[1], codes[0], counter: 0, lookAhead: 40)
        guard miss == .rejected else { throw ScenarioError(description: "\(miss)") }
      })
  }
  return scenarios
}

private func requireTainted<T>(_ value: T) throws {
  guard isTainted(value) else {
    throw ScenarioError(description: "the taint was lost on the way: the scenario shows nothing")
  }
}
