import Foundation
import Testing

@testable import MultiFactor

/// Which challenges an account keeps, and for what each can be answered.
@Suite struct AccountChallengeTests {
  private static let start = Date(timeIntervalSince1970: 1_700_000_000)

  private func open(
    _ id: String, _ purpose: Challenge.Purpose = .enrollment, in account: inout Account, at clock: Date = start
  ) throws {
    let challenge = Challenge(
      id: id, purpose: purpose, number: try PhoneNumber("+15105551234"), codeHash: [1],
      expiry: clock.addingTimeInterval(300))
    try account.open(challenge, under: nil, by: clock)
  }

  /// Whether the challenge still exists, and is now active.
  private func activate(_ id: String, in account: inout Account) -> Bool {
    (try? account.activate(id, by: Self.start)) != nil
  }

  /// Whether the right code is accepted; uses up a try.
  private func isAnswered(
    _ id: String, for purpose: Challenge.Purpose = .enrollment, in account: inout Account
  ) -> Bool {
    if case .right = account.answer([1], to: id, for: purpose, at: Self.start) { true } else { false }
  }

  @Test func `a challenge can be answered only for the purpose and factor that it was sent for`() throws {
    var account = Account()
    let purpose = Challenge.Purpose.signIn(factorUID: "b")
    try open("x", purpose, in: &account)
    #expect(activate("x", in: &account))
    for other in [Challenge.Purpose.enrollment, .signIn(factorUID: "a")] {
      #expect(!isAnswered("x", for: other, in: &account))
    }
    #expect(account.challenges.map(\.tries) == [0])
    #expect(isAnswered("x", for: purpose, in: &account))
  }

  @Test func `a challenge can be answered only once its message has been handed over`() throws {
    var account = Account()
    try open("x", in: &account)
    #expect(!isAnswered("x", in: &account))
    #expect(activate("x", in: &account))
    #expect(isAnswered("x", in: &account))
    #expect(!activate("y", in: &account))
  }

  @Test(arguments: [["x", "y"], ["y", "x"]])
  func `of two messages under way at once, the one handed over last can be answered`(order: [String]) throws {
    var account = Account()
    try open("x", in: &account)
    try open("y", in: &account)
    #expect(activate(order[0], in: &account))
    #expect(isAnswered(order[0], in: &account))
    // That ended the active challenge, but not a waiting one.
    #expect(activate(order[1], in: &account))
    #expect(isAnswered(order[1], in: &account) && !isAnswered(order[0], in: &account))
  }

  @Test func `expired challenges are kept for a day, sixteen at most`() throws {
    var account = Account()
    try open("x", in: &account)
    try open("y", in: &account, at: Self.start.addingTimeInterval(86_699.999))
    #expect(account.challenges.map(\.id) == ["x", "y"])
    try open("z", in: &account, at: Self.start.addingTimeInterval(86_700))
    #expect(account.challenges.map(\.id) == ["y", "z"])
    for index in 0..<20 { try open("\(index)", in: &account, at: Self.start.addingTimeInterval(86_700)) }
    #expect(account.challenges.map(\.id) == (4..<20).map { "\($0)" })
  }
}
