import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

/// Codes as people type them. What is read, and what is not, is the engine's rule: see its `TypedCodeTests`.
@Suite struct CodeTextTests {
  @Test(arguments: [" 123456", "123-456", "１２３ ４５６", "1２٣४੫𝟼", "123456\n"])
  func `a code is read by the engine's rule`(text: String) throws {
    #expect(try CodeText.digits(of: text, 6...6) == "123456")
  }

  @Test(arguments: ["", " ", "-", " - - ", String(repeating: " ", count: 64)])
  func `an empty text has another error than a wrong code`(text: String) {
    #expect(throws: AuthError(.missingVerificationCode)) { try CodeText.digits(of: text, 6...6) }
  }

  @Test(arguments: ["12345a", "123456\0", "12345", "1234567", "٠١٢٣٤", String(repeating: "-", count: 65)])
  func `any other text, or another number of digits, is not a code`(text: String) throws {
    #expect(try CodeText.digits(of: text, 6...6) == nil)
  }

  @Test func `a code must have as many digits as its factor`() throws {
    #expect(try CodeText.digits(of: "1234567", 6...8) == "1234567")
    #expect(try CodeText.digits(of: "123456789", 6...8) == nil)
  }
}
