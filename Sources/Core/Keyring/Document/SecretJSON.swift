import OTP

/// Reads the JSON of a keyring file in memory that is wiped, whereas Foundation's decoders leave copies of the keys
/// behind.
///
/// It knows objects, arrays and strings, in which `\/` is the only escape: a keyring file needs no others. For anything
/// else it throws `KeyringError` with `malformed`.
struct SecretJSON {
  private let memory: SecretBytes
  private var position = 0

  init(_ bytes: SecretBytes) { memory = bytes }

  /// Throws if anything but white space follows the value.
  mutating func finish() throws(KeyringError) {
    guard peek() == nil else { throw KeyringError(.malformed) }
  }

  /// Reads an object: `readField` receives each field's name and reads its value.
  mutating func readObject(
    _ readField: (inout SecretJSON, String) throws(KeyringError) -> Void
  ) throws(KeyringError) {
    try readList(from: UInt8(ascii: "{"), to: UInt8(ascii: "}")) { (json) throws(KeyringError) in
      let name = try json.readText()
      try json.expect(UInt8(ascii: ":"))
      try readField(&json, name)
    }
  }

  /// Reads an array: `readElement` reads each element.
  mutating func readArray(_ readElement: (inout SecretJSON) throws(KeyringError) -> Void) throws(KeyringError) {
    try readList(from: UInt8(ascii: "["), to: UInt8(ascii: "]"), readElement)
  }

  /// Reads a string that is not secret.
  mutating func readText() throws(KeyringError) -> String {
    let text = try readString().withBytes { bytes in
      unsafe bytes.withUnsafeBufferPointer { bytes in unsafe String(validating: bytes, as: UTF8.self) }
    }
    guard let text else { throw KeyringError(.malformed) }
    return text
  }

  /// Reads a string's UTF-8.
  mutating func readString() throws(KeyringError) -> SecretBytes {
    try expect(UInt8(ascii: "\""))
    let start = position
    var written = 0
    let text = SecretBytes(capacity: try lengthOfString())
    while position < start + text.byteCount {
      let byte = self[position]
      position += 1
      if byte == UInt8(ascii: "\\") {
        guard self[position] == UInt8(ascii: "/") else { throw KeyringError(.malformed) }
        continue
      }
      unsafe text.mutableBytes[written] = byte
      written += 1
    }
    position += 1
    text.shrink(to: written)
    return text
  }

  /// The number of bytes up to the next quotation mark, which ends the string since none can be escaped.
  private func lengthOfString() throws(KeyringError) -> Int {
    var end = position
    while end < memory.byteCount, self[end] != UInt8(ascii: "\"") {
      guard self[end] >= 0x20 else { throw KeyringError(.malformed) }
      end += 1
    }
    guard end < memory.byteCount else { throw KeyringError(.malformed) }
    return end - position
  }

  private mutating func readList(
    from start: UInt8, to end: UInt8, _ readItem: (inout SecretJSON) throws(KeyringError) -> Void
  ) throws(KeyringError) {
    try expect(start)
    if peek() == end { return position += 1 }
    while true {
      try readItem(&self)
      guard let next = peek(), next == end || next == UInt8(ascii: ",") else { throw KeyringError(.malformed) }
      position += 1
      if next == end { return }
    }
  }

  private mutating func expect(_ byte: UInt8) throws(KeyringError) {
    guard peek() == byte else { throw KeyringError(.malformed) }
    position += 1
  }

  /// The next byte that is not white space; `nil` at the end.
  private mutating func peek() -> UInt8? {
    while position < memory.byteCount {
      switch self[position] {
      case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): position += 1
      case let byte: return byte
      }
    }
    return nil
  }

  private subscript(index: Int) -> UInt8 { memory.withBytes { bytes in bytes[index] } }
}
