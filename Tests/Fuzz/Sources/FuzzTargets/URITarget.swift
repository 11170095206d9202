import OTP

func checkURI(_ input: Span<UInt8>) throws(Violation) {
  let text = input.array
  let plain = parse(text)
  try check(plain, of: text)

  // An option accepts more or, for strict base32, less; what is accepted both ways is read the same.
  let withZero = parse(text, .missingCounterIsZero)
  try check(withZero, of: text)
  if case .success(let uri) = plain {
    try require((try? withZero.get()) == uri, "a lenient counter does not change a URI with a counter")
  }
  let strict = parse(text, .strictBase32)
  if case .success(let uri) = strict {
    try require((try? plain.get()) == uri, "strict implies lenient with the same result")
  }
  let form = parse(text, .plusIsSpace)
  try check(form, of: text)
  if !text.contains(0x2B) { try require(form == plain, "without a plus sign, form encoding changes nothing") }

  if let string = String(utf8: text) {
    try require(outcome { () throws(OTPError) in try OTPAuthURI(string) } == plain, "a string is read as its bytes are")
  }
}

private func parse(_ text: [UInt8], _ options: OTPAuthURI.ParsingOptions = []) -> Result<OTPAuthURI, OTPError> {
  outcome { () throws(OTPError) in try OTPAuthURI(utf8: text.span, options: options) }
}

private func check(_ result: Result<OTPAuthURI, OTPError>, of text: [UInt8]) throws(Violation) {
  switch result {
  case .success(let uri): try checkRoundTrip(uri)
  case .failure(let error):
    try checkText(of: error)
    if let position = error.position {
      try require(text.indices.contains(position), "a position is within the text")
    }
  }
}

private func checkRoundTrip(_ uri: OTPAuthURI) throws(Violation) {
  let written = uri.uriString()
  try require(written.utf8.count <= OTPAuthURI.maximumByteCount, "a URI that was read can be written")
  try require(written.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "a written URI is visible ASCII")
  guard case .success(let again) = parse(Array(written.utf8)) else {
    throw Violation(rule: "a written URI can be read")
  }
  try require(again == uri, "a written URI is read back the same")
  try require(again.uriString() == written, "a URI that is read again is written the same")

  if let all = try? uri.uriString(writingDefaults: true) {
    try require((try? parse(Array(all.utf8)).get()) == uri, "written defaults are read back the same")
  }

  // The first `?secret=` is the parameter, since question marks in the label are encoded.
  let secret = uri.secret.base32String()
  guard let start = written.firstRange(of: "?secret=\(secret)") else {
    throw Violation(rule: "the secret is the first parameter")
  }
  // The values of unknown parameters are redacted as well; they come last.
  var parts = written.replacingCharacters(in: start, with: "?secret=…").split(separator: "&").map(String.init)
  let places = parts.indices.suffix(uri.additionalParameters.count)
  for (place, parameter) in zip(places, uri.additionalParameters) where parameter.value != nil {
    parts[place] = parts[place].prefix { $0 != "=" } + "=…"
  }
  try require(
    uri.description == parts.joined(separator: "&"), "a description is the URI without values that may be secret")
}

extension String {
  /// As in Foundation, without importing it.
  fileprivate func replacingCharacters(in range: Range<Index>, with text: String) -> String {
    String(self[..<range.lowerBound]) + text + String(self[range.upperBound...])
  }
}
