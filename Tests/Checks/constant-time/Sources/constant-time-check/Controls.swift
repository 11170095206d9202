import OTP

// Planted leaks. A harness that does not report each of them would not report a leak in the engine.

/// Compares up to the first difference.
@inline(never) private func leakyCompare(_ left: [UInt8], _ right: [UInt8]) -> Bool {
  for (left, right) in zip(left, right) where left != right { return false }
  return true
}

/// Reads memory at a secret index.
@inline(never) private func leakyTableLookup(_ table: [UInt32], _ index: Int) -> UInt32 { table[index & 15] }

func controlScenarios() -> [Scenario] {
  [
    Scenario(name: "control: branch on a secret byte", isControl: true) {
      let secret = try TaintedBytes([1, 2, 3]).withBytes { bytes in try OTPSecret(bytes: bytes) }
      let isEqual = secret.withBytes { bytes in leakyCompare([bytes[0], bytes[1]], [1, 2]) }
      guard isEqual else { throw ScenarioError(description: "not equal") }
    },
    Scenario(name: "control: table index from a tag's last byte", isControl: true) {
      let secret = try TaintedBytes([1, 2, 3]).withBytes { bytes in try OTPSecret(bytes: bytes) }
      let message: [UInt8] = [0]
      let tag = try HMACKey(secret, algorithm: .sha1).tag(for: message.span)
      let table = (0..<16).map { UInt32($0) &* 3 }
      guard leakyTableLookup(table, Int(tag[19])) <= 45 else { throw ScenarioError(description: "not in the table") }
    },
  ]
}
