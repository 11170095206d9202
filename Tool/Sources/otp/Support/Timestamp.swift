import Foundation

/// Times in printed form: `2026-11-21T08:00:00Z`.
enum Timestamp {
  /// The second in UTC in which something happened.
  static func past(_ date: Date) -> String { text(date.timeIntervalSince1970.rounded(.down)) }

  /// The first full second in UTC that is not before a time: waiting until then is long enough.
  static func future(_ date: Date) -> String { text(date.timeIntervalSince1970.rounded(.up)) }

  private static func text(_ seconds: TimeInterval) -> String { Date(timeIntervalSince1970: seconds).ISO8601Format() }
}
