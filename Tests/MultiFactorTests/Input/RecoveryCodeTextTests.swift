import Testing

@testable import MultiFactor

@Suite struct RecoveryCodeTextTests {
  private let bytes: [UInt8] = [0x00, 0x44, 0x32, 0x14, 0xC7, 0x42, 0x54, 0xB6, 0x35, 0xCF]
  private let text = "ABCD-EFGH-IJKL-MNOP"

  @Test func `a code is 16 characters in groups of four`() {
    #expect(RecoveryCodeText.written(bytes) == text)
    #expect(RecoveryCodeText.written(Array(repeating: 0xFF, count: 10)) == "7777-7777-7777-7777")
    #expect(RecoveryCodeText.written([]) == "")
  }

  @Test(arguments: [
    "ABCD-EFGH-IJKL-MNOP", "abcd-efgh-ijkl-mnop", "ABCDEFGHIJKLMNOP", "aBcD eFgH iJkL mNoP", " ABCD--EFGH IJKL MNOP-",
    "ＡＢＣＤ－ＥＦＧＨ－ＩＪＫＬ－ＭＮＯＰ", "ａｂｃｄｅｆｇｈ\u{3000}ｉｊｋｌｍｎｏｐ", "A B C D E F G H I J K L M N O P",
  ])
  func `one recovery code in many hands`(typed: String) throws {
    #expect(try RecoveryCodeText.bytes(typed) == bytes)
  }

  @Test func `digits of any script are read as their value`() throws {
    let expected = try RecoveryCodeText.bytes("2345-67AB-CDEF-GHIJ")
    for typed in ["２３４５-６７ＡＢ-CDEF-GHIJ", "٢٣٤٥-٦٧ab-cdef-ghij", "𝟐𝟑𝟒𝟓-𝟔𝟕AB-CDEF-GHIJ"] {
      #expect(try RecoveryCodeText.bytes(typed) == expected)
    }
  }

  @Test(arguments: ["", " ", "- -", "－", "\u{3000}"]) func `nothing typed is told apart`(typed: String) {
    #expect(throws: AuthError(.missingVerificationCode)) { try RecoveryCodeText.bytes(typed) }
  }

  @Test(arguments: [
    "ABCD-EFGH-IJKL-MNO", "ABCD-EFGH-IJKL-MNOPQ", "0BCD-EFGH-IJKL-MNOP", "1BCD-EFGH-IJKL-MNOP", "8BCD-EFGH-IJKL-MNOP",
    "9BCD-EFGH-IJKL-MNOP", "ABCD_EFGH_IJKL_MNOP", "ABCD-EFGH-IJKL-MNOP\n", "ABCD-EFGH-IJKL-MN==", "ABCDEFGHIJ======",
    "ABCDEFGHIJKA====", "ABCDEFGHIJKLA===", "ABCDEFGHIJKLMNA=",
    "ABCDEFGHIJKLMNOP======",
    "ÀBCD-EFGH-IJKL-MNOP", "АBCD-EFGH-IJKL-MNOP", "ABCD–EFGH–IJKL–MNOP", "ABCD\u{A0}EFGH-IJKL-MNOP",
    "ABCDEFGHIJKLMNO\0",
    "ABCDEFGHIJKLMNOP\u{301}", "\u{212A}BCD-EFGH-IJKL-MNOP", "ſBCD-EFGH-IJKL-MNOP", "①BCD-EFGH-IJKL-MNOP", "123456",
    "ABCDEFGHIJKLMNOP" + String(repeating: " ", count: 49),
  ])
  func `anything else is no recovery code`(typed: String) throws {
    #expect(try RecoveryCodeText.bytes(typed) == nil)
  }

  @Test func `what is written is read, typed as people type`() throws {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<500 {
      let bytes = (0..<RecoveryCodeText.byteCount).map { _ in UInt8.random(in: 0...255, using: &random) }
      let written = RecoveryCodeText.written(bytes)
      #expect(written.utf8.count == 19)
      for typed in [written, written.lowercased(), written.replacing("-", with: ""), written.replacing("-", with: " ")]
      {
        #expect(try RecoveryCodeText.bytes(typed) == bytes)
      }
    }
  }

  @Test(arguments: ["A", " ", "Ａ", "é"]) func `a 1 MB string: refused, in bounded work`(repeated: String) throws {
    let megabyte = String(repeating: repeated, count: 1 << 20)
    for _ in 0..<1000 {
      #expect(try RecoveryCodeText.bytes(megabyte) == nil)
    }
  }
}
