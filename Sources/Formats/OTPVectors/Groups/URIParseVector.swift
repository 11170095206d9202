import OTP

/// A test of reading a key URI.
struct URIParseVector: PlainVectorTest {
  private let uri: String
  /// `nil` if the URI must be refused.
  private let expectation: URIExpectation?

  init(_ fields: inout Fields, in _: Void) throws(LocatedError) {
    uri = try fields.text("uri")
    switch try fields.answer(as: Validity.self) {
    case .valid:
      expectation = try fields.object("expect") { fields throws(LocatedError) in try URIExpectation(&fields) }
    case .invalid: expectation = nil
    }
  }

  func run() throws(Mismatch) {
    if let expectation {
      try expectation.check(try Mismatch.ifThrown { () throws(OTPError) in try OTPAuthURI(uri) })
    } else if let value = try? OTPAuthURI(uri) {
      throw Mismatch("expected an error, got \(Quotation.text(value.uriString()))")
    }
  }
}
