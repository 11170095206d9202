import Foundation
import Keyring
import MultiFactor

/// The text messages that still count toward a limit: for one user, to one number, to a prefix, or overall.
///
/// As with an account, its time never runs backward.
struct MessageLog: Sendable, Equatable {
  /// Messages that stop counting at the same moment.
  struct Entry: Sendable, Equatable {
    /// When the latest of them was sent.
    var time: Date
    var count: UInt32
  }

  /// The latest time that it has seen.
  var latestTime = Date.distantPast
  /// In order of time.
  var entries: [Entry] = []

  /// How many entries are kept. Under a limit of more messages, those within a 250th of its interval share one entry,
  /// so that a message may count for that much longer.
  static let maximumEntryCount = 250

  /// Counts a message, unless the limit is reached. It counts at least until the limit's interval has passed.
  ///
  /// - Throws: ``Refusal`` with the time from which the limit is no longer reached.
  mutating func count(under limit: SendLimits.Limit, at time: Date) throws(Refusal) {
    let now = max(latestTime, time)
    let start = now.addingTimeInterval(-limit.interval.timeInterval)
    entries.removeAll { $0.time <= start }
    var left = limit.count
    for entry in entries.reversed() {
      left -= Int(clamping: entry.count)
      guard left > 0 else {
        let end = entry.time + limit.interval
        throw Refusal(.quotaExceeded, .messageRefused, .quota, nil, .phone, retryAfter: end)
      }
    }
    latestTime = now
    entries.append(Entry(time: now, count: 1))
    if entries.count > Self.maximumEntryCount {
      join(within: limit.interval.timeInterval / TimeInterval(Self.maximumEntryCount))
    }
  }

  /// Takes back the latest message, if another limit has refused it or its challenge was not stored.
  mutating func withdraw() {
    guard let last = entries.popLast(), last.count > 1 else { return }
    entries.append(Entry(time: last.time, count: last.count - 1))
  }

  /// Checks that a sufficient share of the messages was answered, once enough of them have expired.
  ///
  /// - Parameters:
  ///   - answered: The messages that were answered.
  ///   - lifetime: How long a message can be answered, in seconds.
  /// - Throws: ``Refusal`` with the time from which fewer of them count.
  func checkShare(
    of answered: MessageLog, under limits: SendLimits, lifetime: TimeInterval, at time: Date
  ) throws(Refusal) {
    let now = max(latestTime, time)
    let interval = limits.enrollmentsPerPrefix.interval.timeInterval
    let start = now.addingTimeInterval(-interval)
    let end = now.addingTimeInterval(-lifetime)
    func count(_ entries: some Sequence<Entry>) -> Int { entries.reduce(0) { $0 + Int($1.count) } }
    let expired = entries.filter { start < $0.time && $0.time <= end }
    let share = Double(count(answered.entries.filter { start < $0.time })) / Double(count(expired))
    guard let first = expired.first, count(expired) >= SendLimits.answeredShareSample,
      share < limits.minimumAnsweredShare
    else { return }
    throw Refusal(
      .quotaExceeded, .messageRefused, .unanswered, nil, .phone, retryAfter: first.time.addingTimeInterval(interval))
  }

  /// Merges entries that start within the same interval or, if there are still too many, the two oldest. A merged entry
  /// has the time of its latest message.
  private mutating func join(within interval: TimeInterval) {
    var joined: [Entry] = []
    var begin = Date.distantPast
    for entry in entries {
      if let last = joined.last, entry.time.timeIntervalSince(begin) < interval, last.count < .max - entry.count {
        joined[joined.count - 1] = Entry(time: entry.time, count: last.count + entry.count)
      } else {
        joined.append(entry)
        begin = entry.time
      }
    }
    if joined.count > Self.maximumEntryCount {
      joined[1].count = UInt32(clamping: UInt64(joined[0].count) + UInt64(joined[1].count))
      joined.removeFirst()
    }
    entries = joined
  }
}

// Counted messages: the latest time, and a list of a time and a count (8 bytes).
extension MessageLog: Document {
  static var empty: MessageLog { MessageLog() }

  func encode(to writer: inout ByteWriter) {
    writer.append(latestTime)
    writer.append(list: entries) { writer, entry in
      writer.append(entry.time)
      writer.append(UInt64(entry.count))
    }
  }

  init(from reader: inout ByteReader) throws(KeyringError) {
    latestTime = try reader.readDate()
    entries = try reader.readList { (reader) throws(KeyringError) in
      Entry(time: try reader.readDate(), count: UInt32(clamping: try reader.readUInt64()))
    }
  }
}
