/// What came of running a file of test vectors.
public struct VectorReport: Sendable {
  /// How many tests passed and failed on one execution target.
  public struct Tally: Sendable, Hashable {
    /// What the tests ran on, such as `evp`; `nil` for tests that no HMAC backend has a part in.
    public let target: String?
    /// The number of tests that passed.
    public fileprivate(set) var passedCount = 0
    /// The number of tests that failed.
    public fileprivate(set) var failedCount = 0
  }

  /// The counts of each target that had a test to run, in the order in which they were asked for.
  public private(set) var tallies: [Tally] = []
  /// Every test that failed, in the order of the file.
  public private(set) var failures: [VectorFailure] = []

  /// The number of tests that passed, a test that ran on two targets counted twice.
  public var passedCount: Int { tallies.reduce(0) { $0 + $1.passedCount } }
  /// The number of tests that failed, counted in the same way.
  public var failedCount: Int { failures.count }

  init() {}

  mutating func recordPass(on target: String?) { tallies[place(of: target)].passedCount += 1 }

  mutating func record(_ failure: VectorFailure) {
    tallies[place(of: failure.target)].failedCount += 1
    failures.append(failure)
  }

  private mutating func place(of target: String?) -> Int {
    if let place = tallies.firstIndex(where: { $0.target == target }) { return place }
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
  /// The group's id, which stays for ever; `nil` in a file of the first format.
  public let groupID: String?
  /// The group's type.
  public let groupType: String
  /// The test's id, unique in its group.
  public let test: Int
  /// What the test ran on, such as `evp`; `nil` for a test that no HMAC backend has a part in.
  public let target: String?
  /// What was expected and what came instead. Vectors are public, so this shows values.
  public let explanation: String
}

extension VectorFailure: CustomStringConvertible {
  /// One line, such as `group 1 (hotp), test 3 (evp): code: expected "969429", got "000000"`.
  public var description: String {
    "group \(groupID ?? String(group)) (\(groupType)), test \(test)" + (target.map { " (\($0))" } ?? "") + ": "
      + explanation
  }
}
