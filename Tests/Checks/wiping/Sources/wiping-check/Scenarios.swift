import CMemoryProbe
import OTP

func allScenarios() -> [Scenario] {
  controls() + secrets() + refusedTexts() + keyURIs() + keys() + measuringCalls() + multiFactorScenarios()
    + keyringScenarios()
    + seedScenarios()
}

/// Planted traces: a probe that misses them would miss the engine's.
private func controls() -> [Scenario] {
  [
    Scenario(name: "control: a secret still alive", leavesTraces: true) { material in
      keepAlive(try material.secret())
    },
    Scenario(name: "control: memory freed without wiping", leavesTraces: true) { material in
      try material.withSecret { bytes in
        // Not at the beginning, where the allocator keeps its data about a free block.
        let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count + 64)
        for index in bytes.indices { unsafe copy[64 + index] = bytes[index] }
        unsafe probe_observe(copy)
        unsafe copy.deallocate()
      }
    },
    Scenario(name: "control: the stack, 6 KB deep", leavesTraces: true) { material in
      probe_plant_on_stack(material.seed, material.byteCount, 6000)
    },
    Scenario(name: "control: a key's midstates still alive", leavesTraces: true) { material in
      keepAlive(try HMACKey(material.secret(), algorithm: .sha256))
    },
    Scenario(name: "control: a tag still alive", leavesTraces: true) { material in
      let message: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 7]
      keepAlive(try HMACKey(material.secret(), algorithm: .sha1).tag(for: message.span))
    },
    Scenario(name: "control: a base32 text still alive", leavesTraces: true) { material in
      keepAlive(try material.secret().base32String())
    },
  ]
}

private func secrets() -> [Scenario] {
  [
    Scenario(name: "secret from bytes, copied, compared, released") { material in
      let secret = try material.secret()
      let copy = secret
      guard try copy == material.secret() else { throw UnexpectedOutcome() }
    },
    Scenario(name: "secret of 200 bytes", byteCount: 200) { material in
      _ = try material.secret()
    },
    Scenario(name: "secret from base32") { material in
      try material.withText(.base32) { text in _ = try OTPSecret(base32UTF8: text) }
    },
    Scenario(name: "descriptions and dumps of a secret and a key") { material in
      let secret = try material.secret()
      var text = "\(secret) \(String(reflecting: secret))"
      dump(try TOTP(secret: secret), to: &text)
    },
  ]
}

/// Error paths: the text is refused at its end, when most of it has been decoded. The secret is long, since an
/// allocator's own data overwrites the first bytes of a freed block.
private func refusedTexts() -> [Scenario] {
  [("a wrong character", "!"), ("a wrong length", "A"), ("wrong padding", "=")].map { name, tail in
    Scenario(name: "base32 refused at its end: \(name)", byteCount: 100) { material in
      try material.withText(.base32, after: tail) { text in
        guard (try? OTPSecret(base32UTF8: text)) == nil else { throw UnexpectedOutcome() }
        guard (try? Base32.decode(utf8: text)) == nil else { throw UnexpectedOutcome() }
      }
    }
  } + [
    Scenario(name: "base32 refused for left-over bits", byteCount: 100) { material in
      try material.withText(.base32, after: "A7======") { text in
        guard (try? OTPSecret(base32UTF8: text, strict: true)) == nil else { throw UnexpectedOutcome() }
      }
    }
  ]
}

private func keyURIs() -> [Scenario] {
  let before = "otpauth://totp/ACME:bob?issuer=ACME&secret="
  let tails = [("a part after the secret", "&digits=9"), ("the secret", "!"), ("a second secret", "&secret=AA")]
  let refused = tails.map { name, tail in
    Scenario(name: "key URI refused for \(name)") { material in
      try material.withText(.base32, before: before, after: tail) { text in
        guard (try? OTPAuthURI(utf8: text)) == nil else { throw UnexpectedOutcome() }
      }
    }
  }
  let read = [
    Scenario(name: "key URI read") { material in
      try material.withText(.base32, before: before) { text in _ = try OTPAuthURI(utf8: text) }
    },
    Scenario(name: "key URI described") { material in
      try material.withText(.base32, before: before) { text in _ = "\(try OTPAuthURI(utf8: text))" }
    },
    Scenario(name: "key URI read and used") { material in
      try material.withText(.base32, before: before, after: "&digits=8") { text in
        _ = try TOTP(OTPAuthURI(utf8: text)).verify("00000000", at: 59, after: nil)
      }
    },
  ]
  return read + refused
}

/// A step whose values the probe knows, and those of the 26 after it and the 5 before; and a time in it.
private let step = UInt64(PROBE_FIRST_COUNTER) + 5
private let time = Int64(step) * 30

/// Calls a closure this many KiB further down the stack.
private func callDeep(_ depth: Int, _ body: () -> Void) {
  guard depth > 0 else { return body() }
  unsafe withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 1) { frame in
    unsafe probe_observe(frame.baseAddress)
    callDeep(depth - 1, body)
    unsafe probe_observe(frame.baseAddress)
  }
}

@inline(never) private func twentyRequests(
  _ submitted: String, _ totp: TOTP
) throws -> [VerificationBatch.Request] {
  let code = try SubmittedCode(submitted)
  return (0..<20).map { VerificationBatch.Request(code, totp: totp, at: time + $0 * 30, after: nil) }
}

@inline(never) private func clear(_ requests: inout [VerificationBatch.Request], _ totp: TOTP) throws {
  let none = VerificationBatch.Request(try SubmittedCode("000000"), totp: totp, at: time, after: nil)
  for index in requests.indices { requests[index] = none }
}

/// Overwrites what the caller's own calls have left on the stack, but not as deep as `callDeep` goes. (Swift takes
/// larger frames from the heap.)
@inline(never) private func overwriteStack(_ depth: Int = 25) {
  guard depth > 0 else { return }
  unsafe withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 1) { frame in
    unsafe probe_wipe(frame.baseAddress, frame.count)
    overwriteStack(depth - 1)
    unsafe probe_observe(frame.baseAddress)
  }
}

/// The uses of a key: one operation per scenario, so that nothing overwrites its traces.
private enum KeyOperation: String, CaseIterable {
  case setUp = "key set-up"
  case code
  case window = "TOTP window"
  case lookAhead = "HOTP look-ahead"
  case resynchronization
  case bulk = "bulk codes"
  case batch = "a batch"
  case tag

  func use(_ key: HMACKey, _ submitted: String) throws {
    switch self {
    case .setUp: break
    case .code: _ = try HOTP(key: key).code(counter: step)
    case .window:
      let totp = TOTP(key: key, timeStep: try TimeStep())
      _ = try totp.verify(submitted, at: time, window: .adjacent(5), after: step - 3)
    case .lookAhead: _ = try HOTP(key: key).verify(submitted, counter: step, lookAhead: 50)
    case .resynchronization:
      let code = try SubmittedCode(submitted)
      _ = try HOTP(key: key).resynchronize(code, code, counter: step, lookAhead: 50)
    case .bulk: _ = try HOTP(key: key).codes(counters: step...step + 99)
    case .batch:
      let totp = TOTP(key: key, timeStep: try TimeStep())
      // The caller's requests hold its code, as do the frames in which it makes them.
      var requests = try twentyRequests(submitted, totp)
      overwriteStack()
      // Deep enough that what comes after it does not overwrite what it leaves on the stack.
      callDeep(40) { _ = VerificationBatch.verify(requests) }
      try clear(&requests, totp)
      overwriteStack()
    case .tag:
      let message: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 9]
      var tag = try key.tag(for: message.span)
      // The caller must wipe the copy.
      unsafe tag.withUnsafeMutableBytes { bytes in unsafe probe_wipe(bytes.baseAddress, bytes.count) }
    }
  }
}

private func keys() -> [Scenario] {
  var scenarios: [Scenario] = []
  for backend in HMACBackend.allCases where backend.isAvailable {
    for algorithm in HashAlgorithm.allCases {
      for byteCount in [20, 150] {
        for operation in KeyOperation.allCases {
          let name = "\(backend.name) \(algorithm.name), key of \(byteCount) bytes: \(operation.rawValue)"
          scenarios.append(
            Scenario(name: name, byteCount: byteCount) { material in
              let key = try HMACKey(material.secret(), algorithm: algorithm, backend: backend)
              // A single code is its caller's, whose frames hold it too; those of a batch belong to other people.
              try operation.use(key, operation == .batch ? material.code : "000000")
            })
        }
        let name = "\(backend.name) \(algorithm.name), key of \(byteCount) bytes: verified without being kept"
        scenarios.append(
          Scenario(name: name, byteCount: byteCount) { material in
            let code = try SubmittedCode("000000")
            try material.withSecret { bytes in
              _ = try TOTP.verify(
                code, secret: bytes, algorithm: algorithm, timeStep: TimeStep(), at: time, after: nil, backend: backend)
            }
          })
      }
    }
  }
  return scenarios
}

/// Calls in which the 4,096th code is computed, so that they measure the kernels first.
private func measuringCalls() -> [Scenario] {
  [KeyOperation.window, .lookAhead, .batch].flatMap { operation in
    HashAlgorithm.allCases.map { algorithm in
      Scenario(name: "lanes \(algorithm.name): \(operation.rawValue), which measures the kernels") { material in
        _ = try HOTP(secret: .random(), algorithm: algorithm, backend: .lanes).codes(counters: 0...4094)
        let key = try HMACKey(material.secret(), algorithm: algorithm, backend: .lanes)
        try operation.use(key, operation == .batch ? material.code : "000000")
      }
    }
  }
}

/// The engine accepted what it should refuse, or the reverse.
struct UnexpectedOutcome: Error {}
