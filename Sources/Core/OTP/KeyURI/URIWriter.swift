/// Writes the pieces of a URI into memory of the right size or, without memory, counts their bytes.
@safe struct URIWriter {
  private let output: UnsafeMutableBufferPointer<UInt8>?
  /// How many bytes were written or counted.
  private(set) var count = 0

  /// A writer that counts.
  init() { unsafe output = nil }

  /// A writer that fills memory.
  init(output: UnsafeMutableBufferPointer<UInt8>) { unsafe self.output = output }

  private mutating func write(_ byte: UInt8) {
    if let output = unsafe output {
      precondition(count < output.count)
      unsafe output[count] = byte
    }
    count += 1
  }

  mutating func write(_ text: String) {
    for byte in text.utf8 { write(byte) }
  }

  /// Percent-encodes all but the unreserved characters.
  mutating func writeEncoded(_ text: String) {
    for byte in text.utf8 {
      if PercentEncoding.isUnreserved(byte) {
        write(byte)
      } else {
        write(0x25)
        write(hexadecimalDigit(byte >> 4))
        write(hexadecimalDigit(byte & 0xF))
      }
    }
  }

  mutating func writeBase32(_ secret: OTPSecret) {
    let size = Base32.encodedByteCount(of: secret.byteCount, padding: false)
    if let output = unsafe output {
      precondition(size <= output.count - count)
      let place = unsafe UnsafeMutableBufferPointer(rebasing: output[count..<count + size])
      _ = secret.withBytes { bytes in unsafe Base32.encode(bytes, padding: false, into: place) }
    }
    count += size
  }

  private func hexadecimalDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x41 + value - 10 }
}
