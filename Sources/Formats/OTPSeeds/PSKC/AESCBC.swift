internal import CLibcrypto
internal import COTPSupport
import OTP

/// AES in CBC mode as in XML Encryption: the first block is the initialization vector.
///
/// Source: XML Encryption Syntax and Processing, section 5.2.2: the last byte is the length of the padding, whose other
/// bytes are arbitrary. RFC 6030, section 6.4, recommends PKCS #5's padding, which is a special case of this.
enum AESCBC {
  static let blockByteCount = 16

  /// Decrypts, and removes the padding.
  ///
  /// - Returns: `nil` if the padding is wrong, or the library fails.
  static func decrypt(_ ciphertext: Span<UInt8>, key: SecretBytes) -> SecretBytes? {
    guard ciphertext.count >= 2 * blockByteCount, ciphertext.count.isMultiple(of: blockByteCount) else { return nil }
    let output = SecretBytes(capacity: ciphertext.count)
    let count = unsafe ciphertext.withUnsafeBufferPointer { input in
      unsafe run(input, past: blockByteCount, iv: input.baseAddress, key: key, encrypts: 0, to: output)
    }
    guard let count, count > 0 else { return nil }
    let padding = unsafe Int(output.mutableBytes[count - 1])
    guard (1...blockByteCount).contains(padding) else { return nil }
    output.shrink(to: count - padding)
    return output
  }

  /// Encrypts, with a random initialization vector of 16 bytes before the ciphertext.
  ///
  /// - Returns: `nil` if the library fails.
  static func encrypt(_ plaintext: Span<UInt8>, key: SecretBytes) -> SecretBytes? {
    let iv = SecretBytes(capacity: blockByteCount)
    guard unsafe otp_random_private(iv.mutableBytes.baseAddress, blockByteCount) == 1 else { return nil }
    let output = SecretBytes(capacity: plaintext.count + blockByteCount)
    let count = unsafe plaintext.withUnsafeBufferPointer { input in
      unsafe run(input, past: 0, iv: iv.mutableBytes.baseAddress, key: key, encrypts: 1, to: output)
    }
    guard let count else { return nil }
    let result = SecretBytes(capacity: blockByteCount + count)
    for index in 0..<blockByteCount { unsafe result.mutableBytes[index] = iv.mutableBytes[index] }
    for index in 0..<count { unsafe result.mutableBytes[blockByteCount + index] = output.mutableBytes[index] }
    return result
  }

  private static func run(
    _ input: UnsafeBufferPointer<UInt8>, past start: Int, iv: UnsafePointer<UInt8>?, key: SecretBytes, encrypts: Int32,
    to output: SecretBytes
  ) -> Int? {
    let cipher: OpaquePointer?
    switch key.byteCount {
    case 16: unsafe cipher = EVP_aes_128_cbc()
    case 24: unsafe cipher = EVP_aes_192_cbc()
    case 32: unsafe cipher = EVP_aes_256_cbc()
    default: return nil
    }
    guard let count = Int32(exactly: input.count - start), let context = unsafe EVP_CIPHER_CTX_new() else { return nil }
    defer {
      unsafe EVP_CIPHER_CTX_free(context)
      otp_wipe_stack(Int(OTP_LIBRARY_STACK_BYTES))
    }
    guard let source = input.baseAddress, let target = unsafe output.mutableBytes.baseAddress else { return nil }
    var (written, last): (Int32, Int32) = (0, 0)
    guard unsafe EVP_CipherInit_ex2(context, cipher, key.mutableBytes.baseAddress, iv, encrypts, nil) == 1,
      unsafe EVP_CIPHER_CTX_set_padding(context, encrypts) == 1,
      unsafe EVP_CipherUpdate(context, target, &written, source + start, count) == 1,
      unsafe EVP_CipherFinal_ex(context, target + Int(written), &last) == 1
    else { return nil }
    return Int(written) + Int(last)
  }
}
