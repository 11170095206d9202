import Testing

// `@testable`, since no two runs of the codes of a real secret are near enough to each other to be found.
@testable import OTP

@Suite struct RunScanTests {
  /// The outcome of a scan for two codes, 1 and 2, or three, 1, 2 and 3.
  ///
  /// - Parameters:
  ///   - values: The truncated values of consecutive counters.
  ///   - live: The indices at which a run may end.
  private func outcome(_ values: [UInt32], codes: Int, live: Range<Int> = 0..<100) throws -> String {
    let typed = try (1...3).map { try SubmittedCode("00000\($0)") }
    var scan = try RunScan(typed[0], typed[1], codes == 3 ? typed[2] : nil, digits: .six)
    for (index, value) in values.enumerated() { scan.record(value, at: index, isLive: live.contains(index)) }
    return "\(scan.outcome)"
  }

  @Test(
    arguments: [
      ([1, 2], 1), ([9, 1, 2, 9], 2), ([1, 2, 1, 2], 1), ([9, 1, 2, 9, 9, 1, 2], 2), ([1, 1, 2, 1, 2, 2], 2),
      // 10^6 more is the same code.
      ([1_000_001, 2_000_002, 1, 2], 1),
    ] as [([UInt32], Int)])
  func `the earliest of several runs of two codes is found`(values: [UInt32], last: Int) throws {
    #expect(try outcome(values, codes: 2) == "live(index: \(last))")
  }

  @Test(
    arguments: [
      ([1, 2, 3], 2), ([1, 2, 3, 1, 2, 3], 2), ([1, 2, 1, 2, 3, 9, 1, 2, 3], 4), ([3, 2, 1, 2, 3, 3], 4),
    ] as [([UInt32], Int)])
  func `the earliest of several runs of three codes is found`(values: [UInt32], last: Int) throws {
    #expect(try outcome(values, codes: 3) == "live(index: \(last))")
  }

  @Test(arguments: [[], [1], [2], [2, 1], [1, 9, 2], [1, 1], [2, 2]] as [[UInt32]])
  func `codes that are not consecutive are not a run`(values: [UInt32]) throws {
    #expect(try outcome(values, codes: 2) == "none")
  }

  @Test(arguments: [[1, 2], [1, 3, 2], [2, 3], [1, 2, 9, 3], [1, 1, 2, 2, 3, 3], [1, 2, 2, 3]] as [[UInt32]])
  func `two of three codes are not a run`(values: [UInt32]) throws {
    #expect(try outcome(values, codes: 3) == "none")
  }

  @Test func `the earliest run that may be accepted is found, and a spent one only if there is none`() throws {
    let values: [UInt32] = [1, 2, 9, 1, 2, 9, 1, 2]
    #expect(try outcome(values, codes: 2, live: 2..<100) == "live(index: 4)")
    #expect(try outcome(values, codes: 2, live: 0..<2) == "live(index: 1)")
    #expect(try outcome(values, codes: 2, live: 5..<100) == "live(index: 7)")
    #expect(try outcome(values, codes: 2, live: 8..<100) == "spent")
    #expect(try outcome(values, codes: 3, live: 0..<0) == "none")
  }
}
