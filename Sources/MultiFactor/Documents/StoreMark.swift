import Foundation
import Keyring
import OTP

/// The mark by which a keyring knows its store: the store's ID, sealed, under a key of its own.
///
/// Without it, a store that was lost, or a mistyped path, would turn everybody's second factor off without a word; and a
/// new keyring beside a store would count every right code as a failure.
enum StoreMark {
  /// Finds the store to be the keyring's, or makes it so if neither has been used.
  ///
  /// - Returns: The store's ID, which everything that is sealed for it is bound to.
  /// - Throws: As ``id(of:by:)``; what the store or the keyring throws.
  static func bind(_ keyring: Keyring, to store: any FactorStore, random: SecureRandom) async throws -> String {
    if let known = try await id(of: store, by: keyring), keyring.storeID != nil {
      // Before the key that has sealed it is removed.
      _ = try await reseal(in: store, by: keyring)
      return known
    }
    // Of several processes that begin at once, one makes the mark, and the others find it.
    let id = try await store.update(.store) { stored in
      if let stored { return try open(stored, by: keyring) }
      let id = try random.hexName(byteCount: 16)
      stored = try seal(id, by: keyring)
      return id
    }
    try keyring.bind(toStore: id)
    return id
  }

  /// Finds the store to be the keyring's.
  ///
  /// - Returns: The store's ID; `nil` if neither has been used.
  /// - Throws: ``ConfigurationError`` with `emptyStore`, `foreignStore` or `incompleteCopy`; what the store or the
  ///   keyring throws.
  static func id(of store: any FactorStore, by keyring: Keyring) async throws -> String? {
    let foreign = ConfigurationError(.foreignStore, "store")
    // In this order: whatever another process writes meanwhile, it writes the mark first.
    let isEmpty = try await store.keys(after: nil, limit: 1).isEmpty
    guard let mark = try await store.document(.store) else {
      guard isEmpty else { throw foreign }
      guard keyring.storeID == nil else { throw ConfigurationError(.emptyStore, "store") }
      return nil
    }
    let id = try open(mark, by: keyring)
    guard keyring.storeID ?? id == id else { throw foreign }
    return id
  }

  /// Seals the mark again, whichever key has sealed it: a change of the store that changes nothing else.
  ///
  /// - Throws: ``ConfigurationError`` with `foreignStore` if it is not the mark of this store any more; what the store or
  ///   the keyring throws.
  static func rewrite(in store: any FactorStore, by keyring: Keyring, id: String) async throws {
    try await store.update(.store) { stored in
      guard let old = stored, try open(old, by: keyring) == id else {
        throw ConfigurationError(.foreignStore, "store")
      }
      stored = try seal(id, by: keyring)
    }
  }

  /// Seals the mark again if another key than the active one has sealed it.
  static func reseal(in store: any FactorStore, by keyring: Keyring) async throws -> Bool {
    try await store.update(.store) { stored in
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

  /// How that begins which is in the mark's place while documents are copied into a store: no sealed value begins like it,
  /// so that no keyring takes the store for one before all of them are there.
  static func reservation(forCopyOf id: String) -> [UInt8] { [reservationVersion] + id.utf8 }

  private static let reservationVersion: UInt8 = 0

  /// The ID that a mark has.
  static func open(_ mark: [UInt8], by keyring: Keyring) throws -> String {
    guard mark.first != reservationVersion else { throw ConfigurationError(.incompleteCopy, "store") }
    do throws(KeyringError) {
      var reader = ByteReader(try keyring.open(mark, for: .storeMark, boundTo: []).bytes)
      guard try reader.readUInt8() == documentVersion else { throw KeyringError(.malformed) }
      let id = try reader.readString()
      try reader.finish()
      return id
    } catch {
      // Another keyring has sealed it.
      throw error.kind == .cryptographyFailed ? error : ConfigurationError(.foreignStore, "store") as any Error
    }
  }
}
