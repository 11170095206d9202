import Foundation
import MultiFactor

/// How many text messages are sent at most, and where to, to limit costs and the harassment of phone owners.
///
/// Enrollments and sign-ins have separate budgets. Any user can request the enrollment of any number; that does not use
/// up the budget for sign-ins with numbers that have been verified.
public struct SendLimits: Sendable, Hashable {
  /// A number of messages within an interval.
  public struct Limit: Sendable, Hashable {
    /// The maximum number of messages, 1 or more.
    public let count: Int
    /// The length of the sliding interval in which they are counted, more than 0.
    public let interval: Duration

    /// A limit on messages in any interval of this length.
    ///
    /// - Throws: `ConfigurationError` if the count is under 1, or the interval not more than 0.
    public init(_ count: Int, every interval: Duration) throws(ConfigurationError) {
      guard count >= 1 else { throw .outOfRange("count") }
      guard interval > .zero else { throw .outOfRange("interval") }
      self.init(checked: count, every: interval)
    }

    init(checked count: Int, every interval: Duration) {
      self.count = count
      self.interval = interval
    }

    fileprivate static func hourly(_ count: Int) -> Limit { Limit(checked: count, every: .seconds(3600)) }
  }

  /// For one user, for enrollments and sign-ins together.
  public let perUser: Limit
  /// To one enrolled number.
  public let signInsPerNumber: Limit
  /// To all enrolled numbers.
  public let signInsOverall: Limit
  /// To one number being enrolled.
  public let enrollmentsPerNumber: Limit
  /// To all numbers being enrolled that begin with the same five digits.
  public let enrollmentsPerPrefix: Limit
  /// To all numbers being enrolled.
  public let enrollmentsOverall: Limit
  /// The share of a prefix's enrollments that must be completed, 0...1. It is checked once 20 of the messages counted
  /// have expired.
  public let minimumAnsweredShare: Double
  /// The prefixes of the numbers that messages are sent to, such as `+49`; `nil` for any number.
  public let regions: Set<String>?
  /// The lowest score of an ``AppVerifier`` with which a message is still sent.
  public let minimumAppScore: Double

  /// How many messages to a prefix must have expired before the verified share is checked.
  static let answeredShareSample = 20

  /// Limits, each of which is that of ``standard`` by default.
  ///
  /// - Parameters:
  ///   - perUser: For one user; 10 an hour by default.
  ///   - signInsPerNumber: To one enrolled number; 5 an hour.
  ///   - signInsOverall: To all enrolled numbers; 1,000 an hour.
  ///   - enrollmentsPerNumber: To one number being enrolled; 5 an hour.
  ///   - enrollmentsPerPrefix: To all numbers being enrolled that begin with the same five digits; 100 an hour.
  ///   - enrollmentsOverall: To all numbers being enrolled; 500 an hour.
  ///   - minimumAnsweredShare: The share of a prefix's enrollments that must be completed, 0...1; 0 for no requirement.
  ///   - regions: The prefixes of the numbers that messages are sent to: `+` and a calling code, or more of a number;
  ///     `nil` for any number.
  ///   - minimumAppScore: The lowest score of an ``AppVerifier`` with which a message is still sent, 0...1.
  /// - Throws: `ConfigurationError` if a share or score is out of range, or no number can begin with a region.
  public init(
    perUser: Limit = standard.perUser, signInsPerNumber: Limit = standard.signInsPerNumber,
    signInsOverall: Limit = standard.signInsOverall,
    enrollmentsPerNumber: Limit = standard.enrollmentsPerNumber,
    enrollmentsPerPrefix: Limit = standard.enrollmentsPerPrefix,
    enrollmentsOverall: Limit = standard.enrollmentsOverall,
    minimumAnsweredShare: Double = standard.minimumAnsweredShare,
    regions: Set<String>? = nil,
    minimumAppScore: Double = standard.minimumAppScore
  ) throws(ConfigurationError) {
    guard 0...1 ~= minimumAnsweredShare else { throw .outOfRange("minimumAnsweredShare") }
    guard 0...1 ~= minimumAppScore else { throw .outOfRange("minimumAppScore") }
    guard regions?.allSatisfy(PhoneNumber.isRegion) ?? true else { throw .outOfRange("regions") }
    self.perUser = perUser
    self.signInsPerNumber = signInsPerNumber
    self.signInsOverall = signInsOverall
    self.enrollmentsPerNumber = enrollmentsPerNumber
    self.enrollmentsPerPrefix = enrollmentsPerPrefix
    self.enrollmentsOverall = enrollmentsOverall
    self.minimumAnsweredShare = minimumAnsweredShare
    self.regions = regions
    self.minimumAppScore = minimumAppScore
  }

  /// The limits that apply by default.
  public static let standard = SendLimits()

  /// Makes the standard limits. It cannot throw, because no value can be out of range.
  private init() {
    perUser = .hourly(10)
    signInsPerNumber = .hourly(5)
    signInsOverall = .hourly(1000)
    enrollmentsPerNumber = .hourly(5)
    enrollmentsPerPrefix = .hourly(100)
    enrollmentsOverall = .hourly(500)
    minimumAnsweredShare = 0.1
    regions = nil
    minimumAppScore = 0.5
  }
}
