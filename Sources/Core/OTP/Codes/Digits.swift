extension OTPCode {
  /// How many decimal digits a code has (RFC 4226, section 5.3, which requires at least 6).
  @frozen public enum Digits: Int, Sendable, Hashable, CaseIterable {
    /// Six digits: what nearly every authenticator app shows.
    case six = 6
    /// Seven digits.
    case seven = 7
    /// Eight digits.
    case eight = 8

    /// A number of digits, 6...8.
    ///
    /// - Throws: `OTPError` with code `invalidDigits` outside 6...8.
    public init(count: Int) throws(OTPError) {
      guard let digits = Digits(rawValue: count) else { throw OTPError(.invalidDigits) }
      self = digits
    }

    /// The last digits of a truncated value, as a number.
    ///
    /// Timing: constant for a given number of digits. The time of a division would depend on the value, and whether `%`
    /// becomes one depends on the compiler's options; this uses multiplications in every build.
    func reduce(_ truncatedValue: UInt32) -> UInt32 {
      switch self {
      case .six: SmallDivisor.million.remainder(of: truncatedValue)
      case .seven: SmallDivisor.tenMillion.remainder(of: truncatedValue)
      case .eight: SmallDivisor.hundredMillion.remainder(of: truncatedValue)
      }
    }

    /// Writes a number with this many digits, leading zeros included, into memory for as many bytes.
    ///
    /// Timing: as ``reduce(_:)``.
    func write(_ number: UInt32, to text: UnsafeMutableBufferPointer<UInt8>) {
      var rest = number
      for position in (0..<rawValue).reversed() {
        unsafe text[position] = 0x30 &+ UInt8(truncatingIfNeeded: SmallDivisor.ten.remainder(of: rest))
        rest = SmallDivisor.ten.quotient(of: rest)
      }
    }

    /// The numbers that end in this many zeros.
    var multiples: Multiples {
      switch self {
      case .six: .ofMillion
      case .seven: .ofTenMillion
      case .eight: .ofHundredMillion
      }
    }
  }
}
