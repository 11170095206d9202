import SharedFixtures
import Testing

@testable import FactorRecord
@testable import OTP

@Suite struct RecoveryCodeTextTests {
  private let bytes: [UInt8] = [
    0x00, 0x44, 0x32, 0x14, 0xC7, 0x42, 0x54, 0xB6, 0x35, 0xCF, 0x84, 0x65, 0x3A, 0x56, 0xD7,
  ]
  private let text = "ABCD-EFGH-IJKL-MNOP-QRST-UVWX"

  private func written(_ bytes: [UInt8]) -> String { RecoveryCodeText.written(SecretBytes(copying: bytes)) }

  private func read(_ typed: String) -> [UInt8]? {
    var typed = typed
    return typed.withUTF8 { RecoveryCodeText.bytes(utf8: unsafe $0.span)?.copiedBytes() }
  }

  @Test func `a code is 24 characters in groups of four`() {
    #expect(written(bytes) == text)
    #expect(written(Array(repeating: 0xFF, count: 15)) == "7777-7777-7777-7777-7777-7777")
    #expect(written([]) == "")
  }

  @Test(arguments: [
    "ABCD-EFGH-IJKL-MNOP-QRST-UVWX", "abcd-efgh-ijkl-mnop-qrst-uvwx", "ABCDEFGHIJKLMNOPQRSTUVWX",
    "aBcD eFgH iJkL mNoP qRsT uVwX", " ABCD--EFGH IJKL MNOP-QRST UVWX-",
    "ＡＢＣＤ－ＥＦＧＨ－ＩＪＫＬ－ＭＮＯＰ－ＱＲＳＴ－ＵＶＷＸ", "ａｂｃｄｅｆｇｈ\u{3000}ｉｊｋｌｍｎｏｐｑｒｓｔ\u{3000}ｕｖｗｘ",
    "A B C D E F G H I J K L M N O P Q R S T U V W X",
  ])
  func `a recovery code is read in every way in which people type it`(typed: String) throws {
    #expect(read(typed) == bytes)
  }

  @Test func `digits of any script are read as their value`() throws {
    let expected = read("2345-67AB-CDEF-GHIJ-KLMN-OPQR")
    #expect(expected != nil)
    for start in ["２３４５-６７ＡＢ", "٢٣٤٥-٦٧ab", "𝟐𝟑𝟒𝟓-𝟔𝟕AB"] {
      #expect(read(start + "-cdef-ghij-klmn-opqr") == expected)
    }
  }

  @Test(arguments: [
    "", " ", "- -", "－", "\u{3000}", "ABCD-EFGH-IJKL-MNOP", "ABCD-EFGH-IJKL-MNOP-QRST-UVW",
    "ABCD-EFGH-IJKL-MNOP-QRST-UVWXY", "0BCD-EFGH-IJKL-MNOP-QRST-UVWX", "1BCD-EFGH-IJKL-MNOP-QRST-UVWX",
    "8BCD-EFGH-IJKL-MNOP-QRST-UVWX",
    "9BCD-EFGH-IJKL-MNOP-QRST-UVWX", "ABCD_EFGH_IJKL_MNOP_QRST_UVWX", "ABCD-EFGH-IJKL-MNOP-QRST-UVWX\n",
    "ABCD-EFGH-IJKL-MNOP-QRST-UVW=", "ABCDEFGHIJKLMNOPQR======", "ABCDEFGHIJKLMNOPQRSA====",
    "ABCDEFGHIJKLMNOPQRSTA===", "ABCDEFGHIJKLMNOPQRSTUVA=", "ABCDEFGHIJKLMNOPQRSTUVWX========",
    "ÀBCD-EFGH-IJKL-MNOP-QRST-UVWX", "АBCD-EFGH-IJKL-MNOP-QRST-UVWX", "ABCD–EFGH–IJKL–MNOP–QRST–UVWX",
    "ABCD\u{A0}EFGH-IJKL-MNOP-QRST-UVWX", "ABCDEFGHIJKLMNOPQRSTUVW\0", "ABCDEFGHIJKLMNOPQRSTUVWX\u{301}",
    "\u{212A}BCD-EFGH-IJKL-MNOP-QRST-UVWX", "ſBCD-EFGH-IJKL-MNOP-QRST-UVWX", "①BCD-EFGH-IJKL-MNOP-QRST-UVWX", "123456",
    "ABCDEFGHIJKLMNOPQRSTUVWX" + String(repeating: " ", count: 41),
  ])
  func `any other text is not a recovery code`(typed: String) throws {
    #expect(read(typed) == nil)
  }
}
