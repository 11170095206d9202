/// Searches the values of consecutive counters for two or three consecutive codes, and keeps the earliest match.
///
/// Timing: a fixed sequence of arithmetic for each value and number of codes, whether or not any matches. Only
/// ``outcome`` reveals anything.
struct RunScan {
  /// How many codes follow the first: 1 or 2.
  let followers: Int
  private let second: MatchScan
  private let third: MatchScan?
  private var scan: MatchScan
  // Whether the first code, or the first two, matched at the counters just before this one.
  private var firstMatched = Mask.never
  private var secondMatched = Mask.never

  /// - Throws: `OTPError` with code `mismatchedDigits`.
  init(
    _ first: SubmittedCode, _ second: SubmittedCode, _ third: SubmittedCode?, digits: OTPCode.Digits
  ) throws(OTPError) {
    guard first.digits == digits, second.digits == digits, (third ?? first).digits == digits else {
      throw OTPError(.mismatchedDigits)
    }
    followers = third == nil ? 1 : 2
    scan = MatchScan(for: first)
    self.second = MatchScan(for: second)
    self.third = third.map { MatchScan(for: $0) }
  }

  /// Takes the next value.
  ///
  /// - Parameter isLive: Whether a run that ends here may be accepted. Public: it depends only on the counter.
  mutating func record(_ value: UInt32, at index: Int, isLive: Bool) {
    let pair = firstMatched & second.matches(value)
    let run = if let third { secondMatched & third.matches(value) } else { pair }
    scan.record(run, at: index, isLive: isLive)
    secondMatched = pair
    firstMatched = scan.matches(value)
  }

  /// The outcome of the scan: the index of the last code of a run. The only exit from constant time.
  var outcome: MatchScan.Outcome { scan.outcome }
}
