import OTP
import StrictJSON

// The kinds of values that the format has, as its JSON schema defines them.
extension Fields {
  /// A text, which may be empty.
  mutating func text(_ name: FieldName) throws(Fault) -> String {
    try value(name, as: String.self, called: "a text")
  }

  /// A text of one character or more.
  mutating func filledText(_ name: FieldName) throws(Fault) -> String {
    let text = try text(name)
    guard !text.isEmpty else { throw fault(name, "empty") }
    return text
  }

  /// An account's name. None begins with a space, which readers drop.
  mutating func account() throws(Fault) -> String {
    let account = try filledText("account")
    guard account.utf8.first != 0x20 else { throw fault("account", "begins with a space") }
    return account
  }

  /// The comment that any object may have. It is for people; here it must only be one.
  mutating func skipComment() throws(Fault) {
    _ = try optional("comment") { fields throws(Fault) in try fields.filledText("comment") }
  }

  /// A word of a fixed list.
  mutating func word<Word: RawRepresentable<String> & CaseIterable>(
    _ name: FieldName, as type: Word.Type
  ) throws(Fault) -> Word {
    let text = try text(name)
    // Byte by byte: two Unicode spellings of a word are not the same word.
    guard let word = Word.allCases.first(where: { $0.rawValue.utf8.elementsEqual(text.utf8) }) else {
      let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
      throw fault(name, "\(Quotation.text(text, limit: 40)) is none of \(words)")
    }
    return word
  }

  /// What an answer must be: the `result` or, if the text leaves that open, what this engine does.
  mutating func answer<Word: RawRepresentable<String> & CaseIterable>(as type: Word.Type) throws(Fault) -> Word {
    let result = try text("result")
    guard format == .version2, result.utf8.elementsEqual("acceptable".utf8) else {
      return try word("result", as: type)
    }
    return try word("ours", as: type)
  }

  /// Words of a fixed list, none of them twice.
  mutating func words<Word: RawRepresentable<String> & CaseIterable & Hashable>(
    _ name: FieldName, as type: Word.Type
  ) throws(Fault) -> Set<Word> {
    var words: Set<Word> = []
    for text in try value(name, as: [String].self, called: "a list of texts") {
      guard let word = Word.allCases.first(where: { $0.rawValue.utf8.elementsEqual(text.utf8) }) else {
        throw fault(name, "\(Quotation.text(text, limit: 40)) is not in the list")
      }
      guard words.insert(word).inserted else { throw fault(name, "\(word.rawValue) twice") }
    }
    return words
  }

  /// A whole number, written as a JSON number.
  mutating func number<Number: FixedWidthInteger & Decodable>(
    _ name: FieldName, in range: ClosedRange<Number>
  ) throws(Fault) -> Number {
    let number = try value(name, as: Number.self, called: "a whole number of \(range)")
    guard range.contains(number) else { throw fault(name, "not a whole number of \(range)") }
    return number
  }

  /// A whole number, written as a decimal text in the one way that it can be.
  mutating func decimal<Number: FixedWidthInteger>(_ name: FieldName) throws(Fault) -> Number {
    let text = try value(name, as: String.self, called: "a decimal number in a text")
    // `Number.init` also takes a plus sign and leading zeros.
    guard let number = Number(text), String(number).utf8.elementsEqual(text.utf8) else {
      throw fault(name, "not a decimal number of \(Number.min)...\(Number.max)")
    }
    return number
  }

  /// Bytes, which may be none.
  mutating func bytes(_ name: FieldName) throws(Fault) -> [UInt8] {
    guard let bytes = Hex.decode(try text(name)) else {
      throw fault(name, "not pairs of lower-case hexadecimal digits")
    }
    return bytes
  }

  /// A secret, of one byte or more.
  mutating func secret(_ name: FieldName) throws(Fault) -> OTPSecret {
    let bytes = try bytes(name)
    do throws(OTPError) { return try OTPSecret(bytes: bytes) } catch { throw fault(name, error.description) }
  }

  /// A hash function, by its one name.
  mutating func algorithm(_ name: FieldName = "algorithm") throws(Fault) -> HashAlgorithm {
    switch try word(name, as: AlgorithmWord.self) {
    case .sha1: .sha1
    case .sha256: .sha256
    case .sha512: .sha512
    }
  }

  /// A number of digits.
  mutating func digits(_ name: FieldName = "digits") throws(Fault) -> OTPCode.Digits {
    let count = try number(name, in: 6...8)
    guard let digits = OTPCode.Digits(rawValue: count) else { throw fault(name, "not a number of digits") }
    return digits
  }

  /// A step's length in seconds.
  mutating func period(_ name: FieldName = "period") throws(Fault) -> Int64 {
    guard format == .version2 else { return try number(name, in: 1...Int64.max) }
    let period: Int64 = try decimal(name)
    guard period > 0 else { throw fault(name, "not a decimal number of 1...\(Int64.max)") }
    return period
  }

  /// A code that a right engine makes.
  mutating func code(_ digits: OTPCode.Digits) throws(Fault) -> String {
    try code(digits.rawValue...digits.rawValue)
  }

  /// The same, of which the number of digits may be known to lie in a range only.
  mutating func code(_ digits: ClosedRange<Int>) throws(Fault) -> String {
    let code = try text("code")
    guard digits.contains(code.utf8.count), code.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      let count = digits.count == 1 ? "\(digits.lowerBound)" : "\(digits.lowerBound) to \(digits.upperBound)"
      throw fault("code", "not \(count) digits")
    }
    return code
  }
}

/// The format's names of the hash functions. The engine's reader of names also takes other spellings.
private enum AlgorithmWord: String, CaseIterable {
  case sha1 = "SHA1"
  case sha256 = "SHA256"
  case sha512 = "SHA512"
}
