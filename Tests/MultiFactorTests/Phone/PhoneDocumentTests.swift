import Foundation
import OTP
import Testing

@testable import Keyring
@testable import MultiFactor
@testable import MultiFactorPhone

/// Which challenges are kept, and for what each can be answered.
@Suite struct PhoneDocumentTests {
  private static let start = Date(timeIntervalSince1970: 1_700_000_000)

  private static func open(
    _ id: String, in document: inout PhoneDocument, at time: Date = start
  ) throws {
    let challenge = Challenge(
      id: id, purpose: .enrollment, number: try PhoneNumber("+15105551234"), generation: 3,
      expiry: time.addingTimeInterval(300), end: time.addingTimeInterval(300))
    try document.open(challenge, under: nil, at: time)
  }

  /// Whether the challenge still exists, and is now active.
  private func activate(_ id: String, in document: inout PhoneDocument) -> Bool {
    (try? document.activate(id, with: .code(hash: [1]), at: Self.start)) != nil
  }

  /// Whether the right code is accepted; uses up a try.
  private func isAnswered(_ id: String, in document: inout PhoneDocument) -> Bool {
    let outcome = document.answer([1], to: id, for: .enrollment, in: 3, at: Self.start)
    return if case .right = outcome { true } else { false }
  }

  @Test func `a user's document of messages is read as it was written, in every part`() throws {
    var document = PhoneDocument()
    let number = try PhoneNumber("+15105551234")
    let answers: [Challenge.Answer?] = [nil, .code(hash: [7, 7]), .provider(reference: "VE1")]
    for (answer, purpose) in zip(answers, [.enrollment, .signIn(factorUID: "b"), .enrollment] as [Challenge.Purpose]) {
      document.challenges.append(
        Challenge(
          id: "c", purpose: purpose, number: number, generation: 3, expiry: Self.start, end: Self.start + 1, tries: 2,
          answer: answer))
    }
    document.messages = MessageLog(latestTime: Self.start, entries: [.init(time: Self.start, count: 2)])
    document.latestTime = Self.start
    let bytes = document.encoded()
    #expect(try PhoneDocument(bytes) == document)
    let copy = bytes.copiedBytes()
    for count in copy.indices {
      #expect(throws: KeyringError.self) { try PhoneDocument(SecretBytes(copying: copy[..<count])) }
    }
    #expect(throws: KeyringError.self) { try PhoneDocument(SecretBytes(copying: copy + [0])) }
  }

  @Test(arguments: [["x", "y"], ["y", "x"]])
  func `of two messages under way at once, the one handed over last can be answered`(order: [String]) throws {
    var document = PhoneDocument()
    try Self.open("x", in: &document)
    try Self.open("y", in: &document)
    #expect(activate(order[0], in: &document))
    #expect(isAnswered(order[0], in: &document))
    // That ended the active challenge, but not a waiting one.
    #expect(activate(order[1], in: &document))
    #expect(isAnswered(order[1], in: &document) && !isAnswered(order[0], in: &document))
  }

  @Test func `expired challenges are kept for a day, sixteen at most`() throws {
    var document = PhoneDocument()
    try Self.open("x", in: &document)
    try Self.open("y", in: &document, at: Self.start.addingTimeInterval(86_699.999))
    #expect(document.challenges.map(\.id) == ["x", "y"])
    try Self.open("z", in: &document, at: Self.start.addingTimeInterval(86_700))
    #expect(document.challenges.map(\.id) == ["y", "z"])
    for index in 0..<20 { try Self.open("\(index)", in: &document, at: Self.start.addingTimeInterval(86_700)) }
    #expect(document.challenges.map(\.id) == (4..<20).map { "\($0)" })
  }

  @Test func `a challenge can be answered only for the purpose and in the generation that it was sent for`() throws {
    var document = PhoneDocument()
    try Self.open("x", in: &document)
    #expect(activate("x", in: &document))
    for (purpose, generation) in [(.signIn(factorUID: "a"), 3), (.enrollment, 4)] as [(Challenge.Purpose, UInt64)] {
      if case .right = document.answer([1], to: "x", for: purpose, in: generation, at: Self.start) {
        Issue.record("it is answered for \(purpose) in \(generation)")
      }
    }
    #expect(document.challenges.map(\.tries) == [0])
    #expect(isAnswered("x", in: &document))
  }
}
