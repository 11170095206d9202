import OTP

/// A test of the default base32 decoder and of the encoder.
struct Base32Vector: PlainVectorTest {
  private enum Expectation: Sendable {
    case bytes([UInt8], canonical: String)
    case refusal
  }

  private let text: String
  private let expectation: Expectation

  static func readSettings(_ fields: inout Fields) throws(Fault) {}

  init(_ fields: inout Fields, in group: Void) throws(Fault) {
    text = try fields.text("text")
    switch try fields.word("result", as: Validity.self) {
    case .valid:
      let canonical = try fields.text("canonical")
      let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
      guard canonical.utf8.allSatisfy(alphabet.contains) else {
        throw fields.fault("canonical", "not upper-case base32 without padding")
      }
      expectation = .bytes(try fields.bytes("hex"), canonical: canonical)
    case .invalid: expectation = .refusal
    }
  }

  func run() throws(Mismatch) {
    switch expectation {
    case .bytes(let expected, let canonical):
      let bytes = try Mismatch.ifThrown { () throws(OTPError) in try Base32.decode(text) }
      try Mismatch.unlessEqual("hex", bytes: bytes, expected)
      try Mismatch.unlessSame("canonical", Base32.encode(bytes), canonical)
    case .refusal:
      guard let bytes = try? Base32.decode(text) else { return }
      throw Mismatch("expected an error, got \(Quotation.text(Hex.encode(bytes)))")
    }
  }
}
