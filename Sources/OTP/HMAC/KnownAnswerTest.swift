internal import COTPSupport

/// The result of a backend's known-answer test.
@frozen public enum KnownAnswerResult: Sendable, Hashable {
  /// The backend computes the right tags.
  case passed
  /// The backend computes a wrong tag, or none. It is never used.
  case failed
  /// This build or this CPU lacks the backend.
  case absent

  static var evp: KnownAnswerResult {
    KnownAnswerResult(answer: otp_once(UInt32(OTP_ONCE_EVP)) { _ in testEVP().answer })
  }

  /// The result of an instruction set's test, which the first call runs.
  static func lanes(_ set: HMACBackend.InstructionSet) -> KnownAnswerResult {
    KnownAnswerResult(
      answer: otp_once(set.kernels.rawValue) { row in
        compareWithEVP(HMACBackend.InstructionSet(otp_lane_set(rawValue: row))).answer
      })
  }

  /// The result as what `otp_once` remembers.
  private var answer: Int32 {
    switch self {
    case .passed: 1
    case .failed: 2
    case .absent: 3
    }
  }

  private init(answer: Int32) { self = answer == 1 ? .passed : answer == 2 ? .failed : .absent }
}

/// `evp` must compute published values; every other backend must agree with `evp`.
private func testEVP() -> KnownAnswerResult {
  do throws(OTPError) {
    for answer in KnownAnswer.all {
      let key = try HMACKey(unchecked: .evp, OTPSecret(bytes: answer.secret), algorithm: answer.algorithm)
      for (counter, value) in zip(answer.firstCounter..., answer.truncatedValues) {
        guard try key.truncatedValue(of: counter) == value else { return .failed }
      }
    }
    return .passed
  } catch {
    return .failed
  }
}

private func compareWithEVP(_ set: HMACBackend.InstructionSet) -> KnownAnswerResult {
  let backend = HMACBackend.lanes(set)
  do throws(OTPError) {
    // Throws if the set is absent. Any other result needs the reference.
    _ = try unsafe KeyMaterial.plan(set, .sha1)
    guard KnownAnswerResult.evp == .passed else { return .failed }
    for algorithm in HashAlgorithm.allCases {
      // Shorter than a block, exactly a block, and longer, so that the key is hashed first.
      for count in [20, algorithm.blockByteCount, algorithm.blockByteCount + 1] {
        let secret = try OTPSecret(bytes: (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ 43) })
        let reference = try HMACKey(unchecked: .evp, secret, algorithm: algorithm)
        let key = try HMACKey(unchecked: backend, secret, algorithm: algorithm)
        for counter in [0, 1, 0x0123_4567_89AB_CDEF, UInt64.max] {
          guard try key.truncatedValue(of: counter) == reference.truncatedValue(of: counter) else { return .failed }
        }
        let message = [UInt8](repeating: 0xA5, count: algorithm.blockByteCount + 3)
        guard try key.tag(for: message.span).elementsEqual(reference.tag(for: message.span)) else { return .failed }
      }
      guard try everyLaneAgrees(set, algorithm) else { return .failed }
    }
    // Each kernel has run, and is right: from now on, those are used that are the fastest here.
    if set == .fastest { otp_lanes_measure() }
    return .passed
  } catch {
    return error.code == .backendUnavailable ? .absent : .failed
  }
}

/// Whether every lane of every kernel agrees with `evp`, with one key for all lanes and with two keys that alternate.
private func everyLaneAgrees(
  _ set: HMACBackend.InstructionSet, _ algorithm: HashAlgorithm
) throws(OTPError) -> Bool {
  let plan = try unsafe KeyMaterial.plan(set, algorithm)
  // The counters cross a multiple of 2^32, where the low half carries into the high one.
  let width = Int(OTP_MAX_LANES)
  let first: UInt64 = 0x0123_4567_FFFF_FFF0
  let secrets = try [OTPSecret(bytes: Array(1...20)), OTPSecret(bytes: Array(21...84))]
  var expected: [[UInt32]] = []
  for secret in secrets {
    let reference = try HMACKey(unchecked: .evp, secret, algorithm: algorithm)
    var values: [UInt32] = []
    for index in 0..<width { values.append(try reference.truncatedValue(of: first + UInt64(index))) }
    expected.append(values)
  }

  var midstates = [otp_midstates(), otp_midstates()]
  for (index, secret) in secrets.enumerated() {
    secret.withBytes { secret in
      unsafe secret.withUnsafeBufferPointer { secret in
        unsafe otp_lanes_prepare(plan, secret.baseAddress, secret.count, &midstates[index])
      }
    }
  }
  return unsafe midstates.withUnsafeBufferPointer { midstates in
    guard let keys = midstates.baseAddress else { return false }
    var values = [UInt32](repeating: 0, count: width)
    let kernelCount = unsafe otp_lanes_kernel_count(plan)
    for kernel in 0..<kernelCount {
      for key in secrets.indices {
        unsafe otp_lanes_kernel_key_values(plan, kernel, keys + key, first, width, &values)
        guard values == expected[key] else { return false }
        // Neighboring lanes have different keys.
        let lanes = unsafe (0..<width).map { unsafe otp_lane(key: keys + (key + $0) % 2, counter: first + UInt64($0)) }
        unsafe otp_lanes_kernel_values(plan, kernel, lanes, width, &values)
        guard values.indices.allSatisfy({ values[$0] == expected[(key + $0) % 2][$0] }) else { return false }
      }
    }
    return true
  }
}

/// Published truncated values.
private struct KnownAnswer {
  let algorithm: HashAlgorithm
  let secret: [UInt8]
  let firstCounter: UInt64
  let truncatedValues: [UInt32]

  /// SHA-1: RFC 4226, Appendix D, counters 0 to 2. SHA-256 and SHA-512: RFC 6238, Appendix B, time 59, which publishes
  /// the values' last eight digits. Not a stored property, which would leak when the C library is unloaded.
  static var all: [KnownAnswer] {
    [
      KnownAnswer(
        algorithm: .sha1, secret: seed(20), firstCounter: 0,
        truncatedValues: [1_284_755_224, 1_094_287_082, 137_359_152]),
      KnownAnswer(algorithm: .sha256, secret: seed(32), firstCounter: 1, truncatedValues: [746_119_246]),
      KnownAnswer(algorithm: .sha512, secret: seed(64), firstCounter: 1, truncatedValues: [490_693_936]),
    ]
  }

  /// The RFCs' seed: the ASCII digits 1234567890, repeated.
  private static func seed(_ byteCount: Int) -> [UInt8] {
    (0..<byteCount).map { 0x30 + UInt8(($0 + 1) % 10) }
  }
}
