import OTP

// The kinds of values in the format, as its JSON schema defines them.
extension Fields {
  /// A text, which may be empty.
  mutating func text(_ name: String) throws(LocatedError) -> String {
    try value(name, called: "a text", \.string)
  }

  /// A text that is not empty.
  mutating func filledText(_ name: String) throws(LocatedError) -> String {
    let text = try text(name)
    guard !text.isEmpty else { throw fault(name, "empty") }
    return text
  }

  /// An account's name. It must not begin with a space, which readers drop.
  mutating func account() throws(LocatedError) -> String {
    let account = try filledText("account")
    guard account.utf8.first != 0x20 else { throw fault("account", "begins with a space") }
    return account
  }

  /// Skips the comment that any object may have, which must be a text that is not empty.
  mutating func skipComment() throws(LocatedError) {
    if has("comment") { _ = try filledText("comment") }
  }

  /// A word from a fixed list.
  mutating func word<Word: RawRepresentable<String> & CaseIterable>(
    _ name: String, as type: Word.Type
  ) throws(LocatedError) -> Word {
    let text = try text(name)
    // Byte by byte, since two Unicode spellings of a word are not the same word.
    guard let word = Word.allCases.first(where: { $0.rawValue.utf8.elementsEqual(text.utf8) }) else {
      let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
      throw fault(name, "\(Quotation.text(text, limit: 40)) is not one of \(words)")
    }
    return word
  }

  /// The expected result: `result`, or, if that is `acceptable`, what this engine does.
  mutating func answer<Word: RawRepresentable<String> & CaseIterable>(as type: Word.Type) throws(LocatedError) -> Word {
    let result = try text("result")
    return try word(result.utf8.elementsEqual("acceptable".utf8) ? "ours" : "result", as: type)
  }

  /// Words from a fixed list, without duplicates.
  mutating func words(_ name: String, of list: [String]) throws(LocatedError) -> Set<String> {
    var words: Set<String> = []
    for text in try value(name, called: "a list of texts", \.strings) {
      guard let word = list.first(where: { $0.utf8.elementsEqual(text.utf8) }) else {
        throw fault(name, "\(Quotation.text(text, limit: 40)) is not in the list")
      }
      guard words.insert(word).inserted else { throw fault(name, "\(word) is given twice") }
    }
    return words
  }

  /// A whole number, written as a JSON number.
  mutating func number<Number: FixedWidthInteger>(
    _ name: String, in range: ClosedRange<Number>
  ) throws(LocatedError) -> Number {
    let number = try value(name, called: "a whole number in \(range)") { value in value.whole(as: Number.self) }
    guard range.contains(number) else { throw fault(name, "not a whole number in \(range)") }
    return number
  }

  /// A whole number, written as a decimal text in canonical form.
  mutating func decimal<Number: FixedWidthInteger>(_ name: String) throws(LocatedError) -> Number {
    let text = try value(name, called: "a decimal number in a text", \.string)
    // `Number.init` also takes a plus sign and leading zeros.
    guard let number = Number(text), String(number).utf8.elementsEqual(text.utf8) else {
      throw fault(name, "not a decimal number in \(Number.min)...\(Number.max)")
    }
    return number
  }

  /// Bytes, possibly none.
  mutating func bytes(_ name: String) throws(LocatedError) -> [UInt8] {
    let digits = Array(try text(name).utf8)
    guard let bytes = Hexadecimal.decode(digits.span) else {
      throw fault(name, "not pairs of lower-case hexadecimal digits")
    }
    return bytes
  }

  /// A secret, of one byte or more.
  mutating func secret(_ name: String) throws(LocatedError) -> OTPSecret {
    let bytes = try bytes(name)
    do throws(OTPError) { return try OTPSecret(bytes: bytes) } catch { throw fault(name, error.description) }
  }

  /// A hash function, by its name in the format.
  mutating func algorithm(_ name: String = "algorithm") throws(LocatedError) -> HashAlgorithm {
    switch try word(name, as: AlgorithmWord.self) {
    case .sha1: .sha1
    case .sha256: .sha256
    case .sha512: .sha512
    }
  }

  /// A number of digits.
  mutating func digits(_ name: String = "digits") throws(LocatedError) -> OTPCode.Digits {
    let count = try number(name, in: 6...8)
    guard let digits = OTPCode.Digits(rawValue: count) else { throw fault(name, "not a number of digits") }
    return digits
  }

  /// The length of a step in seconds.
  mutating func period(_ name: String = "period") throws(LocatedError) -> Int64 {
    let period: Int64 = try decimal(name)
    guard period > 0 else { throw fault(name, "not a decimal number in 1...\(Int64.max)") }
    return period
  }

  /// A code that a correct implementation generates.
  mutating func code(_ digits: OTPCode.Digits) throws(LocatedError) -> String {
    try code(digits.rawValue...digits.rawValue)
  }

  /// The same, with a range of numbers of digits.
  mutating func code(_ digits: ClosedRange<Int>) throws(LocatedError) -> String {
    let code = try text("code")
    guard digits.contains(code.utf8.count), code.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      let count = digits.count == 1 ? "\(digits.lowerBound)" : "\(digits.lowerBound) to \(digits.upperBound)"
      throw fault("code", "not \(count) digits")
    }
    return code
  }
}

/// The names of the hash functions in the format. The engine itself also accepts other spellings.
private enum AlgorithmWord: String, CaseIterable {
  case sha1 = "SHA1"
  case sha256 = "SHA256"
  case sha512 = "SHA512"
}
