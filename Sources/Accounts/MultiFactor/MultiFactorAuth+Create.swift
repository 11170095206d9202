import Foundation
import Keyring

extension MultiFactorAuth {
  /// Creates a store and its keyring, and binds each to the other: once, when a service is set up, never at its start.
  /// Everything else only opens them.
  ///
  /// A keyring is never created beside a store that exists, nor a store for a keyring that has one: either would lose
  /// all second factors. The command `otp store create` does the same.
  ///
  /// ```swift
  /// try await MultiFactorAuth.createStore(keyringFile: "keyring.json") {
  ///   try SQLiteFactorStore.create(path: "factors.sqlite")
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - path: The keyring's file. It is created, unless it holds a keyring that has sealed for no store: one that
  ///     seals tables of your own, or that an interruption has left.
  ///   - create: Creates the store, or opens the empty one that an interruption has left. It is called if the keyring's
  ///     file permits.
  /// - Throws: `KeyringError` with `exists` if the keyring has a store, as for all but one of the processes that create
  ///   it at once, and as `Keyring.create(file:)` does;
  ///   ``FactorStoreError`` with `exists` if the store is not empty, or ``ConfigurationError`` with `foreignStore` if
  ///   it is another keyring's; what `create` throws.
  public static nonisolated(nonsending) func createStore(
    keyringFile path: String, _ create: () async throws -> any FactorStore
  ) async throws {
    var keyring: Keyring?
    do throws(KeyringError) {
      keyring = try Keyring(file: path)
    } catch {
      guard error.kind == .cannotRead, error.systemError == ENOENT else { throw error }
    }
    guard keyring?.storeID == nil else { throw KeyringError(.exists) }
    let store = try await create()
    if keyring == nil {
      // Before there is a keyring beside it.
      guard try await store.keys(after: nil, limit: 1).isEmpty else { throw FactorStoreError(.exists) }
      keyring = try Keyring.create(file: path)
    }
    if let keyring { try await createStore(store, keyring: keyring) }
  }

  /// Binds an empty store and a keyring that is kept elsewhere than in a file, such as in a key management service, to
  /// each other; then keep its `Keyring.storeID` with the keys.
  ///
  /// - Throws: `KeyringError` with `exists` if the keyring has a store; ``ConfigurationError`` with `foreignStore` if
  ///   the store is not empty; what the store throws.
  public static nonisolated(nonsending) func createStore(_ store: any FactorStore, keyring: Keyring) async throws {
    try await createStore(store, keyring: keyring, random: .system)
  }

  /// The same, with a given source of randomness.
  package static func createStore(
    _ store: any FactorStore, keyring: Keyring, random: SecureRandom
  ) async throws {
    guard keyring.storeID == nil else { throw KeyringError(.exists) }
    try await StoreMark.make(in: store, by: keyring, random: random)
  }
}
