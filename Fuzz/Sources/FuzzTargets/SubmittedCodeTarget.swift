import OTP

func checkSubmittedCode(_ input: Span<UInt8>) throws(Violation) {
  let text = input.array
  for digits in OTPCode.Digits.allCases {
    let isCode = text.count == digits.rawValue && text.allSatisfy { (0x30...0x39).contains($0) }
    let result = outcome { () throws(OTPError) in try SubmittedCode(utf8: text.span, digits: digits) }
    switch result {
    case .success(let code):
      try require(isCode, "a code is exactly the expected number of ASCII digits")
      try checkVerification(code, text: text)
    case .failure(let error):
      try require(!isCode, "exactly the expected number of ASCII digits is a code")
      try require(error.code == .malformedCode, "a text that is no code is malformed")
      try checkText(of: error, input: text)
    }
    guard let string = String(utf8: text) else { continue }
    try require(((try? SubmittedCode(string, digits: digits)) != nil) == isCode, "a string is read as its bytes are")
  }
}

/// The first codes of the RFC's key, of each number of digits.
private let verifiers: [(hotp: HOTP, codes: [[UInt8]])] = OTPCode.Digits.allCases.compactMap { digits in
  guard let secret = try? OTPSecret(bytes: "12345678901234567890".utf8),
    let hotp = try? HOTP(secret: secret, digits: digits)
  else { return nil }
  let codes = (0...3 as ClosedRange<UInt64>).compactMap { try? Array(hotp.code(counter: $0).description.utf8) }
  return (hotp, codes)
}

private func checkVerification(_ code: SubmittedCode, text: [UInt8]) throws(Violation) {
  guard let (hotp, codes) = verifiers.first(where: { $0.hotp.digits == code.digits }), codes.count == 4 else {
    throw Violation(rule: "a verifier can be made")
  }
  let verification = outcome { () throws(OTPError) in try hotp.verify(code, counter: 0, lookAhead: 3) }
  let expected = codes.firstIndex(of: text).map { Verification.accepted(step: UInt64($0), offset: $0) } ?? .rejected
  try require(verification == .success(expected), "a code is accepted where its text is the expected one")
}
