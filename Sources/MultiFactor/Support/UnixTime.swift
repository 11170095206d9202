import Foundation

extension Date {
  /// Whole seconds since 1970, rounded down: the nearest that `Int64` has, and the earliest for what is no number.
  ///
  /// `Int64(_:)` would trap on a time that a stranger wrote into JSON.
  var unixSeconds: Int64 {
    let seconds = timeIntervalSince1970.rounded(.down)
    // 2^63, exactly.
    let limit = 0x1p63
    if seconds >= limit { return .max }
    return seconds >= -limit ? Int64(seconds) : .min
  }
}
