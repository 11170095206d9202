/// The outcome of verifying a submitted code.
///
/// Before you act on an acceptance, store its moving factor and pass it as `after` the next time (TOTP), or store
/// ``nextCounter`` (HOTP). Otherwise a code can be used more than once.
@frozen public enum Verification: Sendable, Hashable {
  /// The code is right.
  ///
  /// - Parameters:
  ///   - movingFactor: The time step (TOTP) or counter (HOTP) whose code it is.
  ///   - offset: How far that is from the current step (TOTP, -10...10) or the expected counter (HOTP, 0...1002).
  case accepted(movingFactor: UInt64, offset: Int)
  /// The code belongs to a step at or before the last accepted one, and to no later step of the window.
  case replayed
  /// The code is wrong or malformed.
  case rejected

  /// Whether the code was accepted.
  public var isAccepted: Bool {
    if case .accepted = self { true } else { false }
  }

  /// The HOTP counter to store and expect next: one past the accepted one.
  ///
  /// `nil` if nothing was accepted, or if counter 2^64-1 was: the secret then has no codes left. Store that too, or the
  /// last code would be accepted again.
  public var nextCounter: UInt64? {
    guard case .accepted(let counter, _) = self, counter < .max else { return nil }
    return counter + 1
  }
}
