import OTP
import SharedFixtures
import Testing

@testable import MultiFactor

@Suite struct CodeTextTests {
  @Test(arguments: [
    "123456", " 123456", "123 456", "123-456", "1 2 3 4 5 6", "-1-2-3-4-5-6-", "123456 ", "１２３４５６", "١٢٣٤٥٦", "۱۲۳۴۵۶",
    "१२३४५६", "১২৩৪৫৬", "๑๒๓๔๕๖", "𝟏𝟐𝟑𝟒𝟓𝟔", "𝟣𝟤𝟥𝟦𝟧𝟨", "1２٣४੫𝟼", "１２３ ４５６", "123456\n", "\t123456",
  ])
  func `the ways in which people type one code are all read`(text: String) throws {
    #expect(CodeText.canonical(text) == "123456")
    #expect(throws: Never.self) { try CodeText.digits(of: text, 6...6) }
  }

  @Test(arguments: ["", " ", "-", " - - ", String(repeating: " ", count: 64)])
  func `an empty text has an error other than a wrong code's`(text: String) {
    #expect(CodeText.canonical(text) == "")
    #expect(throws: AuthError(.missingVerificationCode)) { try CodeText.digits(of: text, 6...6) }
  }

  @Test(arguments: [
    "12345a", "+123456", "1_23456", "123.456", "123,456", "123456\n7", "123456\0", "12\r\n3456", "0x123456",
    "12345①", "12345²", "12345½", "12345Ⅵ", "一二三四五六", "12345\u{301}6",
    "123–456", "123－456", "123\u{2028}456", "1️⃣23456", "O23456", String(repeating: "-", count: 65),
  ])
  func `anything else is not a code`(text: String) throws {
    #expect(CodeText.canonical(text) == nil)
    #expect(try CodeText.digits(of: text, 6...6) == nil)
  }

  @Test(arguments: ["1", "12345", "1234567", "٠١٢٣٤", "00000000"])
  func `too few or too many digits are not a code`(text: String) throws {
    #expect(CodeText.canonical(text) != nil)
    #expect(try CodeText.digits(of: text, 6...6) == nil)
  }

  @Test func `a code must have as many digits as its factor`() throws {
    #expect(try CodeText.digits(of: "1234567", 6...8) == "1234567")
    #expect(try CodeText.digits(of: "123456789", 6...8) == nil)
  }

  @Test func `every scalar of Unicode that is a decimal digit is read as its value, and no other`() {
    var digitCount = 0
    for value in 0...0x10FFFF as ClosedRange<UInt32> {
      guard let scalar = Unicode.Scalar(value), !" -\t\n\u{B}\u{C}\r".unicodeScalars.contains(scalar) else { continue }
      // What is dropped: the engine's tests list it.
      if scalar.properties.generalCategory == .spaceSeparator || scalar.properties.isBidiControl { continue }
      if [0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF].contains(value) { continue }
      // An older Swift does not know the newest digits.
      if scalar.properties.generalCategory == .unassigned { continue }
      let canonical = CodeText.canonical(String(Character(scalar)))
      guard scalar.properties.generalCategory == .decimalNumber else {
        #expect(canonical == nil, "U+\(String(value, radix: 16))")
        continue
      }
      digitCount += 1
      // An independent way to the value: the ten digits of a script are consecutive in Unicode.
      let start = value - UInt32(scalar.properties.numericValue ?? -1)
      #expect(Unicode.Scalar(start)?.properties.numericValue == 0)
      #expect(canonical == String(value - start), "U+\(String(value, radix: 16))")
    }
    // Unicode 12 had 630.
    #expect(digitCount >= 630)
    #expect(digitCount % 10 == 0)
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func `digits of any script between any spaces and hyphens are the code`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let zeros: [UInt32] = [0x30, 0x660, 0x6F0, 0x966, 0xE50, 0xFF10, 0x1D7CE, 0x1D7F6, 0x1E950]
    for _ in 0..<500 {
      var text = ""
      var expected = ""
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        let digit = UInt32.random(in: 0...9, using: &random)
        expected += String(digit)
        text += String(repeating: random.pick([" ", "-"]), count: Int.random(in: 0...2, using: &random))
        if let scalar = Unicode.Scalar(random.pick(zeros) + digit) { text.unicodeScalars.append(scalar) }
      }
      #expect(CodeText.canonical(text) == expected, "seed \(seed)")
      #expect(CodeText.canonical(expected) == expected)
    }
  }

  @Test func `64 scalars are read, 65 are not a code`() {
    #expect(CodeText.canonical(String(repeating: "𝟏", count: 64)) == String(repeating: "1", count: 64))
    #expect(CodeText.canonical(String(repeating: "𝟏", count: 65)) == nil)
    #expect(CodeText.canonical(String(repeating: " ", count: 60) + "1234") == "1234")
    #expect(CodeText.canonical(String(repeating: " ", count: 60) + "12345") == nil)
  }

  @Test(arguments: ["1", " ", "１", "𝟏", "x", "\u{301}"]) func `a 1 MB string: refused with bounded work`(
    repeated: String
  ) {
    let megabyte = String(repeating: repeated, count: 1 << 20)
    // If the work were not bounded, a thousand of these would take minutes in a debug build.
    for _ in 0..<1000 { #expect(CodeText.canonical(megabyte) == nil) }
  }
}
