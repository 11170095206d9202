import Foundation
import OTP

/// Searches for secrets in whatever a server has written.
struct SecretSearch {
  private struct Needle {
    let name: String
    let bytes: [UInt8]
    /// Whether it counts only without an adjacent letter or digit: a random name can contain six digits by chance.
    let isWord: Bool
  }

  private var needles: [Needle] = []

  /// Adds a secret: in base32, base64, hexadecimal of either case, and as it is.
  mutating func add(key: String, _ name: String = "secret") throws {
    let bytes = try Base32.decode(key)
    let hex = bytes.map { String(format: "%02x", $0) }.joined()
    for text in [key, key.lowercased(), hex, hex.uppercased(), Data(bytes).base64EncodedString()] { add(text, name) }
    needles.append(Needle(name: name, bytes: bytes, isWord: false))
    // As in the description of an array.
    add(bytes.map(String.init).joined(separator: ", "), name)
  }

  /// Adds a token, or anything else that cannot occur by chance.
  mutating func add(_ text: String, _ name: String) {
    needles.append(Needle(name: name, bytes: Array(text.utf8), isWord: false))
  }

  /// Adds a code.
  mutating func add(code: String) { needles.append(Needle(name: "code", bytes: Array(code.utf8), isWord: true)) }

  /// Adds a recovery code, in each spelling.
  mutating func add(recoveryCode: String) throws {
    add(recoveryCode, "recovery code")
    try add(key: recoveryCode.filter { $0 != "-" }, "recovery code")
  }

  /// Adds a phone number's national part, which every spelling contains.
  mutating func add(phoneNumber: String) { add(String(phoneNumber.suffix(10)), "phone number") }

  /// The names of the secrets found in a text.
  func found(in text: String) -> Set<String> { found(in: Array(text.utf8)) }

  /// The names of the secrets found in bytes.
  func found(in bytes: [UInt8]) -> Set<String> {
    Set(needles.filter { $0.isWord ? bytes.containsWord($0.bytes) : bytes.contains($0.bytes) }.map(\.name))
  }

  /// The names of the secrets that a value shows in any of the ways in which a program can print it.
  func shown(by value: Any) -> Set<String> {
    var dumped = ""
    dump(value, to: &dumped)
    var texts = ["\(value)", String(describing: value), String(reflecting: value), dumped]
    if let error = value as? any Error { texts.append(error.localizedDescription) }
    let pieces = Reflection(of: value).pieces + texts.map { Array($0.utf8) }
    return pieces.reduce(into: []) { names, piece in names.formUnion(found(in: piece)) }
  }
}

extension [UInt8] {
  fileprivate func containsWord(_ word: [UInt8]) -> Bool {
    func isPartOfWord(_ index: Int) -> Bool {
      guard indices.contains(index) else { return false }
      return (0x30...0x39).contains(self[index]) || (0x61...0x7A).contains(self[index] | 0x20)
    }
    var from = 0
    while let start = place(of: word, from: from) {
      if !isPartOfWord(start - 1), !isPartOfWord(start + word.count) { return true }
      from = start + 1
    }
    return false
  }
}
