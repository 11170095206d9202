import Foundation

/// Times as stores keep them: whole milliseconds since 1970, so that every store compares the same numbers.
package enum StoreTime {
  /// A time that is no number, or further from 1970 than 285,000 years.
  package struct UnusableTime: Error {}

  /// Milliseconds that a `Double` holds exactly; sums of two of them are far from the end of `Int64`.
  private static let largest = 0x1p53

  /// The nearest whole millisecond.
  ///
  /// - Throws: ``UnusableTime``.
  package static func milliseconds(of date: Date) throws(UnusableTime) -> Int64 {
    let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
    guard abs(milliseconds) <= largest else { throw UnusableTime() }
    return Int64(milliseconds)
  }

  /// An interval of more than 0 seconds, rounded up; a longer one than can be counted is the longest that can.
  package static func milliseconds(of interval: TimeInterval) -> Int64 {
    Int64(min((interval * 1000).rounded(.up), largest))
  }

  /// The time so many milliseconds after 1970.
  package static func date(_ milliseconds: Int64) -> Date {
    Date(timeIntervalSince1970: Double(milliseconds) / 1000)
  }
}
