import FactorRecord
import Foundation
import Keyring
import MultiFactorOperations
import OTP
import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

/// A store that is damaged, or that an attacker can write to.
@Suite struct StoreGarbageTests {
  /// What replaces a document.
  enum Garbage: CaseIterable, Sendable {
    case empty, cut, longer, changedByte, changedKeyName, otherUser, otherStore, otherKind, zeros

    func spoiled(_ document: [UInt8], of other: [UInt8], _ foreign: [UInt8], _ messages: [UInt8]) -> [UInt8] {
      switch self {
      case .empty: []
      case .cut: Array(document.dropLast())
      case .longer: document + [0]
      case .changedByte: document.dropLast(20) + [document[document.count - 20] ^ 1] + document.suffix(19)
      case .changedKeyName: Array(document.prefix(5)) + [document[5] ^ 1] + Array(document.dropFirst(6))
      case .otherUser: other
      case .otherStore: foreign
      case .otherKind: messages
      case .zeros: Array(repeating: 0, count: document.count)
      }
    }
  }

  @Test(arguments: Garbage.allCases, StoreKind.available)
  func `A document that was changed, truncated or swapped does not open, in any operation`(
    garbage: Garbage, on kind: StoreKind
  ) async throws {
    for flow in Flow.all {
      let host = try await Host(kind, keyring: .fixed(active: ("a", 1)))
      let ready = try await flow.prepare(host)
      _ = try await host.enrollTOTP(Principal(id: "other", email: "o@example.com", isEmailVerified: true))
      let other = try #require(await host.store.document(.user("other")))
      let foreignHost = try await Host(keyring: .fixed(active: ("a", 1)))
      _ = try await foreignHost.enrollTOTP()
      let foreign = try #require(await foreignHost.store.document(.user(Host.alice.id)))
      let messages = try host.auth.context.documents.seal(MessageLog(), under: .user(Host.alice.id))
      host.store.answer { key, document in
        key == .user(Host.alice.id) ? garbage.spoiled(document, of: other, foreign, messages) : document
      }
      do {
        try await ready.run()
        // The flow succeeded, so its user has no document, or it needs none or deletes it.
        #expect(!Self.needsADocument(flow), "\(flow.testDescription)")
      } catch let error as AuthError {
        #expect(error.code == .internalError && error.reason == .sealing, "\(flow.testDescription): \(error)")
      }
      host.store.recover()
      try await ready.again()
    }
  }

  private static func needsADocument(_ flow: Flow) -> Bool {
    ![
      "sign in without a second factor", "enroll a first app", "import a factor", "overwrite factors", "revoke handles",
      "seal all again", "export", "delete a user",
    ].contains(flow.testDescription)
  }

  @Test(arguments: [(1, 0), (0, 0), (2, 0), (1, 1)] as [(UInt8, Int)])
  func `A document of another version, or with bytes after its end, does not open`(
    version: UInt8, extra: Int
  ) async throws {
    let host = try await Host()
    _ = try await host.enrollTOTP()
    var writer = ByteWriter()
    writer.append(version)
    try await host.account().encode(to: &writer)
    for _ in 0..<extra { writer.append(false) }
    let document = try host.keyring.seal(
      writer.finish(), for: .document, boundTo: [host.auth.context.documents.storeID, "user/u1"])
    try await host.store.update(.user("u1")) { $0 = document }
    let isReadable = (version, extra) == (1, 0)
    #expect(await errorCode { try await host.account() } == (isReadable ? nil : .internalError))
  }

  @Test func `A document of more than 64 KiB is not written`() async throws {
    let host = try await Host()
    let spent = SpentSecret(fingerprint: [UInt8](repeating: 1, count: 65_535), lastAccepted: 1)
    await expectError(.internalError) { try await host.auth.context.change("u1") { $0.spentSecrets = [spent] } }
    #expect(try await host.store.document(.user("u1")) == nil)
  }
}
