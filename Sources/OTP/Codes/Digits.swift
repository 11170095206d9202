extension OTPCode {
  /// How many decimal digits a code has (RFC 4226, section 5.3, and its requirement of 6 at least).
  @frozen public enum Digits: Int, Sendable, Hashable, CaseIterable {
    /// Six digits: what nearly every authenticator app shows.
    case six = 6
    /// Seven digits.
    case seven = 7
    /// Eight digits.
    case eight = 8

    /// The number of digits as a number.
    ///
    /// - Throws: `OTPError` with code `invalidDigits` outside 6...8.
    public init(count: Int) throws(OTPError) {
      guard let digits = Digits(rawValue: count) else { throw OTPError(.invalidDigits) }
      self = digits
    }

    /// The last digits of a truncated value, as a number.
    ///
    /// Timing: constant for a given number of digits. A division's time would depend on the value, and whether a
    /// compiler makes one of `%` depends on its options: here it is multiplications in every build.
    func reduce(_ truncatedValue: UInt32) -> UInt32 {
      switch self {
      case .six: SmallDivisor.million.remainder(of: truncatedValue)
      case .seven: SmallDivisor.tenMillion.remainder(of: truncatedValue)
      case .eight: SmallDivisor.hundredMillion.remainder(of: truncatedValue)
      }
    }

    /// Writes a number of as many digits, leading zeros kept, into memory for as many bytes.
    ///
    /// Timing: as ``reduce(_:)``.
    func write(_ number: UInt32, to text: UnsafeMutableBufferPointer<UInt8>) {
      var rest = number
      for position in (0..<rawValue).reversed() {
        unsafe text[position] = 0x30 &+ UInt8(truncatingIfNeeded: SmallDivisor.ten.remainder(of: rest))
        rest = SmallDivisor.ten.quotient(of: rest)
      }
    }

    /// The numbers that end in as many zeros.
    var multiples: Multiples {
      switch self {
      case .six: .ofMillion
      case .seven: .ofTenMillion
      case .eight: .ofHundredMillion
      }
    }
  }
}
