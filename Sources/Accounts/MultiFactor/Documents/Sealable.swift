import Foundation
import Keyring
import OTP

/// A value with a binary layout, for a document or a token.
package protocol Sealable: Sendable {
  /// Writes the value.
  func encode(to writer: inout ByteWriter)
  /// Reads what ``encode(to:)`` writes.
  init(from reader: inout ByteReader) throws(KeyringError)
}

extension Sealable {
  /// The value's bytes, in memory that is wiped when released.
  package func encoded() -> SecretBytes {
    var writer = ByteWriter()
    encode(to: &writer)
    return writer.finish()
  }

  /// Reads a value that must take up all of the bytes.
  package init(_ bytes: SecretBytes) throws(KeyringError) {
    var reader = ByteReader(bytes)
    self = try Self(from: &reader)
    try reader.finish()
  }
}

/// What a store keeps: a version, then the value, sealed and bound to the store and the key.
package protocol Document: Sealable, Equatable {
  /// The value if no document is stored.
  static var empty: Self { get }
}

extension Document {
  /// The document's bytes, before they are sealed.
  func document() -> SecretBytes {
    var writer = ByteWriter(capacity: 512)
    writer.append(documentVersion)
    encode(to: &writer)
    return writer.finish()
  }

  /// Reads what ``document()`` writes.
  package init(document bytes: SecretBytes) throws(KeyringError) {
    var reader = ByteReader(bytes)
    guard try reader.readUInt8() == documentVersion else { throw KeyringError(.malformed) }
    self = try Self(from: &reader)
    try reader.finish()
  }
}

/// The version of all documents, to distinguish a later layout.
package let documentVersion: UInt8 = 1
/// The largest document, in bytes before it is sealed. A user cannot get anywhere near it.
let maximumDocumentByteCount = 65_536

// Everything that this module seals, each under an authenticated name: changing a name loses whatever was sealed under
// it.
extension Purpose {
  /// A document, which is also bound to its key: it does not open under another one.
  package static let document = Purpose("document")
  /// The mark by which a keyring recognizes its store.
  package static let storeMark = Purpose("store mark")
  /// A signed-in user's handle.
  static let userToken = Purpose("user token")
  /// A multi-factor session.
  static let sessionToken = Purpose("session token")
  /// A sign-in that awaits its second factor.
  static let resolverToken = Purpose("resolver token")
  /// A secret that is being enrolled.
  static let enrollmentToken = Purpose("enrollment token")
}

extension ByteWriter {
  /// Writes the count, 255 at most, and each element.
  package mutating func append<Element>(list: [Element], _ write: (inout ByteWriter, Element) -> Void) {
    append(UInt8(clamping: list.count))
    for element in list.prefix(255) { write(&self, element) }
  }
}

extension ByteReader {
  /// Reads what ``ByteWriter/append(list:_:)`` writes.
  package mutating func readList<Element>(
    _ read: (inout ByteReader) throws(KeyringError) -> Element
  ) throws(KeyringError) -> [Element] {
    let count = Int(try readUInt8())
    var list: [Element] = []
    list.reserveCapacity(count)
    for _ in 0..<count { list.append(try read(&self)) }
    return list
  }
}
