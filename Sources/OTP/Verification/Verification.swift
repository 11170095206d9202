/// What a verifier says of a submitted code.
///
/// Store the step of an acceptance before you act on it, and pass it as `after` (TOTP) or go on from
/// ``nextCounter`` (HOTP): that is what makes a code good for one use.
@frozen public enum Verification: Sendable, Hashable {
  /// The code is right.
  ///
  /// - Parameters:
  ///   - step: The time step (TOTP) or counter (HOTP) whose code it is.
  ///   - offset: How far that is from the current step (TOTP, -10...10) or the expected counter (HOTP, 0...1002).
  case accepted(step: UInt64, offset: Int)
  /// The code is that of a step at or before the last accepted one, and of no later step of the window.
  case replayed
  /// The code is wrong, or not a code.
  case rejected

  /// Whether the code was accepted.
  public var isAccepted: Bool {
    if case .accepted = self { true } else { false }
  }

  /// The HOTP counter to store and expect next: one past the accepted one.
  ///
  /// `nil` where nothing was accepted, or where counter 2^64-1 was: the secret then has no codes left, and the caller
  /// stores just that, for the last code would otherwise be accepted again.
  public var nextCounter: UInt64? {
    guard case .accepted(let counter, _) = self, counter < .max else { return nil }
    return counter + 1
  }
}
