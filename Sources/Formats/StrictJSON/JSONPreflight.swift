import OTP

/// Checks a JSON text for what `JSONDecoder` accepts silently: names given twice, of which it keeps only one, encodings
/// other than UTF-8, a comma after the last element, and numbers such as `1.0`, which it reads as whole numbers.
///
/// It has its own stack, of limited depth. A text that is not JSON may pass, since the decoder refuses it.
package struct JSONPreflight {
  /// How deeply values may be nested. The formats read here need six levels.
  private static var maximumDepth: Int { 16 }

  private struct Container {
    let isObject: Bool
    var names: Set<String> = []
    /// The name or the index in the container at the current position.
    var step: JSONPathElement?
  }

  private let text: [UInt8]
  private let wholeNumbersIn: Set<String>?
  private var position = 0
  private var open: [Container] = []
  /// Whether the next string, if in an object, is a name.
  private var expectsName = false
  /// Whether the last character before the position, except white space, is a comma.
  private var followsComma = false

  /// Checks a text.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - names: The outermost object's fields in which numbers must be whole; `nil` for all.
  package static func check(_ text: [UInt8], wholeNumbersIn names: Set<String>? = nil) throws(JSONFault) {
    guard !text.starts(with: [0xEF, 0xBB, 0xBF]) else { throw JSONFault(.byteOrderMark) }
    guard String(validUTF8: text.span) != nil else { throw JSONFault(.notUTF8) }
    var preflight = JSONPreflight(text: text, wholeNumbersIn: names)
    while preflight.position < text.count { try preflight.takeToken() }
  }

  private init(text: [UInt8], wholeNumbersIn names: Set<String>?) {
    self.text = text
    wholeNumbersIn = names
  }

  private mutating func takeToken() throws(JSONFault) {
    let byte = text[position]
    let isAfterComma = followsComma
    followsComma = byte == UInt8(ascii: ",") || isAfterComma && JSONPreflight.isWhiteSpace(byte)
    switch byte {
    case UInt8(ascii: "\""): return try takeString()
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try takeNumber()
    case UInt8(ascii: "{"): try enter(Container(isObject: true))
    case UInt8(ascii: "["): try enter(Container(isObject: false, step: .index(0)))
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      guard !isAfterComma else { throw fault(.malformed) }
      _ = open.popLast()
      expectsName = false
    case UInt8(ascii: ","): advance()
    // Including NUL: with one near the beginning, the decoder would read the text as UTF-16 or UTF-32.
    case 0..<0x20 where byte != 0x09 && byte != 0x0A && byte != 0x0D: throw fault(.controlCharacter)
    default: break
    }
    position += 1
  }

  private static func isWhiteSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  private mutating func enter(_ container: Container) throws(JSONFault) {
    guard open.count < JSONPreflight.maximumDepth else { throw fault(.tooDeep) }
    open.append(container)
    expectsName = container.isObject
  }

  private mutating func advance() {
    if case .index(let index)? = open.last?.step {
      open[open.count - 1].step = .index(index + 1)
    } else {
      expectsName = true
    }
  }

  private mutating func takeNumber() throws(JSONFault) {
    while position < text.count {
      switch text[position] {
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): position += 1
      case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
        guard let wholeNumbersIn, case .name(let name)? = open.first?.step, !wholeNumbersIn.contains(name) else {
          throw fault(.notWhole)
        }
        position += 1
      default: return
      }
    }
  }

  private mutating func takeString() throws(JSONFault) {
    let start = position
    position += 1
    var hasEscapes = false
    while position < text.count, text[position] != UInt8(ascii: "\"") {
      guard text[position] >= 0x20 else { throw fault(.controlCharacter) }
      if text[position] == UInt8(ascii: "\\") {
        hasEscapes = true
        position += 1
      }
      position += 1
    }
    guard position < text.count else { throw fault(.malformed) }
    position += 1
    guard expectsName else { return }
    expectsName = false
    try takeName(text[start + 1..<position - 1], hasEscapes: hasEscapes)
  }

  private mutating func takeName(_ bytes: ArraySlice<UInt8>, hasEscapes: Bool) throws(JSONFault) {
    guard !open.isEmpty else { return }
    let name = String(decoding: bytes, as: UTF8.self)
    open[open.count - 1].step = .name(name)
    // With escapes, two spellings of one name would count as two names. No name in the formats needs one.
    guard !hasEscapes else { throw fault(.escapedName) }
    guard open[open.count - 1].names.insert(name).inserted else { throw fault(.duplicateName) }
  }

  private func fault(_ reason: JSONFault.Reason) -> JSONFault { JSONFault(reason, at: open.compactMap(\.step)) }
}

/// The name of any field. `JSONDecoder` gives all names of an object only to a key type that accepts every name.
package struct FieldName: CodingKey, Hashable, ExpressibleByStringLiteral {
  package let stringValue: String

  package var intValue: Int? { nil }

  package init(stringValue: String) { self.stringValue = stringValue }

  package init?(intValue: Int) { nil }

  package init(stringLiteral name: String) { stringValue = name }
}
