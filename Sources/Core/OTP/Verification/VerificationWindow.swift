/// How many steps besides the current one a verifier accepts, for clocks that differ and people who type slowly (RFC
/// 6238, sections 5.2 and 6).
///
/// Each additional step is one more code that a guess can hit; SECURITY.md has the odds.
public struct VerificationWindow: Sendable, Hashable {
  /// Steps before the current one, 0...10.
  public let behind: Int
  /// Steps after the current one, 0...10.
  public let ahead: Int

  /// A window whose two sides are given separately.
  ///
  /// - Throws: `OTPError` with code `invalidWindow` if a side is outside 0...10.
  public init(behind: Int, ahead: Int) throws(OTPError) {
    let sides = 0...10
    guard sides.contains(behind), sides.contains(ahead) else { throw OTPError(.invalidWindow) }
    self.init(uncheckedBehind: behind, ahead: ahead)
  }

  private init(uncheckedBehind behind: Int, ahead: Int) {
    self.behind = behind
    self.ahead = ahead
  }

  /// A window with the same number of steps before and after the current one.
  ///
  /// - Throws: `OTPError` with code `invalidWindow` outside 0...10.
  public static func adjacent(_ steps: Int) throws(OTPError) -> VerificationWindow {
    try VerificationWindow(behind: steps, ahead: steps)
  }

  /// One step on each side: the engine's default.
  public static var standard: VerificationWindow { VerificationWindow(uncheckedBehind: 1, ahead: 1) }

  /// The window's steps around a current one. Steps that do not exist, below 0 or above 2^64-1, are left out.
  func steps(around current: UInt64) -> ClosedRange<UInt64> {
    let lower = current - min(current, UInt64(behind))
    let upper = current + min(.max - current, UInt64(ahead))
    return lower...upper
  }
}
