/// The time steps of RFC 6238, section 4.2: T = floor((time - T0) / X).
///
/// All times are Unix times in seconds. Nothing here reads a clock.
public struct TimeStep: Sendable, Hashable {
  /// The length X of a step in seconds, 1 or more.
  public let period: Int64
  /// The Unix time T0 at which step 0 begins.
  public let t0: Int64

  /// Steps of a given length, counted from a given time.
  ///
  /// - Parameters:
  ///   - period: The length of a step in seconds, 1 or more. RFC 6238 recommends 30.
  ///   - t0: The Unix time at which step 0 begins.
  /// - Throws: `OTPError` with code `invalidPeriod`.
  public init(period: Int64 = 30, t0: Int64 = 0) throws(OTPError) {
    guard period >= 1 else { throw OTPError(.invalidPeriod) }
    self.period = period
    self.t0 = t0
  }

  /// Steps of 30 seconds from 1970 on, as in every authenticator app.
  package static let standard = TimeStep()

  private init() {
    period = 30
    t0 = 0
  }

  /// Whether a step takes more than the 120 seconds that NIST SP 800-63B-4, section 3.1.4.1, allows; compare
  /// ``OTPSecret/isWeak``.
  public var isLong: Bool { period > 120 }

  /// The number T of the step at a time.
  ///
  /// - Throws: `OTPError` with code `timeBeforeT0`.
  public func number(at unixTime: Int64) throws(OTPError) -> UInt64 {
    guard unixTime >= t0 else { throw OTPError(.timeBeforeT0) }
    return divide(elapsed: unixTime).quotient
  }

  /// The seconds, 1...period, that remain at a time until the next step.
  ///
  /// - Throws: `OTPError` with code `timeBeforeT0`.
  public func secondsRemaining(at unixTime: Int64) throws(OTPError) -> Int64 {
    guard unixTime >= t0 else { throw OTPError(.timeBeforeT0) }
    return period - Int64(divide(elapsed: unixTime).remainder)
  }

  private func divide(elapsed unixTime: Int64) -> (quotient: UInt64, remainder: UInt64) {
    // The difference of two `Int64`s fits in `UInt64` if it is not negative.
    UInt64(bitPattern: unixTime &- t0).quotientAndRemainder(dividingBy: UInt64(period))
  }
}
