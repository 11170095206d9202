import OTP

func allScenarios() -> [Scenario] { controls() + secrets() + refusedTexts() + keyURIs() + keys() }

/// Traces left on purpose: a probe that misses them would miss the engine's.
private func controls() -> [Scenario] {
  [
    Scenario(name: "control: a secret still alive", leavesTraces: true) { material in
      try material.withSecret { bytes in try OTPSecret(bytes: bytes) }
    },
    Scenario(name: "control: memory freed without wiping", leavesTraces: true) { material in
      try material.withSecret { bytes in
        let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count + 64)
        for index in bytes.indices { unsafe copy[64 + index] = bytes[index] }
        unsafe copy.deallocate()
      }
      return nil
    },
    Scenario(name: "control: a key's midstates still alive", leavesTraces: true) { material in
      try material.withSecret { bytes in try HMACKey(OTPSecret(bytes: bytes), algorithm: .sha256) }
    },
    Scenario(name: "control: a tag still alive", leavesTraces: true) { material in
      let message: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 7]
      return try material.withSecret { bytes in
        try HMACKey(OTPSecret(bytes: bytes), algorithm: .sha1).tag(for: message.span)
      }
    },
    Scenario(name: "control: a base32 text still alive", leavesTraces: true) { material in
      try material.withSecret { bytes in try OTPSecret(bytes: bytes).base32String() }
    },
  ]
}

private func secrets() -> [Scenario] {
  [
    Scenario(name: "secret from bytes, copied, compared, released") { material in
      try material.withSecret { bytes in
        let secret = try OTPSecret(bytes: bytes)
        let copy = secret
        guard try copy == OTPSecret(bytes: bytes) else { throw UnexpectedOutcome() }
      }
      return nil
    },
    Scenario(name: "secret of 200 bytes", byteCount: 200) { material in
      try material.withSecret { bytes in try OTPSecret(bytes: bytes) }
    },
    Scenario(name: "secret from base32") { material in
      try material.withBase32 { text in try OTPSecret(base32UTF8: text) }
    },
    Scenario(name: "descriptions and dumps of a secret and a key") { material in
      try material.withSecret { bytes in
        let secret = try OTPSecret(bytes: bytes)
        var text = "\(secret) \(String(reflecting: secret))"
        dump(try TOTP(secret: secret), to: &text)
        return text
      }
    },
  ]
}

/// Error paths: the text is refused at its end, when most of it has been decoded.
private func refusedTexts() -> [Scenario] {
  [("a wrong character", "!"), ("a wrong length", "A"), ("wrong padding", "=")].map { name, tail in
    Scenario(name: "base32 refused at its end: \(name)") { material in
      try material.withBase32(after: tail) { text in
        guard (try? OTPSecret(base32UTF8: text)) == nil else { throw UnexpectedOutcome() }
        guard (try? Base32.decode(utf8: text)) == nil else { throw UnexpectedOutcome() }
      }
      return nil
    }
  } + [
    Scenario(name: "base32 refused for left-over bits", byteCount: 21) { material in
      try material.withBase32(after: "7======") { text in
        guard (try? OTPSecret(base32UTF8: text, strict: true)) == nil else { throw UnexpectedOutcome() }
      }
      return nil
    }
  ]
}

private func keyURIs() -> [Scenario] {
  let before = "otpauth://totp/ACME:bob?issuer=ACME&secret="
  return [
    Scenario(name: "key URI read, described, released") { material in
      try material.withBase32(before: before) { text in "\(try OTPAuthURI(utf8: text))" }
    },
    Scenario(name: "key URI read and used") { material in
      try material.withBase32(before: before, after: "&digits=8") { text in
        try TOTP(OTPAuthURI(utf8: text)).verify("00000000", at: 59)
      }
    },
  ]
    + [("a part after the secret", "&digits=9"), ("the secret", "!"), ("a second secret", "&secret=AA")].map {
      name, tail in
      Scenario(name: "key URI refused for \(name)") { material in
        try material.withBase32(before: before, after: tail) { text in
          guard (try? OTPAuthURI(utf8: text)) == nil else { throw UnexpectedOutcome() }
        }
        return nil
      }
    }
}

private func keys() -> [Scenario] {
  var scenarios: [Scenario] = []
  for backend in HMACBackend.allCases where backend.isAvailable {
    for algorithm in HashAlgorithm.allCases {
      for byteCount in [20, 64, 150] {
        scenarios.append(
          Scenario(name: "\(backend.name) \(algorithm.name), key of \(byteCount) bytes", byteCount: byteCount) {
            material in
            try material.withSecret { bytes in
              let key = try HMACKey(OTPSecret(bytes: bytes), algorithm: algorithm, backend: backend)
              let totp = TOTP(key: key, timeStep: try TimeStep())
              var outcomes = [try totp.verify("000000", at: 150, window: .adjacent(5))]
              outcomes.append(try totp.verify(totp.code(at: 150).description, at: 150, after: 100))
              let hotp = HOTP(key: key)
              outcomes.append(try hotp.verify("000000", counter: 0, lookAhead: 100))
              outcomes.append(
                try hotp.resynchronize(SubmittedCode("000000"), SubmittedCode("000001"), counter: 0, lookAhead: 20))
              return outcomes
            }
          })
      }
    }
  }
  return scenarios
}

/// The engine took what it should refuse, or the reverse.
private struct UnexpectedOutcome: Error {}
