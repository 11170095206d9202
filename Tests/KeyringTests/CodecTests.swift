import Testing

@testable import Keyring
@testable import OTP

@Suite struct CodecTests {
  private func written(_ write: (inout ByteWriter) -> Void) -> SecretBytes {
    var writer = ByteWriter()
    write(&writer)
    return writer.finish()
  }

  private func reader(_ bytes: [UInt8]) -> ByteReader { ByteReader(SecretBytes(copying: bytes)) }

  @Test func `values are read as they were written, and neither cut short nor with bytes after their end`() throws {
    let whole = written { writer in
      writer.append(UInt8(1))
      writer.append(UInt64.max)
      writer.append(Int64(-1))
      writer.append(true)
      writer.append("é😀")
      writer.append([1, 2] as [UInt8])
      writer.append(SecretBytes(copying: [UInt8](repeating: 3, count: 200)))
      for text in ["x", nil] { writer.append(text) { writer, text in writer.append(text) } }
    }.copiedBytes()
    func readAll(_ bytes: [UInt8]) throws {
      var reader = reader(bytes)
      #expect(try reader.readUInt8() == 1)
      #expect(try reader.readUInt64() == .max)
      #expect(try reader.readInt64() == -1)
      #expect(try reader.readBool())
      #expect(try reader.readString() == "é😀")
      #expect(try reader.readBytes() == [1, 2])
      #expect(try reader.readSecretBytes().copiedBytes() == [UInt8](repeating: 3, count: 200))
      for text in ["x", nil] {
        #expect(try reader.readOptional { (reader) throws(KeyringError) in try reader.readString() } == text)
      }
      try reader.finish()
    }
    try readAll(whole)
    for count in whole.indices { #expect(keyringFailure { try readAll(Array(whole[..<count])) } == .malformed) }
    #expect(keyringFailure { try readAll(whole + [0]) } == .malformed)
  }

  @Test func `numbers are big-endian, and lengths take one byte up to 127`() {
    let bytes = written { writer in
      writer.append(UInt64(0x0102_0304_0506_0708))
      writer.append(Int64(-2))
      writer.append(true)
      writer.append("ab")
      writer.append([UInt8](repeating: 9, count: 130))
    }.copiedBytes()
    #expect(bytes.prefix(8) == [1, 2, 3, 4, 5, 6, 7, 8])
    #expect(bytes[8..<16] == [255, 255, 255, 255, 255, 255, 255, 254])
    #expect(bytes[16..<22] == [1, 2, 0x61, 0x62, 0x82, 0x01])
    #expect(bytes.count == 22 + 130)
  }

  @Test(arguments: [
    [0x80, 0], [0x81, 0], [0x80, 0x80, 0], [0xFF, 0xFF, 0xFF, 0xFF, 0x0F], [0xFF, 0xFF, 0xFF, 0x7F],
  ])
  func `lengths in more bytes than needed, or greater than what follows, are refused`(length: [UInt8]) {
    #expect(
      keyringFailure {
        var reader = reader(length + [1, 2, 3])
        return try reader.readBytes()
      } == .malformed)
  }

  @Test(arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x61, 0xC3]])
  func `text that is not UTF-8 is refused`(bytes: [UInt8]) {
    #expect(
      keyringFailure {
        var reader = reader([UInt8(bytes.count)] + bytes)
        return try reader.readString()
      } == .malformed)
  }

  @Test(arguments: UInt8(2)...255) func `a Boolean that is neither 0 nor 1 is refused`(byte: UInt8) {
    #expect(
      keyringFailure {
        var reader = reader([byte])
        return try reader.readBool()
      } == .malformed)
  }
}
