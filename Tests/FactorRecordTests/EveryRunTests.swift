import Foundation
import Testing

/// The check `walks` runs longer sequences, in an optimized build.
@Suite struct EveryRunTests {
  @Test func `every run of two actions follows the rules`() throws {
    var run = try EveryRun()
    #expect(run.codesAreUnique)
    try run.run(length: 2)
    #expect(run.differences.isEmpty)
    // Every verdict was reached but `usedUp`, which takes three actions.
    #expect(run.verdicts.count == 15, "\(run.verdicts)")
  }
}
