public import OTP

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// The engine uses Unix times in whole seconds. A `Date` is rounded down to the second.

extension Date {
  /// The Unix time of the date, rounded down to the second.
  ///
  /// - Throws: `OTPError` with code `invalidTime` if the date is not finite or its seconds do not fit in 64 bits.
  package var unixTime: Int64 {
    get throws(OTPError) {
      guard let seconds = Int64(exactly: timeIntervalSince1970.rounded(.down)) else { throw OTPError(.invalidTime) }
      return seconds
    }
  }
}

extension TimeStep {
  /// The number of the step at a date.
  ///
  /// - Throws: `OTPError` with code `invalidTime` or `timeBeforeT0`.
  public func number(at date: Date) throws(OTPError) -> UInt64 { try number(at: date.unixTime) }

  /// The seconds, 1...period, that remain at a date until the next step.
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

  /// Verifies a submitted code at a date, as `verify(_:at:window:after:)` in `OTP` does at a Unix time, with the same
  /// parameters and timing.
  ///
  /// - Throws: `OTPError` with code `invalidTime`, `timeBeforeT0`, `mismatchedDigits` or `cryptographyFailed`.
  public func verify(
    _ code: SubmittedCode, at date: Date, window: VerificationWindow = .standard, after lastAcceptedStep: UInt64?
  ) throws(OTPError) -> Verification {
    try verify(code, at: date.unixTime, window: window, after: lastAcceptedStep)
  }

  /// Verifies a code given as text at a date, as `verify(_:at:window:after:)` in `OTP` does at a Unix time, with the
  /// same parameters and timing.
  ///
  /// - Throws: `OTPError` with code `invalidTime`, `timeBeforeT0` or `cryptographyFailed`.
  public func verify(
    _ code: some StringProtocol, at date: Date, window: VerificationWindow = .standard,
    after lastAcceptedStep: UInt64?
  ) throws(OTPError) -> Verification {
    try verify(code, at: date.unixTime, window: window, after: lastAcceptedStep)
  }
}

extension OTPAuthURI {
  /// Reads a key URI from a `URL`. See `init(_:options:)` in `OTP`.
  public init(_ url: URL, options: ParsingOptions = []) throws(OTPError) {
    try self.init(url.absoluteString, options: options)
  }

  /// The key URI as a `URL`, secret included.
  ///
  /// It is `nil` only if Foundation refuses the text, which it does not do for a URI that this type writes.
  public var url: URL? { URL(string: uriString()) }
}
