import Foundation
import FuzzTargets
import Testing

/// The corpus and mutations of it, which a fuzzer would try first, the same every time.
@Suite struct ReplayTests {
  @Test(arguments: FuzzTarget.allCases) func `every input of the corpus keeps the rules`(target: FuzzTarget) throws {
    let corpus = try Corpus(of: target)
    #expect(corpus.inputs.count >= 10)
    for input in corpus.inputs { check(target, input.bytes, input.name) }
  }

  @Test(arguments: FuzzTarget.allCases) func `seeded mutations of the corpus keep the rules`(target: FuzzTarget) throws
  {
    let corpus = try Corpus(of: target)
    var mutator = Mutator(seed: 1, corpus: corpus.inputs.map(\.bytes))
    for round in 0..<target.mutationCount { check(target, mutator.next(), "mutation \(round)") }
  }

  @Test(arguments: FuzzTarget.allCases) func `the empty input keeps the rules`(target: FuzzTarget) {
    check(target, [], "empty")
  }

  @Test(arguments: [
    "user", "session-sign-in", "enrollment", "account-all", "account-times",
    "verification-sign-in", "phone-all", "messages",
  ])
  func `the corpus contains every current layout`(name: String) throws {
    let input = try #require(try Corpus(of: .token).inputs.first { $0.name == name })
    let isValid = isValidPayload(input.bytes)
    #expect(isValid)
  }

  private func check(_ target: FuzzTarget, _ bytes: [UInt8], _ name: String) {
    do throws(Violation) {
      try target.run(bytes.span)
    } catch {
      Issue.record("\(target.rawValue), \(name): \(error.rule). Input: \(Data(bytes).base64EncodedString())")
    }
  }
}

extension FuzzTarget {
  /// Enough for a few seconds in a debug build.
  fileprivate var mutationCount: Int {
    switch self {
    case .base32, .submittedCode: 5000
    case .uri, .configuration: 3000
    case .vectorFile: 500
    case .token, .seeds: 2000
    }
  }
}
