import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

@Suite struct PhoneNumberTests {
  @Test(arguments: [
    ("+15105551234", "+*******1234"), ("+1234567", "+***4567"), ("+123456789012345", "+***********2345"),
    ("+498912345678", "+********5678"),
  ])
  func `an E.164 number is accepted, and only its last four digits are shown`(text: String, masked: String) throws {
    let number = try PhoneNumber(text)
    #expect(number.e164 == text)
    #expect(number.masked == masked)
    #expect(number.masked.utf8.count == text.utf8.count)
  }

  @Test func `a missing number has an error of its own`() {
    #expect(throws: AuthError(.missingPhoneNumber)) { try PhoneNumber("") }
  }

  @Test(arguments: [
    "+", "15105551234", "+123456", "+1234567890123456", "+05105551234", "+1 510 555 1234", "+1-510-555-1234",
    "+1(510)5551234", " +15105551234", "+15105551234 ", "++15105551234", "+1510555123x", "0015105551234",
    "+１５１０５５５１２３４",
    "＋15105551234", "+١٥١٠٥٥٥١٢٣٤", "+15105551234\0", "+15105551234\n", "tel:+15105551234", "+15105551234,1",
    "+15105551234\u{301}",
  ])
  func `a text that is not an E.164 number is refused`(text: String) {
    #expect(throws: AuthError(.invalidPhoneNumber)) { try PhoneNumber(text) }
  }
}
