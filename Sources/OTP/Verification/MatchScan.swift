/// Looks for a submitted code among the values of consecutive counters, and remembers one that matches: the earliest or
/// the latest.
///
/// Timing: a fixed sequence of arithmetic for each value, whether or not it matches. Nothing leaves but by ``outcome``.
struct MatchScan {
  /// What a whole scan found.
  enum Outcome {
    /// A live match, as its place in the scan: of several the earliest or the latest, as the scan was asked.
    case live(index: Int)
    /// A match, but at no live counter.
    case spent
    case none
  }

  private let multiples: Multiples
  /// What makes a multiple of 10^digits of a value whose code is the submitted one: 10^digits less the code.
  private let complement: UInt32
  private let takesLatest: Bool
  private var hasLive = Mask.never
  private var hasSpent = Mask.never
  private var liveIndex: UInt64 = 0

  /// - Parameter takesLatest: Which of several live matches is taken: the latest, or else the earliest. Public.
  init(for code: SubmittedCode, takesLatest: Bool = false) {
    self.takesLatest = takesLatest
    multiples = code.digits.multiples
    complement = multiples.number &- code.number
  }

  /// Whether a truncated value's code is the submitted one: whether the value less the code is a multiple of 10^digits.
  func matches(_ truncatedValue: UInt32) -> Mask { multiples.contain(truncatedValue &+ complement) }

  /// Takes the next value.
  ///
  /// - Parameter isLive: Whether a match here may be accepted. Public: it follows from the counter alone.
  mutating func take(_ match: Mask, at index: Int, isLive: Bool) {
    let live = match & Mask(isLive)
    liveIndex = (takesLatest ? live : live & !hasLive).select(UInt64(index), else: liveIndex)
    hasLive = hasLive | live
    hasSpent = hasSpent | (match & Mask(!isLive))
  }

  /// What the scan found. The one exit from constant time.
  var outcome: Outcome {
    let packed = hasLive.select(liveIndex &+ 2, else: hasSpent.keep(1))
    // Public: the verifier's answer, which its caller acts on.
    switch declassify(packed) {
    case 0: return .none
    case 1: return .spent
    case let packed: return .live(index: Int(packed - 2))
    }
  }
}
