import Foundation

/// How many text messages are sent at most, and where to, against bills that are run up and numbers that are pestered.
///
/// Enrolments and sign-ins have budgets of their own. Anybody with an account can ask for the enrolment of any number,
/// and takes nothing of the sign-ins of those who have proved theirs by that.
public struct SendLimits: Sendable, Hashable {
  /// This many messages in this long a time.
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

    init(checked count: Int, every interval: TimeInterval) {
      self.count = count
      self.interval = interval
    }

    fileprivate static func hourly(_ count: Int) -> Limit { Limit(checked: count, every: 3600) }
  }

  /// For one user, enrolments and sign-ins.
  public let perUser: Limit
  /// To one enrolled number.
  public let signInsPerNumber: Limit
  /// To all enrolled numbers.
  public let signInsOverall: Limit
  /// To one number that is to be enrolled.
  public let enrollmentsPerNumber: Limit
  /// To all numbers to be enrolled that begin with the same five digits.
  public let enrollmentsPerPrefix: Limit
  /// To all numbers to be enrolled.
  public let enrollmentsOverall: Limit
  /// Which share of the enrolments of a prefix must be completed, 0...1. It is asked once 20 of the messages that count
  /// have expired.
  public let leastProvedShare: Double
  /// What the numbers begin with that messages are sent to, `+49` for one; `nil` for any.
  public let regions: Set<String>?
  /// The lowest score of an ``AppVerifier`` with which a message is sent.
  public let leastAppScore: Double

  /// How many expired messages of a prefix it takes to ask for the share of those that were proved.
  static let provedShareSample = 20

  /// Limits.
  ///
  /// - Parameters:
  ///   - perUser: For one user; 10 an hour unless said otherwise.
  ///   - signInsPerNumber: To one enrolled number; 5 an hour.
  ///   - signInsOverall: To all enrolled numbers; 1,000 an hour.
  ///   - enrollmentsPerNumber: To one number that is to be enrolled; 5 an hour.
  ///   - enrollmentsPerPrefix: To all numbers to be enrolled that begin with the same five digits; 100 an hour.
  ///   - enrollmentsOverall: To all numbers to be enrolled; 500 an hour.
  ///   - leastProvedShare: Which share of the enrolments of a prefix must be completed, 0...1; 0 for none.
  ///   - regions: What the numbers begin with that messages are sent to: `+` and a calling code, or more of a number;
  ///     `nil` for any.
  ///   - leastAppScore: The lowest score of an ``AppVerifier`` with which a message is sent, 0...1.
  /// - Throws: ``ConfigurationError`` with a share or score out of its range, or a region that no number begins with.
  public init(
    perUser: Limit = standard.perUser, signInsPerNumber: Limit = standard.signInsPerNumber,
    signInsOverall: Limit = standard.signInsOverall,
    enrollmentsPerNumber: Limit = standard.enrollmentsPerNumber,
    enrollmentsPerPrefix: Limit = standard.enrollmentsPerPrefix,
    enrollmentsOverall: Limit = standard.enrollmentsOverall, leastProvedShare: Double = standard.leastProvedShare,
    regions: Set<String>? = nil,
    leastAppScore: Double = standard.leastAppScore
  ) throws(ConfigurationError) {
    guard 0...1 ~= leastProvedShare else { throw .outOfRange("leastProvedShare") }
    guard 0...1 ~= leastAppScore else { throw .outOfRange("leastAppScore") }
    guard regions?.allSatisfy(PhoneNumber.isRegion) ?? true else { throw .outOfRange("regions") }
    self.perUser = perUser
    self.signInsPerNumber = signInsPerNumber
    self.signInsOverall = signInsOverall
    self.enrollmentsPerNumber = enrollmentsPerNumber
    self.enrollmentsPerPrefix = enrollmentsPerPrefix
    self.enrollmentsOverall = enrollmentsOverall
    self.leastProvedShare = leastProvedShare
    self.regions = regions
    self.leastAppScore = leastAppScore
  }

  /// What the initialiser has by default.
  public static let standard = SendLimits()

  /// Makes the standard limits. It cannot throw, for it takes nothing that could be out of its range.
  private init() {
    perUser = .hourly(10)
    signInsPerNumber = .hourly(5)
    signInsOverall = .hourly(1000)
    enrollmentsPerNumber = .hourly(5)
    enrollmentsPerPrefix = .hourly(100)
    enrollmentsOverall = .hourly(500)
    leastProvedShare = 0.1
    regions = nil
    leastAppScore = 0.5
  }
}
