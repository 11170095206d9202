import Foundation
import MultiFactorOperations
import Testing

@testable import MultiFactor

/// A running server whose store is no longer the one that it was started with.
@Suite struct StoreExchangeTests {
  /// What an administrator, or an accident, has made of the store.
  enum Exchange: CaseIterable, Sendable {
    /// All documents were deleted: the table was emptied, or the database made again.
    case emptied
    /// There is another project's store in its place.
    case anotherStore
    /// An interrupted copy is in its place.
    case incompleteCopy
  }

  private static func make(_ exchange: Exchange, of host: Host) async throws -> [DocumentKey: [UInt8]] {
    let store = host.store.base
    for key in try await store.keys(after: nil, limit: .max) { try await store.update(key) { $0 = nil } }
    let mark: [UInt8]? =
      switch exchange {
      case .emptied: nil
      case .anotherStore: try await Host().store.document(.mark)
      case .incompleteCopy: StoreMark.reservation(forCopyOf: host.auth.context.documents.storeID)
      }
    try await store.update(.mark) { $0 = mark }
    return try await documents(of: store)
  }

  @Test(arguments: Exchange.allCases, StoreKind.available)
  func `Every operation fails on an exchanged store, and leaves it as it was`(
    exchange: Exchange, on kind: StoreKind
  ) async throws {
    for flow in Flow.all {
      let log = RecordingLog()
      let host = try await Host(kind, log: log.append)
      let ready = try await flow.prepare(host)
      let before = try await Self.make(exchange, of: host)
      let error = await authError { try await ready.run() }
      // A mark that was sealed by an unknown key may also mean that a key is missing here.
      let reason: AuditEvent.Reason = exchange == .anotherStore ? .sealing : .store
      let storeError = reason == .store ? FactorStoreError(.replaced) : nil
      #expect(
        error?.code == .internalError && error?.reason == reason && error?.storeError == storeError,
        "\(flow.testDescription): \(String(describing: error))")
      #expect(error?.isOutcomeUnknown == false)
      #expect(
        log.events.contains { $0.kind == .failed && $0.reason == reason && $0.storeError == storeError?.kind })
      #expect(try await documents(of: host.store.base) == before, "\(flow.testDescription)")
      #expect(await !host.auth.health().isReady)
    }
  }
}
