import OTP

func checkBase32(_ input: Span<UInt8>) throws(Violation) {
  let text = input.array
  let lenient = outcome { () throws(OTPError) in try Base32.decode(utf8: text.span) }
  let strict = outcome { () throws(OTPError) in try Base32.decode(utf8: text.span, strict: true) }

  switch lenient {
  case .success(let bytes):
    let encoded = Base32.encode(bytes)
    try require((try? Base32.decode(encoded)) == bytes, "encoded bytes decode to themselves")
    let symbols = text.filter { $0 != 0x20 && $0 != 0x2D && $0 != 0x3D }.map { $0 >= 0x61 ? $0 - 0x20 : $0 }
    // All symbols except the last, whose left-over bits may differ.
    try require(
      symbols.count == encoded.utf8.count && symbols.dropLast().elementsEqual(encoded.utf8.dropLast()),
      "a text stands for its own symbols")
  case .failure(let error):
    try checkText(of: error)
    if let position = error.position {
      try require(text.indices.contains(position), "a position is within the text")
    }
  }

  switch strict {
  case .success(let bytes):
    try require((try? lenient.get()) == bytes, "strict implies lenient with the same result")
    try require(Base32.encode(bytes, padding: true).utf8.elementsEqual(text), "strict accepts only canonical text")
  case .failure(let error): try checkText(of: error)
  }

  try checkSecret(text, lenient: lenient, strict: strict)
}

private func checkSecret(
  _ text: [UInt8], lenient: Result<[UInt8], OTPError>, strict: Result<[UInt8], OTPError>
) throws(Violation) {
  for (isStrict, decoded) in [(false, lenient), (true, strict)] {
    let secret = outcome { () throws(OTPError) in try OTPSecret(base32UTF8: text.span, strict: isStrict) }
    switch (secret, decoded) {
    case (.success(let secret), .success(let bytes)):
      try require(secret.withBytes { $0.array } == bytes, "a secret has the decoded bytes")
      try require(secret.base32String() == Base32.encode(bytes), "a secret is encoded as its bytes are")
    case (.failure(let error), .success(let bytes)):
      try require(bytes.isEmpty && error.code == .emptySecret, "only an empty text gives no secret")
    case (.failure(let error), .failure(let other)):
      try require(error == other && error.position == other.position, "a secret's error is the decoder's")
    case (.success, .failure): throw Violation(rule: "a secret does not decode what the decoder refuses")
    }
    guard let string = String(utf8: text) else { continue }
    let ofString = outcome { () throws(OTPError) in try Base32.decode(string, strict: isStrict) }
    try require(ofString == decoded, "a string decodes as its bytes do")
  }
}
