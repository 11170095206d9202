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
  /// - Throws: ``ConfigurationError`` with `emptyStore` or `foreignStore`; what the store or the keyring throws.
  static func bind(_ keyring: Keyring, to store: any FactorStore, random: SecureRandom) async throws -> String {
    let foreign = ConfigurationError(.foreignStore, "store")
    // In this order: whatever another process writes meanwhile, it writes the mark first.
    let isEmpty = try await store.keys(after: nil, limit: 1).isEmpty
    let mark = try await store.document(.store)
    if let known = keyring.storeID {
      guard let mark else { throw isEmpty ? ConfigurationError(.emptyStore, "store") : foreign }
      guard try open(mark, by: keyring) == known else { throw foreign }
      // Before the key that has sealed it is removed.
      _ = try await reseal(in: store, by: keyring)
      return known
    }
    guard mark != nil || isEmpty else { throw foreign }
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

  private static func open(_ mark: [UInt8], by keyring: Keyring) throws -> String {
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
