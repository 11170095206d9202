internal import CLibcrypto
internal import COTPSupport
import OTP

/// OpenSSL's contexts for one computation at a time with one key: AES-256 on single blocks, which is keyed once, and
/// AES-256-GCM, which is keyed for every message.
///
/// An idle context still holds the key of its latest message and a block of its key stream. An attacker who could read
/// these could also read the keyring's own keys. OpenSSL wipes a context when it is released.
@safe final class CipherContexts {
  /// The length of a tag.
  static let tagByteCount = 16

  private let block: OpaquePointer
  private let gcm: OpaquePointer

  private init(block: OpaquePointer, gcm: OpaquePointer) {
    unsafe self.block = block
    unsafe self.gcm = gcm
  }

  /// Contexts for a key of 32 bytes. (Not an initializer: one that throws leaks the object in Embedded Swift 6.3.)
  static func keyed(by key: SecretBytes) throws(KeyringError) -> CipherContexts {
    guard key.byteCount == 32, let block = unsafe EVP_CIPHER_CTX_new() else { throw KeyringError(.cryptographyFailed) }
    guard let gcm = unsafe EVP_CIPHER_CTX_new() else {
      unsafe EVP_CIPHER_CTX_free(block)
      throw KeyringError(.cryptographyFailed)
    }
    let contexts = unsafe CipherContexts(block: block, gcm: gcm)
    otp_defer_forks()
    defer {
      otp_allow_forks()
      otp_wipe_stack(Int(OTP_LIBRARY_STACK_BYTES))
    }
    // Contexts keep their ciphers. Looking them up costs more than a message, but a global would outlive the library
    // that dlclose() unloads.
    let blockCipher = unsafe EVP_CIPHER_fetch(nil, "AES-256-ECB", nil)
    let gcmCipher = unsafe EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)
    defer {
      unsafe EVP_CIPHER_free(blockCipher)
      unsafe EVP_CIPHER_free(gcmCipher)
    }
    guard let blockCipher = unsafe blockCipher, let gcmCipher = unsafe gcmCipher,
      unsafe EVP_EncryptInit_ex2(block, blockCipher, key.mutableBytes.baseAddress, nil, nil) == 1,
      unsafe EVP_CIPHER_CTX_set_padding(block, 0) == 1,
      unsafe EVP_CipherInit_ex2(gcm, gcmCipher, nil, nil, 1, nil) == 1
    else { throw KeyringError(.cryptographyFailed) }
    return contexts
  }

  deinit {
    unsafe EVP_CIPHER_CTX_free(block)
    unsafe EVP_CIPHER_CTX_free(gcm)
  }

  /// Encrypts whole blocks of 16 bytes in place, independently of each other.
  func encryptBlocks(_ blocks: UnsafeMutableBufferPointer<UInt8>) throws(KeyringError) {
    var written: Int32 = 0
    guard
      unsafe EVP_EncryptUpdate(block, blocks.baseAddress, &written, blocks.baseAddress, Int32(blocks.count)) == 1,
      Int(written) == blocks.count
    else { throw KeyringError(.cryptographyFailed) }
  }

  /// Encrypts with AES-256-GCM. The output is the ciphertext, as long as the plaintext, followed by the tag.
  func seal(
    _ plaintext: Span<UInt8>, key: UnsafePointer<UInt8>, nonce: UnsafePointer<UInt8>, authenticating data: Span<UInt8>,
    to output: UnsafeMutablePointer<UInt8>
  ) throws(KeyringError) {
    let tag = unsafe output + plaintext.count
    var written: Int32 = 0
    guard unsafe EVP_CipherInit_ex2(gcm, nil, key, nonce, 1, nil) == 1,
      unsafe update(with: data, to: nil), unsafe update(with: plaintext, to: output),
      unsafe EVP_EncryptFinal_ex(gcm, tag, &written) == 1,
      unsafe EVP_CIPHER_CTX_ctrl(gcm, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagByteCount), tag) == 1
    else { throw KeyringError(.cryptographyFailed) }
  }

  /// Decrypts with AES-256-GCM. If this throws, the output is not authentic.
  func open(
    _ ciphertext: Span<UInt8>, tag: Span<UInt8>, key: UnsafePointer<UInt8>, nonce: UnsafePointer<UInt8>,
    authenticating data: Span<UInt8>, to output: UnsafeMutablePointer<UInt8>
  ) throws(KeyringError) {
    var written: Int32 = 0
    let isReady = unsafe tag.withUnsafeBufferPointer { tag in
      unsafe EVP_CipherInit_ex2(gcm, nil, key, nonce, 0, nil) == 1
        && EVP_CIPHER_CTX_ctrl(
          gcm, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), UnsafeMutablePointer(mutating: tag.baseAddress)) == 1
    }
    guard isReady, unsafe update(with: data, to: nil), unsafe update(with: ciphertext, to: output) else {
      throw KeyringError(.cryptographyFailed)
    }
    guard unsafe EVP_DecryptFinal_ex(gcm, output, &written) == 1 else { throw KeyringError(.notAuthentic) }
  }

  /// Processes bytes, or, without an output, only authenticates them.
  private func update(with input: Span<UInt8>, to output: UnsafeMutablePointer<UInt8>?) -> Bool {
    if input.isEmpty { return true }
    guard let count = Int32(exactly: input.count) else { return false }
    var written: Int32 = 0
    return unsafe input.withUnsafeBufferPointer { input in
      unsafe EVP_CipherUpdate(gcm, output, &written, input.baseAddress, count) == 1 && written == count
    }
  }
}
