import OTP
import Testing

@Suite struct TypedCodeTests {
  /// The digits read from a text, or `nil` if it is not a code.
  private func digits(of text: String, _ digits: OTPCode.Digits = .six) -> String? {
    let whole = code { () throws(OTPError) in try SubmittedCode(typed: text, digits: digits) }
    let part = code { () throws(OTPError) in try SubmittedCode(typed: ("<" + text).dropFirst(), digits: digits) }
    let bytes = read(Array(text.utf8), digits)
    #expect(whole == bytes && part == bytes)
    return bytes
  }

  private func read(_ utf8: [UInt8], _ digits: OTPCode.Digits = .six) -> String? {
    code { () throws(OTPError) in try SubmittedCode(typedUTF8: utf8.span, digits: digits) }
  }

  private func code(_ read: () throws(OTPError) -> SubmittedCode) -> String? {
    do throws(OTPError) {
      let code = try read()
      return unsafe String(unsafeUninitializedCapacity: code.digits.rawValue) { text in
        unsafe code.write(to: text)
        return code.digits.rawValue
      }
    } catch {
      #expect(error.code == .malformedCode && error.part == nil && error.position == nil)
      return nil
    }
  }

  @Test(arguments: [
    "287082", "287 082", " 2-8 7 -0 8 2-\r\n", "\n\u{B}287082\t\u{C}", "2８٧०𝟖๒", "\u{2066}287\u{A0}082\u{2069}\n",
    "2\u{200D}8\u{2060}7\u{61C}082",
  ])
  func `a code is read in every way in which people type it`(text: String) throws {
    #expect(digits(of: text) == "287082")
    let typed = try SubmittedCode(typed: text)
    #expect(try TOTP(secret: .rfc).verify(typed, at: 59, after: nil) == .accepted(movingFactor: 1, offset: 0))
    #expect(try HOTP(secret: .rfc).verify(typed, counter: 1) == .accepted(movingFactor: 1, offset: 0))
  }

  @Test(arguments: OTPCode.Digits.allCases)
  func `a code has exactly the expected number of digits`(expected: OTPCode.Digits) {
    for count in 0...20 {
      let text = String("01234567890123456789".prefix(count))
      let spaced = text.map { " \($0)-" }.joined() + "\n"
      let isCode = count == expected.rawValue
      #expect(digits(of: text, expected) == (isCode ? text : nil))
      #expect(digits(of: spaced, expected) == (isCode ? text : nil))
    }
  }

  @Test(arguments: [
    "", " ", "\n", " - - ", "287\n082", "287\t082", "287082\n0", "2\r\n87082", "2️⃣87082", "28708\u{301}2",
  ])
  func `any other text is not a code`(text: String) {
    #expect(digits(of: text) == nil)
  }

  @Test(arguments: 0...16 as ClosedRange<UInt32>)
  func `every decimal digit of Unicode is read as its value, and nothing else is a digit`(plane: UInt32) {
    for value in plane << 16...plane << 16 | 0xFFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let properties = scalar.properties
      // An older Swift does not know the newest digits.
      if properties.generalCategory == .unassigned { continue }
      var expected: String?
      if properties.generalCategory == .decimalNumber, let number = properties.numericValue {
        expected = String(repeating: String(Int(number)), count: 6)
      }
      let found = read(Array(String(repeating: String(Character(scalar)), count: 6).utf8))
      if found != expected { Issue.record("U+\(String(value, radix: 16)): \(found ?? "not a code")") }
    }
  }

  @Test func `exactly the spaces, hyphens, direction marks and zero-width characters are dropped`() {
    let ascii = Set(" -\t\n\u{B}\u{C}\r".unicodeScalars)
    // All planes that have characters.
    for value in [UInt32](0...0x3FFFF) + [UInt32](0xE0000...0xE0FFF) {
      guard let scalar = Unicode.Scalar(value), scalar.properties.generalCategory != .decimalNumber else { continue }
      let isDropped =
        ascii.contains(scalar) || scalar.properties.generalCategory == .spaceSeparator
        || scalar.properties.isBidiControl || [0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF].contains(value)
      let found = read(Array("287082\(Character(scalar))".utf8))
      if found != (isDropped ? "287082" : nil) { Issue.record("U+\(String(value, radix: 16)): \(found ?? "refused")") }
    }
  }

  @Test func `every other byte is refused at every position`() {
    let code = Array("287082".utf8)
    let dropped = Set(" -".utf8)
    let white = Set("\t\n\u{B}\u{C}\r".utf8)
    for place in 0...6 {
      for byte in UInt8.min...UInt8.max {
        var text = code
        text.insert(byte, at: place)
        let isDropped = dropped.contains(byte) || (white.contains(byte) && (place == 0 || place == 6))
        #expect(read(text) == (isDropped ? "287082" : nil), "\(byte) in place \(place)")
      }
    }
  }

  @Test(
    arguments: [
      // The full-width and the mathematical zero truncated, and their continuation bytes only.
      [0xEF], [0xEF, 0xBC], [0xF0], [0xF0, 0x9D], [0xF0, 0x9D, 0x9F], [0x90], [0xBC, 0x90], [0x9D, 0x9F, 0x8E],
      // Overlong encodings of a digit: U+0030 in 2, 3 and 4 bytes, U+0660 in 3 and 4, U+FF10 in 4.
      [0xC0, 0xB0], [0xE0, 0x80, 0xB0], [0xF0, 0x80, 0x80, 0xB0], [0xE0, 0x99, 0xA0], [0xF0, 0x80, 0x99, 0xA0],
      [0xF0, 0x8F, 0xBC, 0x90],
      // A space and a newline in 2 bytes.
      [0xC0, 0xA0], [0xC0, 0x8A],
      // A surrogate, a value above U+10FFFF, and bytes that never occur in UTF-8.
      [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF8, 0x9D, 0x9F, 0x8E], [0xF8, 0x88, 0x80, 0x80, 0xB0], [0xFE],
      [0xFF], [0xFF, 0xFE, 0x30, 0x00],
    ] as [[UInt8]])
  func `bytes that are not UTF-8 are not a code`(bytes: [UInt8]) {
    let code = Array("287082".utf8)
    #expect(read(bytes + code) == nil)
    #expect(read(code + bytes) == nil)
    #expect(read(code.prefix(3) + bytes + code.suffix(3)) == nil)
    #expect(read(code.prefix(5) + bytes) == nil)
    #expect(read(bytes) == nil)
  }

  @Test func `up to 64 characters are read, and a longer text is not a code`() {
    for space in [" ", "-", "\n", "\u{2009}"] {
      #expect(digits(of: String(repeating: space, count: 58) + "287082") == "287082")
      #expect(digits(of: String(repeating: space, count: 59) + "287082") == nil)
      #expect(digits(of: "𝟐𝟖𝟕𝟎𝟖𝟐" + String(repeating: space, count: 58)) == "287082")
      #expect(digits(of: "𝟐𝟖𝟕𝟎𝟖𝟐" + String(repeating: space, count: 59)) == nil)
    }
  }

  @Test(arguments: ["1", " ", "\n", "１", "𝟏", "x", "\u{301}"])
  func `a typed string of 1 MB is refused in bounded time`(repeated: String) {
    let megabyte = String(repeating: repeated, count: 1 << 20)
    // If the work were not bounded, a thousand of these would take minutes in a debug build.
    let bytes = Array(megabyte.utf8)
    for _ in 0..<1000 {
      #expect(code { () throws(OTPError) in try SubmittedCode(typed: megabyte) } == nil)
      #expect(code { () throws(OTPError) in try SubmittedCode(typedUTF8: bytes.span) } == nil)
    }
  }
}
