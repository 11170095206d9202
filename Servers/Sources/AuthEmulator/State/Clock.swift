import Foundation
import Synchronization

/// The emulator's time: the machine's, or as set by a test.
final class Clock: Sendable {
  private enum Mode: Sendable {
    case running(offset: TimeInterval)
    case stopped(Date)
  }

  /// How many seconds the clock of second factors is ahead: 30 years, since they know times from 2000 to 2199, and
  /// clients' tests stop the clock at 0. Their step 0 begins then, so that codes are those of the emulator's time.
  static let lead: Int64 = 946_684_800
  /// Up to a year before the end, since a clock that is set goes on.
  private static let range = 0...(7_226_582_400 - TimeInterval(lead))

  private let mode = Mutex(Mode.running(offset: 0))

  var now: Date {
    switch mode.withLock({ $0 }) {
    case .running(let offset): Date(timeIntervalSinceNow: offset)
    case .stopped(let date): date
    }
  }

  /// Whether the time stands still.
  private var isStopped: Bool { if case .stopped = mode.withLock({ $0 }) { true } else { false } }

  /// Sets the time by a request to `POST …/clock`.
  ///
  /// - Parameter body: `now` (RFC 3339, or seconds since 1970) sets it, `advanceSeconds` moves it, `stopped` stops or
  ///   restarts it, and `reset` undoes all of that.
  func set(by body: JSON) throws(APIError) {
    if body["reset"]?.bool == true {
      mode.withLock { $0 = .running(offset: 0) }
      return
    }
    var date = now
    if let text = body["now"]?.string {
      if let set = Date(rfc3339: text) {
        date = set
      } else {
        guard let seconds = TimeInterval(text) else {
          throw .invalid("Invalid value at 'now' (RFC 3339, or seconds).")
        }
        date = try Date(seconds: seconds)
      }
    }
    if let seconds = body["advanceSeconds"]?.integer { date = date.addingTimeInterval(TimeInterval(seconds)) }
    guard Self.range ~= date.timeIntervalSince1970 else { throw .invalid("Invalid time (1970 to 2168).") }
    let isStopped = body["stopped"]?.bool ?? isStopped
    mode.withLock { [date] in $0 = isStopped ? .stopped(date) : .running(offset: date.timeIntervalSinceNow) }
  }

  /// The response of `GET …/clock`.
  var description: JSON { ["now": .string(now.rfc3339), "stopped": .bool(isStopped)] }
}

extension Date {
  /// A time from a request, in seconds since 1970.
  ///
  /// - Throws: ``APIError`` for one before 1970 or after 2999.
  init(seconds: TimeInterval) throws(APIError) {
    guard 0...32_503_680_000 ~= seconds else { throw .invalid("Invalid time (1970 to 2999).") }
    self.init(timeIntervalSince1970: seconds)
  }

  /// This time of the emulator, by second factors' clock.
  var forSecondFactors: Date { addingTimeInterval(TimeInterval(Clock.lead)) }
  /// This time by second factors' clock, by the emulator's.
  var fromSecondFactors: Date { addingTimeInterval(TimeInterval(-Clock.lead)) }

  /// Whole seconds since 1970.
  var seconds: Int64 { Int64(timeIntervalSince1970.rounded(.down)) }
  /// The nearest whole millisecond since 1970: a parsed `.990` is not exactly that.
  var milliseconds: Int64 { Int64((timeIntervalSince1970 * 1000).rounded()) }

  private static let style = ISO8601FormatStyle(includingFractionalSeconds: true)

  /// RFC 3339 with three decimals and `Z`, as iOS requires.
  var rfc3339: String {
    // The style cuts off what is less than a millisecond, which few numbers of milliseconds are exactly.
    Date(timeIntervalSince1970: (TimeInterval(milliseconds) + 0.5) / 1000).formatted(Self.style)
  }

  /// Parses RFC 3339 in UTC, with or without decimals.
  init?(rfc3339 text: String) {
    guard let date = (try? Self.style.parse(text)) ?? (try? ISO8601FormatStyle().parse(text)) else { return nil }
    self = date
  }
}

extension JSON {
  /// A member that is a time in milliseconds since 1970.
  func date(_ name: String) throws(APIError) -> Date? {
    guard let number = self[name]?.integer else { return nil }
    return try Date(seconds: TimeInterval(number) / 1000)
  }
}

/// Names that cannot be guessed.
enum Random {
  private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")

  static func name(_ count: Int) -> String {
    String((0..<count).map { _ in letters[Int.random(in: letters.indices)] })
  }

  /// A code of six digits.
  static func code() -> String {
    let number = Int.random(in: 0..<1_000_000)
    return String(repeating: "0", count: 6 - String(number).count) + String(number)
  }
}
