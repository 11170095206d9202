public import OTP

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// The engine's times are Unix times in whole seconds. A `Date` is rounded down to one.

extension Date {
  /// The Unix time of the second that the date lies in.
  ///
  /// - Throws: `OTPError` with code `invalidTime` where the date is not finite or its seconds do not fit 64 bits.
  package var unixTime: Int64 {
    get throws(OTPError) {
      guard let seconds = Int64(exactly: timeIntervalSince1970.rounded(.down)) else { throw OTPError(.invalidTime) }
      return seconds
    }
  }
}

extension TimeStep {
  /// The number of the step that a date lies in.
  ///
  /// - Throws: `OTPError` with code `invalidTime` or `timeBeforeT0`.
  public func number(at date: Date) throws(OTPError) -> UInt64 { try number(at: date.unixTime) }

  /// The seconds, 1...period, that are left of the step that a date lies in.
  ///
  /// - Throws: `OTPError` with code `invalidTime` or `timeBeforeT0`.
  public func secondsRemaining(at date: Date) throws(OTPError) -> Int64 { try secondsRemaining(at: date.unixTime) }
}

extension TOTP {
  /// The code at a date.
  ///
  /// - Throws: `OTPError` with code `invalidTime`, `timeBeforeT0` or `cryptographyFailed`.
  ///
  /// Timing: does not depend on the secret or the code.
  public func code(at date: Date) throws(OTPError) -> OTPCode { try code(at: date.unixTime) }

  /// Verifies a submitted code at a date, as `verify(_:at:window:after:)` of `OTP` does at a Unix time, with its
  /// parameters and timing.
  ///
  /// - Throws: `OTPError` with code `invalidTime`, `timeBeforeT0`, `mismatchedDigits` or `cryptographyFailed`.
  public func verify(
    _ code: SubmittedCode, at date: Date, window: VerificationWindow = .standard, after lastAcceptedStep: UInt64?
  ) throws(OTPError) -> Verification {
    try verify(code, at: date.unixTime, window: window, after: lastAcceptedStep)
  }

  /// Verifies what a person typed at a date, as `verify(_:at:window:after:)` of `OTP` does at a Unix time, with its
  /// parameters and timing.
  ///
  /// - Throws: `OTPError` with code `invalidTime`, `timeBeforeT0` or `cryptographyFailed`.
  public func verify(
    _ code: some StringProtocol, at date: Date, window: VerificationWindow = .standard,
    after lastAcceptedStep: UInt64?
  ) throws(OTPError) -> Verification {
    try verify(code, at: date.unixTime, window: window, after: lastAcceptedStep)
  }
}
