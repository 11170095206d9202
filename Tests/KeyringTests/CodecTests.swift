import SharedFixtures
import Testing

@testable import Keyring
@testable import OTP

@Suite struct CodecTests {
  /// A value of each type.
  enum Value: Equatable {
    case byte(UInt8), number(UInt64), signed(Int64), flag(Bool), text(String), bytes([UInt8])
    case secret([UInt8]), optional(String?)

    static func random(using random: inout SeededGenerator) -> Value {
      switch Int.random(in: 0..<8, using: &random) {
      case 0: .byte(UInt8.random(in: 0...255, using: &random))
      case 1: .number(random.next() >> UInt64.random(in: 0...63, using: &random))
      case 2: .signed(Int64(bitPattern: random.next()) >> Int64.random(in: 0...63, using: &random))
      case 3: .flag(Bool.random(using: &random))
      case 4: .text(random.text(0...200))
      case 5: .bytes(random.bytes(0...400))
      case 6: .secret(random.bytes(0...400))
      default: .optional(Bool.random(using: &random) ? random.text(0...20) : nil)
      }
    }

    func write(to writer: inout ByteWriter) {
      switch self {
      case .byte(let value): writer.append(value)
      case .number(let value): writer.append(value)
      case .signed(let value): writer.append(value)
      case .flag(let value): writer.append(value)
      case .text(let value): writer.append(value)
      case .bytes(let value): writer.append(value)
      case .secret(let value): writer.append(SecretBytes(copying: value))
      case .optional(let value): writer.append(value) { writer, value in writer.append(value) }
      }
    }

    func read(from reader: inout ByteReader) throws -> Value {
      switch self {
      case .byte: .byte(try reader.readUInt8())
      case .number: .number(try reader.readUInt64())
      case .signed: .signed(try reader.readInt64())
      case .flag: .flag(try reader.readBool())
      case .text: .text(try reader.readString())
      case .bytes: .bytes(try reader.readBytes())
      case .secret: .secret(try reader.readSecretBytes().copiedBytes())
      case .optional:
        .optional(try reader.readOptional { (reader) throws(KeyringError) in try reader.readString() })
      }
    }
  }

  private func written(_ write: (inout ByteWriter) -> Void) -> SecretBytes {
    var writer = ByteWriter()
    write(&writer)
    return writer.finish()
  }

  private func reader(_ bytes: [UInt8]) -> ByteReader { ByteReader(SecretBytes(copying: bytes)) }

  @Test func `any sequence of values is read as it was written`() throws {
    var random = SeededGenerator(seed: 5)
    for _ in 0..<1000 {
      let values = (0..<Int.random(in: 0...12, using: &random)).map { _ in Value.random(using: &random) }
      let bytes = written { writer in
        for value in values { value.write(to: &writer) }
      }
      var reader = ByteReader(bytes)
      for value in values { #expect(try value.read(from: &reader) == value) }
      try reader.finish()
    }
  }

  @Test func `a sequence that is cut short anywhere, or has bytes after its end, is refused`() throws {
    let values: [Value] = [
      .byte(1), .number(.max), .signed(-1), .flag(true), .text("é😀"),
      .bytes([1, 2]), .secret(Array(repeating: 3, count: 200)), .optional("x"), .optional(nil),
    ]
    let whole = written { writer in
      for value in values { value.write(to: &writer) }
    }.copiedBytes()
    func readAll(_ bytes: [UInt8]) throws {
      var reader = reader(bytes)
      for value in values { #expect(try value.read(from: &reader) == value) }
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
