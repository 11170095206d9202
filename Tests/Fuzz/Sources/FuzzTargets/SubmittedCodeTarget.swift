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
      try require(error.code == .malformedCode, "a text that is not a code is malformed")
      try checkText(of: error)
    }
    guard let string = String(utf8: text) else { continue }
    try require(((try? SubmittedCode(string, digits: digits)) != nil) == isCode, "a string is read as its bytes are")
  }
}

private func checkVerification(_ code: SubmittedCode, text: [UInt8]) throws(Violation) {
  // Made each time: Leak Sanitizer would report a key in a global as leaked, since it cannot read its tagged pointer.
  let results = outcome { () throws(OTPError) in
    let secret = try OTPSecret(bytes: "12345678901234567890".utf8)
    let hotp = try HOTP(secret: secret, digits: code.digits)
    var expected = Verification.rejected
    for counter in (0...3 as ClosedRange<UInt64>).reversed()
    where try hotp.code(counter: counter).description.utf8.elementsEqual(text) {
      expected = .accepted(movingFactor: counter, offset: Int(counter))
    }
    return try hotp.verify(code, counter: 0, lookAhead: 3) == expected
  }
  try require(results == .success(true), "a code is accepted exactly if its text is the expected one")
}
