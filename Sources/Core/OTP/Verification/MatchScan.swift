/// Searches the values of consecutive counters for a submitted code, and keeps the earliest or the latest match.
///
/// Timing: a fixed sequence of arithmetic for each value, whether or not it matches. Only ``outcome`` reveals anything.
struct MatchScan {
  /// The outcome of a complete scan.
  enum Outcome {
    /// The index of the earliest or the latest live match.
    case live(index: Int)
    /// A match, but at no live counter.
    case spent
    case none
  }

  private let multiples: Multiples
  /// 10^digits minus the code: added to a value with this code, it makes a multiple of 10^digits.
  private let complement: UInt32
  private let takesLatest: Bool
  private var hasLive = Mask.never
  private var hasSpent = Mask.never
  private var liveIndex: UInt64 = 0

  /// - Parameter takesLatest: Whether to keep the latest of several live matches instead of the earliest. Public.
  init(for code: SubmittedCode, takesLatest: Bool = false) {
    self.takesLatest = takesLatest
    multiples = code.digits.multiples
    complement = multiples.number &- code.number
  }

  /// Whether a truncated value has the submitted code: whether the value minus the code is a multiple of 10^digits.
  func matches(_ truncatedValue: UInt32) -> Mask { multiples.contains(truncatedValue &+ complement) }

  /// Takes the next value.
  ///
  /// - Parameter isLive: Whether a match here may be accepted. Public: it depends only on the counter.
  mutating func record(_ match: Mask, at index: Int, isLive: Bool) {
    let live = match & Mask(isLive)
    liveIndex = (takesLatest ? live : live & !hasLive).select(UInt64(index), else: liveIndex)
    hasLive = hasLive | live
    hasSpent = hasSpent | (match & Mask(!isLive))
  }

  /// The outcome of the scan, and the only exit from constant time.
  var outcome: Outcome {
    let packed = hasLive.select(liveIndex &+ 2, else: hasSpent.keep(1))
    // Public: the outcome that the caller asked for.
    switch declassify(packed) {
    case 0: return .none
    case 1: return .spent
    case let packed: return .live(index: Int(packed - 2))
    }
  }
}
