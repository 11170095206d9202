#if PostgreSQL
import Foundation
import Keyring
import MultiFactor
import Testing

@testable import MultiFactorPostgreSQL

@Suite struct NetworkTests {
  /// A store behind a proxy, and one with a direct connection, which has stored `[1]`.
  private struct ProxiedStore {
    let database: Database
    let proxy: Proxy
    let store: PostgreSQLFactorStore
    let direct: PostgreSQLFactorStore

    /// - Parameter isPatient: Whether the store waits, and trusts a connection, as long as ``Database/patience``;
    ///   otherwise some seconds.
    init(isPatient: Bool = true) async throws {
      database = try Database()
      proxy = try Proxy(to: database.url)
      direct = try await database.filled()
      store = try PostgreSQLFactorStore(
        url: proxy.url(for: database.url),
        configuration: database.configuration { configuration in
          configuration.connections = 1
          guard !isPatient else { return configuration.livelySeconds = Database.patience }
          (configuration.connectSeconds, configuration.statementSeconds, configuration.waitingSeconds) = (5, 6, 7)
        })
    }

    /// Stores a document with a change that puts the proxy into a mode once it has run.
    ///
    /// - Returns: The kind of the error that the update throws, and how often the change ran.
    func update(to document: [UInt8], then mode: Proxy.Mode) async -> (FactorStoreError.Kind?, runs: Int) {
      let runs = Locked(0)
      let kind = await kind {
        try await store.update(.sample) { [proxy] stored in
          stored = document
          runs.withLock { $0 += 1 }
          proxy.mode = mode
        }
      }
      return (kind, runs.withLock { $0 })
    }
  }

  @Test func `a document that was just read or written is changed by one statement`() async throws {
    let proxied = try await ProxiedStore()
    let (store, direct) = (proxied.store, proxied.direct)
    /// How many statements a call took, and its result.
    func counted<R: Hashable>(_ body: () async throws -> R) async throws -> [R: Int] {
      let before = proxied.proxy.sentCount
      let result = try await body()
      return [result: proxied.proxy.sentCount - before]
    }
    _ = try await store.document(.sample)
    for length in 2...3 {
      let made = try await counted { try await store.append() }
      #expect(made == [length: 1])
    }
    let read = try await counted { try await store.document(.sample) }
    #expect(read == [[1, 1, 1]: 1])
    // A change that leaves a document as it is must not rest on what was known.
    #expect(try await direct.append() == 4)
    let seen = try await counted { try await store.update(.sample) { $0?.count } }
    #expect(seen == [4: 1])
    // Changed by another machine, and deleted and created again: neither is lost.
    let other = try #require(DocumentKey("other"))
    #expect(try await direct.append() == 5)
    _ = try await store.document(other)
    let changed = try await counted { try await store.append() }
    #expect(changed == [6: 3])
    try await direct.update(.sample) { $0 = nil }
    _ = try await store.document(other)
    let created = try await counted { try await store.append() }
    #expect(created == [1: 3])
    #expect(try await direct.document(.sample) == [1])
  }

  @Test func `the wait for an answer that does not come is limited, before and after a change was sent`()
    async throws
  {
    let proxied = try await ProxiedStore(isPatient: false)
    #expect(try await proxied.store.append() == 2)
    proxied.proxy.mode = .stalls
    #expect(await kind { try await proxied.store.document(.sample) } == .timeout)
    #expect(await kind { try await proxied.store.append() } != nil)
    proxied.proxy.mode = .passes
    #expect(try await proxied.store.append() == 3)

    let stalled = await proxied.update(to: [7], then: .stalls)
    #expect(stalled == (.outcomeUnknown, 1))
    proxied.proxy.mode = .passes
    // The change was made, although its answer was lost: the next one must not run on what was known before it.
    let next = await proxied.update(to: [8], then: .passes)
    #expect(next == (nil, 1))
  }

  @Test func `an answer that is cut off in the middle is never taken for a complete one`()
    async throws
  {
    let proxied = try await ProxiedStore()
    // The whole answer of the server has more than 60 bytes and fewer than 200.
    for count in Array(0...60) + [200] {
      let cut = await proxied.update(to: [UInt8(count)], then: .cuts(after: count))
      #expect(cut.runs == 1)
      #expect(cut.0 == (count == 200 ? nil : .outcomeUnknown), "\(count) bytes")
      #expect(try await proxied.direct.document(.sample) == [UInt8(count)])
    }
  }

  @Test func `a connection that is cut before a change was sent is replaced`() async throws {
    let proxied = try await ProxiedStore()
    for count in 0...60 {
      let length = try await proxied.direct.append()
      proxied.proxy.mode = .cuts(after: count)
      #expect(try await proxied.store.document(.sample)?.count == length)
      // Of a document that is not known, and so is read first. Its name makes the answer longer than that.
      let key = try #require(DocumentKey("user/\(String(repeating: "a", count: 60))\(count)"))
      proxied.proxy.mode = .cuts(after: count)
      #expect(try await proxied.store.append(key) == 1)
    }
  }

  @Test func `a slow answer is accepted within the limit, and a late one is never taken for that of another request`()
    async throws
  {
    let proxied = try await ProxiedStore(isPatient: false)
    proxied.proxy.mode = .delays(.milliseconds(50))
    #expect(try await proxied.store.append() == 2)
    let late = await proxied.update(to: [5], then: .delays(.seconds(12)))
    #expect(late == (.outcomeUnknown, 1))
    proxied.proxy.mode = .passes
    for count in 2...20 { #expect(try await proxied.store.append() == count) }
  }
}
#endif
