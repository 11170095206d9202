import Foundation
import OTP

/// Looks for secrets in what a server has written anywhere.
struct SecretSearch {
  private struct Needle {
    let name: String
    let bytes: [UInt8]
    /// Whether it counts only where no letter or digit touches it: six digits can stand in a random name by chance.
    let isWord: Bool
  }

  private var needles: [Needle] = []

  /// How many texts are looked for.
  var count: Int { needles.count }

  /// A secret: in base32, base64, hexadecimal of either case, and as it is.
  mutating func add(key: String, _ name: String = "secret") throws {
    let bytes = try Base32.decode(key)
    let hex = bytes.map { String(format: "%02x", $0) }.joined()
    for text in [key, key.lowercased(), hex, hex.uppercased(), Data(bytes).base64EncodedString()] { add(text, name) }
    needles.append(Needle(name: name, bytes: bytes, isWord: false))
    // As a description of an array has it.
    add(bytes.map(String.init).joined(separator: ", "), name)
  }

  /// A token, or anything else that does not come by chance.
  mutating func add(_ text: String, _ name: String) {
    needles.append(Needle(name: name, bytes: Array(text.utf8), isWord: false))
  }

  /// A code.
  mutating func add(code: String) { needles.append(Needle(name: "code", bytes: Array(code.utf8), isWord: true)) }

  /// A recovery code, in each spelling.
  mutating func add(recoveryCode: String) throws {
    add(recoveryCode, "recovery code")
    try add(key: recoveryCode.filter { $0 != "-" }, "recovery code")
  }

  /// A phone number: its national part, which is in every spelling of it.
  mutating func add(phoneNumber: String) { add(String(phoneNumber.suffix(10)), "phone number") }

  /// The names of what is in a text.
  func found(in text: String) -> Set<String> { found(in: Array(text.utf8)) }

  /// The names of what is in bytes.
  func found(in bytes: [UInt8]) -> Set<String> {
    Set(needles.filter { $0.isWord ? bytes.containsWord($0.bytes) : bytes.contains($0.bytes) }.map(\.name))
  }

  /// The names of what a value shows in any way that a program can ask it for.
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
