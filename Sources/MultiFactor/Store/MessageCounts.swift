import Foundation

/// The text messages of the in-memory store that a limit may still look at, in the order of their times.
struct MessageCounts {
  private struct Message {
    var time: Int64
    let user: ByteKey
    let numberKey: [UInt8]
  }

  private var messages: [Message] = []

  /// Counts a message, unless a limit is reached.
  ///
  /// - Returns: `nil` if it is counted; else from when on no limit is reached, in milliseconds.
  mutating func count(
    of user: ByteKey, numberKey: [UInt8], under limits: SendLimits, at now: Int64
  ) -> Int64? {
    // After the clock was set back: a message from the future would hold for longer than its interval.
    var index = messages.endIndex
    while index > 0, messages[index - 1].time > now {
      index -= 1
      messages[index].time = now
    }
    let longest = [limits.perNumber, limits.perUser, limits.overall].map { StoreTime.milliseconds(of: $0.interval) }
      .max()
    if let longest, let first = messages.first, first.time <= now - longest {
      messages.removeFirst(messages.firstIndex { $0.time > now - longest } ?? messages.count)
    }

    let waits = [
      wait(for: limits.perNumber, at: now) { $0.numberKey == numberKey },
      wait(for: limits.perUser, at: now) { $0.user == user },
      wait(for: limits.overall, at: now) { _ in true },
    ]
    if let wait = waits.compactMap({ $0 }).max() { return wait }
    messages.append(Message(time: now, user: user, numberKey: numberKey))
    return nil
  }

  /// When the limit ends: where the latest messages up to its count have the oldest one leave the interval.
  private func wait(for limit: SendLimits.Limit, at now: Int64, counting isCounted: (Message) -> Bool) -> Int64? {
    let interval = StoreTime.milliseconds(of: limit.interval)
    var left = limit.count
    for message in messages.reversed() {
      if message.time <= now - interval { return nil }
      guard isCounted(message) else { continue }
      left -= 1
      if left == 0 { return message.time + interval }
    }
    return nil
  }
}
