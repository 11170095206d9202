/// Parsers of option values. Their errors become the hint in the usage error.
enum OptionValue {
  /// What an option requires. It never repeats the value.
  struct Invalid: Error, CustomStringConvertible {
    let description: String
  }

  static func time(_ text: String) throws -> Int64 {
    guard let seconds = Int64(text) else { throw Invalid(description: "must be whole seconds, -2^63 to 2^63-1") }
    return seconds
  }

  /// A time that a factor's record takes, as FactorRecord does.
  static func recordTime(_ text: String) throws -> Int64 {
    guard let seconds = Int64(text), 946_684_800..<7_258_118_400 ~= seconds else {
      throw Invalid(description: "must be whole seconds since 1970, from 2000 to 2199 (UTC)")
    }
    return seconds
  }

  static func counter(_ text: String) throws -> UInt64 {
    guard let number = UInt64(text) else { throw Invalid(description: "must be a whole number, 0 to 2^64-1") }
    return number
  }

  static func period(_ text: String) throws -> Int64 {
    guard let seconds = Int64(text), seconds >= 1 else {
      throw Invalid(description: "must be whole seconds, 1 to 2^63-1")
    }
    return seconds
  }

  static func digits(_ text: String) throws -> OTPCode.Digits {
    guard let count = Int(text), let digits = OTPCode.Digits(rawValue: count) else {
      throw Invalid(description: "must be 6, 7 or 8")
    }
    return digits
  }

  static func algorithm(_ text: String) throws -> HashAlgorithm {
    do throws(OTPError) { return try HashAlgorithm(name: text) } catch {
      throw Invalid(description: "must be SHA1, SHA256 or SHA512")
    }
  }

  /// A parser for one of a type's words.
  static func word<Word: RawRepresentable<String> & CaseIterable & Sendable>(
    of _: Word.Type
  ) -> @Sendable (String) throws -> Word {
    { text in
      guard let word = Word(rawValue: text) else {
        throw Invalid(description: "must be one of \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      return word
    }
  }

  /// A parser for small numbers.
  static func number(in range: ClosedRange<Int>) -> @Sendable (String) throws -> Int {
    { text in
      guard let number = Int(text), range.contains(number) else {
        throw Invalid(description: "must be a whole number, \(range.lowerBound) to \(range.upperBound)")
      }
      return number
    }
  }
}

/// The type of a code, by its moving factor.
enum CodeType: String, CaseIterable { case totp, hotp }
