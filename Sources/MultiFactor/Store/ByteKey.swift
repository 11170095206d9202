/// A name that is equal to another where all UTF-8 bytes are.
///
/// `String` takes `é` for equal to `e` with an accent after it, and the Kelvin sign for `K`: for names of users that
/// would be two people with one account.
struct ByteKey: Hashable, Comparable {
  let name: String

  init(_ name: String) { self.name = name }

  static func == (left: ByteKey, right: ByteKey) -> Bool { left.name.utf8.elementsEqual(right.name.utf8) }

  static func < (left: ByteKey, right: ByteKey) -> Bool { left.name.utf8.lexicographicallyPrecedes(right.name.utf8) }

  func hash(into hasher: inout Hasher) {
    var name = name
    name.withUTF8 { bytes in unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes)) }
  }
}

extension String {
  /// Whether all UTF-8 bytes are the same.
  func hasBytes(of other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
