import Foundation
import Keyring

/// Dates as the integers that documents, tokens and the engine hold.
///
/// A date comes from a clock or from a client's JSON, and may be beyond any integer, where `Int64(_:)` would trap: such
/// a date becomes the nearest integer, and NaN the least.
extension Date {
  /// Whole milliseconds since 1970, rounded to the nearest.
  package var unixMilliseconds: Int64 { Self.clamped((timeIntervalSince1970 * 1000).rounded()) }

  /// Whole seconds since 1970, rounded down.
  package var unixSeconds: Int64 { Self.clamped(timeIntervalSince1970.rounded(.down)) }

  package init(unixMilliseconds: Int64) { self.init(timeIntervalSince1970: TimeInterval(unixMilliseconds) / 1000) }

  private static func clamped(_ number: Double) -> Int64 {
    // 2^63, exactly.
    let limit = 0x1p63
    if number >= limit { return .max }
    return number >= -limit ? Int64(number) : .min
  }
}

extension Duration {
  /// In seconds.
  package var timeInterval: TimeInterval { self / .seconds(1) }
}

extension Date {
  /// The date a duration later.
  package static func + (date: Date, duration: Duration) -> Date { date + duration.timeInterval }
}

extension ByteWriter {
  /// Writes a time as whole milliseconds since 1970, rounded and clamped to `Int64`. NaN becomes the earliest time.
  package mutating func append(_ value: Date) { append(value.unixMilliseconds) }
}

extension ByteReader {
  /// Reads a time.
  package mutating func readDate() throws(KeyringError) -> Date { Date(unixMilliseconds: try readInt64()) }
}
