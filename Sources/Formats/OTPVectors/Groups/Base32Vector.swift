import OTP

/// Which decoder a group tests.
enum Base32Reading: String, CaseIterable, Sendable {
  case lenient, strict
}

/// A test of a base32 decoder and of the encoder.
struct Base32Vector: PlainVectorTest {
  private enum Expectation: Sendable {
    case bytes([UInt8], canonical: String)
    case refusal
  }

  private let text: String
  private let isStrict: Bool
  private let expectation: Expectation

  init(_ fields: inout Fields, in group: Base32Reading) throws(LocatedError) {
    isStrict = group == .strict
    text = try fields.text("text")
    switch try fields.answer(as: Validity.self) {
    case .valid:
      let canonical = try fields.text("canonical")
      let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
      // No number of bytes encodes to one, three or six symbols after the last whole group.
      let isWhole = ![1, 3, 6].contains(canonical.utf8.count % 8)
      guard isWhole, canonical.utf8.allSatisfy(alphabet.contains) else {
        throw fields.fault("canonical", "not upper-case base32 without padding")
      }
      expectation = .bytes(try fields.bytes("hex"), canonical: canonical)
    case .invalid: expectation = .refusal
    }
  }

  func run() throws(Mismatch) {
    switch expectation {
    case .bytes(let expected, let canonical):
      let bytes = try Mismatch.ifThrown { () throws(OTPError) in try Base32.decode(text, strict: isStrict) }
      try Mismatch.unlessEqual("hex", bytes: bytes, expected)
      try Mismatch.unlessSame("canonical", Base32.encode(bytes), canonical)
    case .refusal:
      guard let bytes = try? Base32.decode(text, strict: isStrict) else { return }
      throw Mismatch("expected an error, got \(Quotation.text(Hexadecimal.text(bytes)))")
    }
  }
}
