/// Every truncated value, 0...2^31-1, through the engine's own reduction and comparison. Compiled together with the
/// engine's sources, since these functions are internal.
///
/// The argument, 0 or 1, selects one half of the values.
@main
struct Exhaustive {
  var problems = 0

  static func main() throws {
    guard let half = CommandLine.arguments.dropFirst().first.flatMap({ UInt64($0) }), half < 2 else {
      print("exhaustive: which half, 0 or 1?")
      return
    }
    var check = Exhaustive()
    // The smallest code, the largest, and one between them.
    let codes = [("000000", OTPCode.Digits.six), ("9999999", .seven), ("12345678", .eight)]
    for (code, digits) in codes {
      check.compareReductions(digits, (half << 30)..<((half + 1) << 30))
      check.compareMultiples(digits, half)
      try check.compareMatches(SubmittedCode(code, digits: digits), half)
    }
    print("half \(half): \(check.problems) wrong")
  }

  /// 10^digits, written out so that the expected values do not come from the engine.
  private func modulus(_ digits: OTPCode.Digits) -> UInt64 {
    switch digits {
    case .six: 1_000_000
    case .seven: 10_000_000
    case .eight: 100_000_000
    }
  }

  /// Runs through the numbers with their remainders, from one multiple to the next, and counts the wrong results.
  @inline(__always)
  private mutating func compare(
    _ numbers: Range<UInt64>, modulus: UInt64, isRight: (_ number: UInt32, _ remainder: UInt32) -> Bool
  ) {
    var wrong = 0
    var number = numbers.lowerBound
    while number < numbers.upperBound {
      let multiple = number - number % modulus
      let end = min(multiple + modulus, numbers.upperBound)
      for remainder in UInt32(number - multiple)..<UInt32(end - multiple) {
        wrong &+= isRight(UInt32(multiple) &+ remainder, remainder) ? 0 : 1
      }
      number = end
    }
    problems += wrong
  }

  private mutating func compareReductions(_ digits: OTPCode.Digits, _ values: Range<UInt64>) {
    compare(values, modulus: modulus(digits)) { value, remainder in digits.reduce(value) == remainder }
  }

  /// A value plus the difference of a code to 10^digits is one of these numbers, whatever the code is, and it is a
  /// multiple exactly if the value has that code.
  private mutating func compareMultiples(_ digits: OTPCode.Digits, _ half: UInt64) {
    let multiples = digits.multiples
    let modulus = modulus(digits)
    let bounds = [0, 1 << 30, (1 << 31) + modulus]
    compare(bounds[Int(half)]..<bounds[Int(half) + 1], modulus: modulus) { number, remainder in
      // Not a secret.
      multiples.contains(number).declassified == (remainder == 0)
    }
  }

  private mutating func compareMatches(_ code: SubmittedCode, _ half: UInt64) {
    let scan = MatchScan(for: code)
    compare((half << 30)..<((half + 1) << 30), modulus: modulus(code.digits)) { value, remainder in
      // Not a secret.
      scan.matches(value).declassified == (remainder == code.number)
    }
  }
}
