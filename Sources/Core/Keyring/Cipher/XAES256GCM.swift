internal import COTPSupport
import OTP

/// XAES-256-GCM: AES-256-GCM with a nonce of 24 bytes and a key derived from the first 12 of them.
///
/// Nonces of 12 bytes that are not counted collide too soon (NIST SP 800-38D allows 2^32 messages per key). With 24
/// bytes, the number of messages per key is practically unlimited.
///
/// Any number of threads may use one at once.
///
/// Timing: depends only on lengths, as far as OpenSSL's AES does.
///
/// Source: C2SP, XAES-256-GCM; the derivation is that of NIST SP 800-108r1 in counter mode, with AES-CMAC (SP 800-38B).
struct XAES256GCM: Sendable {
  static let keyByteCount = 32
  static let nonceByteCount = 24
  static let tagByteCount = CipherContexts.tagByteCount

  private let key: SecretBytes
  /// The first subkey of CMAC, the same for every message.
  private let subkey: SecretBytes
  /// Contexts that no thread is using: at most as many as there have been simultaneous computations.
  private let idle: LockedIfFree<[CipherContexts]>

  /// Prepares a key of 32 bytes.
  init(key: SecretBytes) throws(KeyringError) {
    let contexts = try CipherContexts.keyed(by: key)
    let subkey = SecretBytes(capacity: 16)
    try unsafe contexts.encryptBlocks(subkey.mutableBytes)
    unsafe Self.double(subkey.mutableBytes)
    otp_wipe_stack(Int(OTP_LIBRARY_STACK_BYTES))
    self.key = key
    self.subkey = subkey
    idle = LockedIfFree([contexts])
  }

  /// Encrypts. The output is the ciphertext, as long as the plaintext, followed by the tag of 16 bytes.
  ///
  /// - Parameters:
  ///   - nonce: 24 bytes, never used for another message with this key.
  ///   - output: `plaintext.count + 16` bytes.
  func seal(
    _ plaintext: Span<UInt8>, nonce: Span<UInt8>, authenticating data: Span<UInt8>,
    to output: UnsafeMutableBufferPointer<UInt8>
  ) throws(KeyringError) {
    guard nonce.count == Self.nonceByteCount, output.count == plaintext.count + Self.tagByteCount,
      let output = output.baseAddress
    else { throw KeyringError(.cryptographyFailed) }
    try unsafe withMessageKey(nonce) { (contexts, key, nonce) throws(KeyringError) in
      try unsafe contexts.seal(plaintext, key: key, nonce: nonce, authenticating: data, to: output)
    }
  }

  /// Decrypts what ``seal(_:nonce:authenticating:to:)`` wrote.
  ///
  /// - Throws: `KeyringError` with `notAuthentic` for anything else, or with `cryptographyFailed`.
  func open(
    _ sealed: Span<UInt8>, nonce: Span<UInt8>, authenticating data: Span<UInt8>
  ) throws(KeyringError) -> SecretBytes {
    let count = sealed.count - Self.tagByteCount
    guard nonce.count == Self.nonceByteCount, count >= 0 else { throw KeyringError(.notAuthentic) }
    // At least one byte: the end of the decryption needs a pointer to write to.
    let plaintext = SecretBytes(capacity: max(count, 1))
    plaintext.shrink(to: count)
    guard let output = unsafe plaintext.mutableBytes.baseAddress else { throw KeyringError(.cryptographyFailed) }
    let ciphertext = sealed.extracting(0..<count)
    let tag = sealed.extracting(count..<sealed.count)
    try unsafe withMessageKey(nonce) { (contexts, key, nonce) throws(KeyringError) in
      try unsafe contexts.open(ciphertext, tag: tag, key: key, nonce: nonce, authenticating: data, to: output)
    }
    return plaintext
  }

  /// A key of 32 bytes for ``DerivedNonces``: derived as a message's, but with the label N, from zeros.
  func nonceKey() throws(KeyringError) -> SecretBytes {
    let zeros = [UInt8](repeating: 0, count: Self.nonceByteCount)
    let result = SecretBytes(capacity: Self.keyByteCount)
    try unsafe withMessageKey(zeros.span, label: UInt8(ascii: "N")) { (_, key, _) throws(KeyringError) in
      unsafe result.mutableBytes.copy(Span(_unsafeStart: key, count: Self.keyByteCount))
    }
    return result
  }

  /// Lends the key of one message and its nonce of 12 bytes, and wipes them afterward.
  private func withMessageKey(
    _ nonce: Span<UInt8>, label: UInt8 = UInt8(ascii: "X"),
    _ body: (CipherContexts, UnsafePointer<UInt8>, UnsafePointer<UInt8>) throws(KeyringError) -> Void
  ) throws(KeyringError) {
    // Not waited for, since in a process that was forked at the wrong moment, another thread holds the lock forever.
    let kept = idle.withLockIfFree { $0.popLast() } ?? nil
    let contexts = if let kept { kept } else { try CipherContexts.keyed(by: key) }
    defer {
      _ = idle.withLockIfFree { $0.append(contexts) }
      otp_wipe_stack(Int(OTP_LIBRARY_STACK_BYTES))
    }
    try unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 44) { (memory) throws(KeyringError) in
      defer { unsafe otp_wipe_inline(memory.baseAddress, memory.count) }
      guard let start = memory.baseAddress else { throw KeyringError(.cryptographyFailed) }
      let blocks = unsafe UnsafeMutableBufferPointer(start: start, count: 32)
      // Each block is a counter of 16 bits, the label, a zero, and the first half of the nonce.
      for (place, counter) in [(0, UInt8(1)), (16, 2)] {
        let block = unsafe UnsafeMutableBufferPointer(start: start + place, count: 16)
        subkey.withBytes { subkey in unsafe block.copy(subkey) }
        unsafe block[1] ^= counter
        unsafe block[2] ^= label
        for index in 0..<12 { unsafe block[4 + index] ^= nonce[index] }
      }
      for index in 0..<12 { unsafe memory[32 + index] = nonce[12 + index] }
      try unsafe contexts.encryptBlocks(blocks)
      try unsafe body(contexts, start, start + 32)
    }
  }

  /// Doubles a block in the field of CMAC, without a branch on its bits.
  private static func double(_ block: UnsafeMutableBufferPointer<UInt8>) {
    var carry: UInt8 = 0
    for index in block.indices.reversed() {
      let byte = unsafe block[index]
      unsafe block[index] = byte << 1 | carry
      carry = byte >> 7
    }
    unsafe block[block.count - 1] ^= (0 &- carry) & 0x87
  }
}
