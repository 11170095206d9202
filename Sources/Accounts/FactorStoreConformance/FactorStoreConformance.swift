import MultiFactor

/// The suite that every `FactorStore` must pass: isolation, durability, and every byte.
///
/// It needs no test framework. With Swift Testing:
///
/// ```swift
/// @Test(arguments: FactorStoreConformance.checks)
/// func `keeps the promises of a factor store`(
///   check: FactorStoreConformance.Check
/// ) async throws {
///   try await FactorStoreConformance { try MyStore() }.run(check)
/// }
/// ```
public struct FactorStoreConformance: Sendable {
  /// One check, on its own store.
  public struct Check: Sendable, CustomStringConvertible {
    /// What the store does, as a sentence.
    public let name: String
    let body: @Sendable (CheckedStore) async throws -> Void

    init(_ name: String, _ body: @escaping @Sendable (CheckedStore) async throws -> Void) {
      self.name = name
      self.body = body
    }

    /// The name.
    public var description: String { name }
  }

  /// A promise that a store did not keep.
  public struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name of the check.
    public let check: String
    /// What was expected and what happened.
    public let message: String

    /// The check and the message.
    public var description: String { "\(check): \(message)" }
  }

  /// All checks.
  public static let checks: [Check] = documentChecks + changeChecks + keyChecks + concurrencyChecks + persistenceChecks

  private let makeStore: @Sendable () async throws -> any FactorStore
  private let reopen: (@Sendable (any FactorStore) async throws -> any FactorStore)?
  private let empty: (@Sendable (any FactorStore) async throws -> Void)?

  /// The suite for one kind of store.
  ///
  /// - Parameters:
  ///   - makeStore: Creates a store that is empty and shares nothing with earlier ones.
  ///   - reopen: Opens the store's contents with a new object, as after a restart of the process; `nil` for a store
  ///     that is not persistent, for which persistence is not checked.
  ///   - empty: Takes everything away from the store while it is open, as an administrator could: drops or truncates
  ///     its table, exchanges its file or its database; `nil` for a store to which only its object leads.
  public init(
    makeStore: @escaping @Sendable () async throws -> any FactorStore,
    reopen: (@Sendable (any FactorStore) async throws -> any FactorStore)? = nil,
    empty: (@Sendable (any FactorStore) async throws -> Void)? = nil
  ) {
    self.makeStore = makeStore
    self.reopen = reopen
    self.empty = empty
  }

  /// Runs a check on a new store.
  ///
  /// - Throws: ``Failure``, also if the store throws.
  public func run(_ check: Check) async throws(Failure) {
    do {
      try await check.body(CheckedStore(store: makeStore(), reopen: reopen, empty: empty))
    } catch let error as CheckedStore.Mismatch {
      throw Failure(check: check.name, message: error.message)
    } catch {
      throw Failure(check: check.name, message: "the store threw \(error)")
    }
  }

  /// Runs all checks, one after another.
  ///
  /// - Returns: The failures; none for a store that conforms.
  public func run() async -> [Failure] {
    var failures: [Failure] = []
    for check in Self.checks {
      do { try await run(check) } catch { failures.append(error) }
    }
    return failures
  }
}
