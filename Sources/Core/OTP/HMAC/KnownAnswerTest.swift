internal import COTPSupport

/// The result of a backend's known-answer test.
@frozen public enum KnownAnswerResult: Sendable, Hashable {
  /// The backend computes the right tags.
  case passed
  /// The backend computes a wrong tag, or none. It is never used.
  case failed
  /// This build or this CPU lacks the backend.
  case absent

  /// The result of a backend's test, which the first call runs.
  static func of(_ backend: HMACBackend) -> KnownAnswerResult {
    let answer = otp_once(backend.number) { number in
      do throws(OTPError) {
        return try passes(HMACBackend(number: number)) ? 1 : 2
      } catch {
        return error.code == .backendUnavailable ? 3 : 2
      }
    }
    return answer == 1 ? .passed : answer == 2 ? .failed : .absent
  }
}

/// Every backend must compute the published values, and all but `evp` agree with OpenSSL's hash functions.
private func passes(_ backend: HMACBackend) throws(OTPError) -> Bool {
  for answer in KnownAnswer.all {
    let key = try HMACKey(unchecked: backend, OTPSecret(bytes: answer.secret), algorithm: answer.algorithm)
    for (counter, value) in zip(answer.firstCounter..., answer.truncatedValues) {
      guard try key.truncatedValue(of: counter) == value else { return false }
    }
  }
  guard case .lanes(let set) = backend.kind else { return true }
  for algorithm in HashAlgorithm.allCases {
    // Shorter than a block, exactly a block, and longer, so that the key is hashed first.
    for count in [20, algorithm.blockByteCount, algorithm.blockByteCount + 1] {
      let secret = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ 43) }
      let key = try HMACKey(unchecked: backend, OTPSecret(bytes: secret), algorithm: algorithm)
      let message = [UInt8](repeating: 0xA5, count: algorithm.blockByteCount + 3)
      guard try key.tag(for: message.span) == referenceTag(secret, algorithm, message) else { return false }
    }
    guard try everyLaneAgrees(set, algorithm) else { return false }
  }
  return true
}

/// OpenSSL's tag.
private func referenceTag(
  _ secret: [UInt8], _ algorithm: HashAlgorithm, _ message: [UInt8]
) throws(OTPError) -> [UInt8] {
  var tag = [UInt8](repeating: 0, count: algorithm.tagByteCount)
  guard
    unsafe otp_openssl_tag(algorithm.kernelHash, secret, secret.count, message, message.count, &tag) == 1
  else { throw OTPError(.cryptographyFailed) }
  return tag
}

/// Whether every lane of every kernel agrees with OpenSSL, with one key for all lanes and with two keys that alternate.
private func everyLaneAgrees(
  _ set: HMACBackend.InstructionSet, _ algorithm: HashAlgorithm
) throws(OTPError) -> Bool {
  let plan = try unsafe KeyMaterial.plan(set, algorithm)
  let kernelCount = unsafe otp_lanes_kernel_count(plan)
  let width = unsafe otp_lanes_kernel_width(plan, kernelCount - 1)
  // In the middle of every kernel's lanes, the low half of the counter carries into the high one.
  let first: UInt64 = 0x0123_4568_0000_0000 - UInt64(width / 2)
  let secrets = [Array<UInt8>(1...20), Array<UInt8>(21...84)]
  var expected: [[UInt32]] = []
  var midstates = [otp_midstates(), otp_midstates()]
  for (index, secret) in secrets.enumerated() {
    var values: [UInt32] = []
    for lane in 0..<width {
      let counter = (first + UInt64(lane)).bigEndian
      let tag = try referenceTag(secret, algorithm, unsafe withUnsafeBytes(of: counter) { unsafe Array($0) })
      values.append(unsafe otp_truncate(tag, tag.count))
    }
    expected.append(values)
    unsafe otp_lanes_prepare(plan, secret, secret.count, &midstates[index])
  }

  return unsafe midstates.withUnsafeBufferPointer { midstates in
    guard let keys = midstates.baseAddress else { return false }
    for kernel in 0..<kernelCount {
      let count = unsafe otp_lanes_kernel_width(plan, kernel)
      var values = [UInt32](repeating: 0, count: count)
      let start = (width - count) / 2
      for key in secrets.indices {
        unsafe otp_lanes_kernel_key_values(plan, kernel, keys + key, first + UInt64(start), count, &values)
        guard values.indices.allSatisfy({ values[$0] == expected[key][start + $0] }) else { return false }
        // Neighboring lanes have different keys.
        let lanes = unsafe (0..<count).map {
          unsafe otp_lane(key: keys + (key + $0) % 2, counter: first + UInt64(start + $0))
        }
        unsafe otp_lanes_kernel_values(plan, kernel, lanes, count, &values)
        guard values.indices.allSatisfy({ values[$0] == expected[(key + $0) % 2][start + $0] }) else { return false }
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
