import Foundation

/// How many text messages are sent at most, against bills that are run up and numbers that are pestered.
public struct SendLimits: Sendable, Hashable {
  /// So many messages in so long a time.
  public struct Limit: Sendable, Hashable {
    /// The largest number of messages, 1 or more.
    public let count: Int
    /// The length of the sliding interval that they are counted in, in seconds, more than 0.
    public let interval: TimeInterval

    /// A limit.
    ///
    /// - Throws: ``ConfigurationError`` with a count under 1 or an interval that is not more than 0.
    public init(_ count: Int, every interval: TimeInterval) throws(ConfigurationError) {
      guard count >= 1 else { throw .outOfRange("count") }
      guard interval > 0, interval.isFinite else { throw .outOfRange("interval") }
      self.init(checked: count, every: interval)
    }

    fileprivate init(checked count: Int, every interval: TimeInterval) {
      self.count = count
      self.interval = interval
    }
  }

  /// To one number.
  public let perNumber: Limit
  /// For one user.
  public let perUser: Limit
  /// In all.
  public let overall: Limit

  /// Limits.
  public init(perNumber: Limit, perUser: Limit, overall: Limit) {
    self.perNumber = perNumber
    self.perUser = perUser
    self.overall = overall
  }

  /// 5 an hour to a number, 10 an hour for a user, 1,000 an hour in all.
  public static let standard = SendLimits(
    perNumber: Limit(checked: 5, every: 3600), perUser: Limit(checked: 10, every: 3600),
    overall: Limit(checked: 1000, every: 3600))
}
