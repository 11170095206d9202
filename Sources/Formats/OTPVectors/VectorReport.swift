/// The results of running a file of test vectors.
public struct VectorReport: Sendable {
  /// How many tests passed and failed on one execution target.
  public struct Tally: Sendable, Hashable {
    /// What the tests ran on, such as `evp`; `nil` for tests that do not use an HMAC backend.
    public let target: String?
    /// The number of tests that passed.
    public fileprivate(set) var passedCount = 0
    /// The number of tests that failed.
    public fileprivate(set) var failedCount = 0
  }

  /// The counts for each target that ran a test, in the order in which the targets were first used.
  public private(set) var tallies: [Tally] = []
  /// Every test that failed, in the order of the file.
  public private(set) var failures: [VectorFailure] = []

  /// The number of tests that passed. A test that ran on two targets counts twice.
  public var passedCount: Int { tallies.reduce(0) { $0 + $1.passedCount } }
  /// The number of tests that failed, counted in the same way.
  public var failedCount: Int { failures.count }

  init() {}

  mutating func recordPass(on target: String?) { tallies[index(of: target)].passedCount += 1 }

  mutating func record(_ failure: VectorFailure) {
    tallies[index(of: failure.target)].failedCount += 1
    failures.append(failure)
  }

  private mutating func index(of target: String?) -> Int {
    if let index = tallies.firstIndex(where: { $0.target == target }) { return index }
    tallies.append(Tally(target: target))
    return tallies.count - 1
  }
}

extension VectorReport: CustomStringConvertible {
  /// One line, such as `10 passed (evp), 9 passed, 1 failed (midstate)`.
  public var description: String { tallies.map(\.description).joined(separator: ", ") }
}

extension VectorReport.Tally: CustomStringConvertible {
  /// Such as `9 passed, 1 failed (midstate)`.
  public var description: String {
    "\(passedCount) passed" + (failedCount == 0 ? "" : ", \(failedCount) failed") + (target.map { " (\($0))" } ?? "")
  }
}

/// A test that failed on one execution target.
public struct VectorFailure: Sendable, Hashable {
  /// The 1-based place of the group in the file.
  public let group: Int
  /// The group's id, which never changes.
  public let groupID: String
  /// The group's type.
  public let groupType: String
  /// The test's id, unique in its group.
  public let test: Int
  /// What the test ran on, such as `evp`; `nil` for a test that does not use an HMAC backend.
  public let target: String?
  /// What was expected and what was found instead. It shows values, since vectors are public.
  public let explanation: String
}

extension VectorFailure: CustomStringConvertible {
  /// One line, such as `group codes (hotp), test 3 (evp): code: expected "969429", got "000000"`.
  public var description: String {
    "group \(groupID) (\(groupType)), test \(test)" + (target.map { " (\($0))" } ?? "") + ": "
      + explanation
  }
}
