@_spi(Diagnostics) import OTP

func codeScenarios() -> [Scenario] {
  var scenarios: [Scenario] = []
  for backend in HMACBackend.allCases where backend.isAvailable {
    for algorithm in HashAlgorithm.allCases {
      scenarios.append(
        Scenario(name: "key set-up and code: \(backend.name) \(algorithm.name)") {
          for byteCount in [1, 20, algorithm.blockByteCount, algorithm.blockByteCount + 1] {
            let secret = try taintedSecret((0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) })
            let key = try HMACKey(secret, algorithm: algorithm, backend: backend)
            for digits in OTPCode.Digits.allCases {
              // Enough counters for every truncation offset.
              for counter in 0..<64 as Range<UInt64> {
                let code = try HOTP(key: key, digits: digits).code(counter: counter)
                try requireTainted(code)
                guard code == code, code.description.utf8.count == digits.rawValue else {
                  throw ScenarioError(description: "wrong code")
                }
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

/// Everything that processes many codes at a time, and verification from a secret's bytes.
func bulkScenarios() -> [Scenario] {
  HMACBackend.allCases.filter(\.isAvailable).flatMap { backend in
    [
      Scenario(name: "bulk codes: \(backend.name)") {
        for algorithm in HashAlgorithm.allCases {
          let hotp = try HOTP(secret: taintedSecret(), algorithm: algorithm, backend: backend)
          for code in try hotp.codes(counters: 0...69) { try requireTainted(code) }
        }
      },
      Scenario(name: "a batch: \(backend.name)") {
        let totp = try TOTP(secret: taintedSecret(), backend: backend)
        let others = try HashAlgorithm.allCases.map {
          try TOTP(secret: taintedSecret(), algorithm: $0, backend: backend)
        }
        let code = try taintedCode("254676")
        let requests =
          [VerificationBatch.Request(code, totp: totp, at: 150, after: nil)]
          + others.flatMap { other in
            (0..<9).map { .init(code, totp: other, at: 9000 + 30 * $0, window: .standard, after: nil) }
          } + [.init(code, hotp: try HOTP(secret: taintedSecret(), backend: backend), counter: 2, lookAhead: 90)]
        let outcomes = VerificationBatch.verify(requests)
        guard try outcomes[0].get() == .accepted(movingFactor: 5, offset: 0),
          try outcomes[requests.count - 1].get() == .accepted(movingFactor: 5, offset: 3)
        else { throw ScenarioError(description: "wrong outcomes") }
      },
      Scenario(name: "a secret that is not kept: \(backend.name)") {
        let code = try taintedCode("254676")
        let verification = try taintedSecret().withBytes { bytes throws(OTPError) in
          try TOTP.verify(code, secret: bytes, timeStep: TimeStep(), at: 150, after: nil, backend: backend)
        }
        guard verification == .accepted(movingFactor: 5, offset: 0) else { throw ScenarioError(description: "wrong") }
      },
    ]
  }
}

func verificationScenarios() -> [Scenario] {
  var scenarios: [Scenario] = []
  for backend in HMACBackend.allCases where backend.isAvailable {
    scenarios.append(
      Scenario(name: "verify TOTP: \(backend.name)") {
        let totp = try TOTP(secret: taintedSecret(), backend: backend)
        let window = try VerificationWindow(behind: 10, ahead: 3)
        // At the first step, the last, the middle one, none, and a spent one.
        for (code, after, expected) in [
          ("755224", nil, Verification.accepted(movingFactor: 0, offset: -5)),
          ("399871", nil, .accepted(movingFactor: 8, offset: 3)),
          ("254676", 4, .accepted(movingFactor: 5, offset: 0)),
          ("000000", nil, .rejected),
          ("287082", 3, .replayed),
        ] as [(String, UInt64?, Verification)] {
          let submitted = try taintedCode(code)
          try expectVerification(expected) { try totp.verify(submitted, at: 150, window: window, after: after) }
        }
      })
    scenarios.append(
      Scenario(name: "verify HOTP with look-ahead, resynchronize: \(backend.name)") {
        let hotp = try HOTP(secret: taintedSecret(), backend: backend)
        let codes = try ["338314", "254676", "287922"].map(taintedCode)
        try expectVerification(.accepted(movingFactor: 4, offset: 4)) {
          try hotp.verify(codes[0], counter: 0, lookAhead: 100)
        }
        try expectVerification(.accepted(movingFactor: 5, offset: 5)) {
          try hotp.resynchronize(codes[0], codes[1], counter: 0, lookAhead: 40)
        }
        try expectVerification(.accepted(movingFactor: 6, offset: 6)) {
          try hotp.resynchronize(codes[0], codes[1], codes[2], counter: 0, lookAhead: 40)
        }
        try expectVerification(.rejected) {
          try hotp.resynchronize(codes[1], codes[0], counter: 0, lookAhead: 40)
        }
      })
    scenarios.append(
      Scenario(name: "resynchronize TOTP: \(backend.name)") {
        let totp = try TOTP(secret: taintedSecret(), backend: backend)
        let codes = try ["338314", "254676", "287922"].map(taintedCode)
        for (after, expected) in [
          (nil, Verification.accepted(movingFactor: 5, offset: -45)), (3, .accepted(movingFactor: 5, offset: -45)),
          (4, .replayed),
        ] as [(UInt64?, Verification)] {
          try expectVerification(expected) { try totp.resynchronize(codes[0], codes[1], at: 1500, after: after) }
        }
        try expectVerification(.accepted(movingFactor: 6, offset: -44)) {
          try totp.resynchronize(codes[0], codes[1], codes[2], at: 1500, after: nil)
        }
        try expectVerification(.rejected) { try totp.resynchronize(codes[1], codes[0], at: 1500, after: nil) }
      })
  }
  return scenarios
}
