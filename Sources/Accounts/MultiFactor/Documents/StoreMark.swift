import Foundation
import Keyring
import OTP

/// The mark by which a keyring recognizes its store: the store's ID, sealed, under its own document key.
///
/// Without it, a lost store or a mistyped path would silently turn off every user's second factor, and a store with a
/// new keyring could open no document.
package enum StoreMark {
  /// Marks an empty store as the keyring's, which has none yet, or continues after an interruption.
  ///
  /// - Throws: As ``id(of:by:)``; `KeyringError` with `exists` if another process was first; what the store or the
  ///   keyring throws.
  static func make(in store: any FactorStore, by keyring: Keyring, random: SecureRandom) async throws {
    _ = try await id(of: store, by: keyring)
    // Of several processes, one makes the mark, and the others find it.
    let id = try await store.update(.mark) { stored in
      if let stored { return try open(stored, by: keyring) }
      let id = try random.hexName(byteCount: 16)
      stored = try seal(id, by: keyring)
      return id
    }
    guard try keyring.bind(toStore: id) else { throw KeyringError(.exists) }
  }

  /// Checks that the store is the keyring's.
  ///
  /// - Returns: The store's ID, which everything that is sealed for it is bound to.
  /// - Throws: As ``id(of:by:)``, and ``ConfigurationError`` with `notCreated`.
  static func check(_ store: any FactorStore, by keyring: Keyring) async throws -> String {
    guard let id = try await id(of: store, by: keyring) else { throw ConfigurationError(.notCreated, "store") }
    // The process that created the store and the keyring ended before the keyring recorded the store's ID.
    if keyring.storeID == nil { try keyring.bind(toStore: id) }
    return id
  }

  /// Checks that the store is the keyring's.
  ///
  /// - Returns: The store's ID; `nil` if neither has been used.
  /// - Throws: ``ConfigurationError`` with `emptyStore`, `foreignStore` or `incompleteCopy`; what the store or the
  ///   keyring throws.
  package static func id(of store: any FactorStore, by keyring: Keyring) async throws -> String? {
    let foreign = ConfigurationError(.foreignStore, "store")
    // In this order, because another process that writes at the same time writes the mark first.
    let isEmpty = try await store.keys(after: nil, limit: 1).isEmpty
    guard let mark = try await store.document(.mark) else {
      guard isEmpty else { throw foreign }
      guard keyring.storeID == nil else { throw ConfigurationError(.emptyStore, "store") }
      return nil
    }
    let id = try open(mark, by: keyring)
    guard keyring.storeID ?? id == id else { throw foreign }
    return id
  }

  /// Seals the mark again, whichever key has sealed it: a write to the store that changes nothing else.
  ///
  /// - Throws: ``ConfigurationError`` with `foreignStore` if it is no longer the mark of this store; what the store or
  ///   the keyring throws.
  package static func rewrite(in store: any FactorStore, by keyring: Keyring, id: String) async throws {
    try await store.update(.mark) { stored in
      guard let old = stored, try open(old, by: keyring) == id else {
        throw ConfigurationError(.foreignStore, "store")
      }
      stored = try seal(id, by: keyring)
    }
  }

  /// Seals the mark again if a key other than the active one has sealed it.
  package static func reseal(in store: any FactorStore, by keyring: Keyring) async throws -> Bool {
    try await store.update(.mark) { stored in
      guard let old = stored else { return false }
      let opened = try keyring.open(old, for: .storeMark, boundTo: [])
      if !opened.isByActiveKey { stored = try keyring.seal(opened.bytes, for: .storeMark, boundTo: []) }
      return !opened.isByActiveKey
    }
  }

  private static func seal(_ id: String, by keyring: Keyring) throws(KeyringError) -> [UInt8] {
    var writer = ByteWriter()
    writer.append(documentVersion)
    writer.append(id)
    return try keyring.seal(writer.finish(), for: .storeMark, boundTo: [])
  }

  /// The prefix of what stands in the mark's place while documents are copied into a store. No sealed value starts with
  /// it, so no keyring accepts the store before all documents are there.
  package static func reservation(forCopyOf id: String) -> [UInt8] { [reservationVersion] + id.utf8 }

  private static let reservationVersion: UInt8 = 0

  /// Whether bytes are the mark of a store.
  ///
  /// - Throws: `KeyringError` with `cryptographyFailed`, or with `unknownKey` if this process lacks a newer key, or
  ///   the store is another keyring's.
  static func isMark(_ bytes: [UInt8], of id: String, by keyring: Keyring) throws(KeyringError) -> Bool {
    guard bytes.first != reservationVersion else { return false }
    do {
      return try read(bytes, by: keyring) == id
    } catch {
      guard ![.cryptographyFailed, .unknownKey].contains(error.kind) else { throw error }
      return false
    }
  }

  /// The store's ID in a mark.
  package static func open(_ mark: [UInt8], by keyring: Keyring) throws -> String {
    guard mark.first != reservationVersion else { throw ConfigurationError(.incompleteCopy, "store") }
    do throws(KeyringError) {
      return try read(mark, by: keyring)
    } catch {
      // Another keyring has sealed it.
      throw error.kind == .cryptographyFailed ? error : ConfigurationError(.foreignStore, "store") as any Error
    }
  }

  private static func read(_ mark: [UInt8], by keyring: Keyring) throws(KeyringError) -> String {
    var reader = ByteReader(try keyring.open(mark, for: .storeMark, boundTo: []).bytes)
    guard try reader.readUInt8() == documentVersion else { throw KeyringError(.malformed) }
    let id = try reader.readString()
    try reader.finish()
    return id
  }
}
