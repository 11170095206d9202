/// A value, or a field's name, in a JSON text. What an object or an array contains follows it.
struct JSONNode: Sendable {
  enum Kind: Sendable { case object, array, text, escapedText, whole, fraction, null, `true`, `false` }

  let kind: Kind
  /// Where a text without its quotation marks, or a number, begins and ends.
  let start, end: Int
  /// The index of the first node that is not in this one.
  var next: Int

  var isText: Bool { kind == .text || kind == .escapedText }
}

/// Reads JSON into nodes.
@safe struct JSONParser {
  private static var maximumDepth: Int { 16 }
  private static var maximumFieldCount: Int { 256 }

  private(set) var nodes: [JSONNode] = []
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position: Int
  private let end: Int
  private var depth = 0

  init(bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) {
    unsafe self.bytes = bytes
    (position, end) = (range.lowerBound, range.upperBound)
  }

  /// Reads all; `nil` if nothing is wrong.
  mutating func fault() -> JSONFault? {
    let all = unsafe UnsafeBufferPointer(rebasing: bytes[position..<end])
    var fault: JSONFault?
    do throws(JSONFault) {
      try readValue()
      guard peek() == nil else { throw JSONFault(.malformed) }
    } catch {
      fault = error
    }
    if unsafe all.starts(with: [0xEF, 0xBB, 0xBF]) { return JSONFault(.byteOrderMark) }
    return unsafe Self.isUTF8(all) ? fault : JSONFault(.notUTF8)
  }

  /// The next byte that is not white space; `nil` at the end.
  private mutating func peek() -> UInt8? {
    while position < end {
      switch unsafe bytes[position] {
      case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): position += 1
      case let byte: return byte
      }
    }
    return nil
  }

  private mutating func readValue() throws(JSONFault) {
    guard let first = peek() else { throw JSONFault(.malformed) }
    switch first {
    case UInt8(ascii: "{"): try readList(.object, to: UInt8(ascii: "}"))
    case UInt8(ascii: "["): try readList(.array, to: UInt8(ascii: "]"))
    case UInt8(ascii: "\""): try readString()
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try readNumber()
    case UInt8(ascii: "n"): try readWord("null", .null)
    case UInt8(ascii: "t"): try readWord("true", .true)
    case UInt8(ascii: "f"): try readWord("false", .false)
    default: throw JSONFault(.malformed)
    }
  }

  private mutating func append(_ kind: JSONNode.Kind, from start: Int) {
    nodes.append(JSONNode(kind: kind, start: start, end: position, next: nodes.count + 1))
  }

  private mutating func readList(_ kind: JSONNode.Kind, to close: UInt8) throws(JSONFault) {
    guard depth < Self.maximumDepth else { throw JSONFault(.tooDeep) }
    let (list, start) = (nodes.count, position)
    nodes.append(JSONNode(kind: kind, start: start, end: start, next: list + 1))
    (depth, position) = (depth + 1, position + 1)
    // Also after a fault.
    defer { nodes[list].next = nodes.count }
    var count = 0
    var separator = peek() == close ? take() : UInt8(ascii: ",")
    while separator != close {
      let name = nodes.count
      if kind == .object { try readName(in: list, after: count) }
      do { try readValue() } catch { throw error.within(kind == .object ? path(to: name) : .index(count)) }
      count += 1
      separator = take()
      guard separator == close || separator == UInt8(ascii: ",") else { throw JSONFault(.malformed) }
    }
    depth -= 1
  }

  private mutating func take() -> UInt8? {
    let byte = peek()
    position += 1
    return byte
  }

  private mutating func readName(in list: Int, after count: Int) throws(JSONFault) {
    guard peek() == UInt8(ascii: "\"") else { throw JSONFault(.malformed) }
    guard count < Self.maximumFieldCount else { throw JSONFault(.tooManyFields) }
    let name = nodes.count
    try readString()
    // With escapes, two spellings of one name would count as two names. No name in the formats needs one.
    guard nodes[name].kind == .text else { throw JSONFault(.escapedName).within(path(to: name)) }
    var other = list + 1
    while other < name {
      guard unsafe !text(of: other).elementsEqual(text(of: name)) else {
        throw JSONFault(.duplicateName).within(path(to: name))
      }
      other = nodes[other + 1].next
    }
    guard take() == UInt8(ascii: ":") else { throw JSONFault(.malformed) }
  }

  @unsafe private func text(of node: Int) -> Slice<UnsafeBufferPointer<UInt8>> {
    unsafe bytes[nodes[node].start..<nodes[node].end]
  }

  private func path(to name: Int) -> JSONPathElement {
    .name(unsafe String(decoding: UnsafeBufferPointer(rebasing: text(of: name)), as: UTF8.self))
  }

  private mutating func readString() throws(JSONFault) {
    position += 1
    let start = position
    var kind = JSONNode.Kind.text
    while position < end {
      switch unsafe bytes[position] {
      case UInt8(ascii: "\""):
        append(kind, from: start)
        return position += 1
      case UInt8(ascii: "\\"):
        guard let escape = unsafe JSONEscape(in: bytes, at: position, end) else { throw JSONFault(.malformed) }
        kind = .escapedText
        position += escape.byteCount
      case 0..<0x20: throw JSONFault(.controlCharacter)
      default: position += 1
      }
    }
    throw JSONFault(.malformed)
  }

  private mutating func readNumber() throws(JSONFault) {
    let start = position
    skip(UInt8(ascii: "-"))
    // No digit may follow a zero.
    let isZero = skip(UInt8(ascii: "0"))
    guard isZero || skipDigits() else { throw JSONFault(.malformed) }
    var kind = JSONNode.Kind.whole
    if skip(UInt8(ascii: ".")) {
      kind = .fraction
      guard skipDigits() else { throw JSONFault(.malformed) }
    }
    if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
      kind = .fraction
      if !skip(UInt8(ascii: "+")) { skip(UInt8(ascii: "-")) }
      guard skipDigits() else { throw JSONFault(.malformed) }
    }
    // One in a list goes on: the text may have been cut in it.
    guard position < end || depth == 0 else { throw JSONFault(.malformed) }
    append(kind, from: start)
  }

  @discardableResult private mutating func skip(_ byte: UInt8) -> Bool {
    guard position < end, unsafe bytes[position] == byte else { return false }
    position += 1
    return true
  }

  private mutating func skipDigits() -> Bool {
    let start = position
    while position < end, unsafe UInt8(ascii: "0")...UInt8(ascii: "9") ~= bytes[position] { position += 1 }
    return position > start
  }

  private mutating func readWord(_ word: StaticString, _ kind: JSONNode.Kind) throws(JSONFault) {
    let start = position
    for place in 0..<word.utf8CodeUnitCount {
      guard skip(unsafe word.utf8Start[place]) else { throw JSONFault(.malformed) }
    }
    append(kind, from: start)
  }

  /// Whether bytes are UTF-8 (RFC 3629, section 4), without a copy of them.
  private static func isUTF8(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var place = 0
    while place < bytes.count {
      let first = unsafe bytes[place]
      place += 1
      if first < 0x80 { continue }
      let (count, second): (Int, ClosedRange<UInt8>)
      switch first {
      case 0xC2...0xDF: (count, second) = (1, 0x80...0xBF)
      case 0xE0: (count, second) = (2, 0xA0...0xBF)
      case 0xED: (count, second) = (2, 0x80...0x9F)
      case 0xE1...0xEF: (count, second) = (2, 0x80...0xBF)
      case 0xF0: (count, second) = (3, 0x90...0xBF)
      case 0xF1...0xF3: (count, second) = (3, 0x80...0xBF)
      case 0xF4: (count, second) = (3, 0x80...0x8F)
      default: return false
      }
      guard place + count <= bytes.count, unsafe second ~= bytes[place] else { return false }
      for next in place + 1..<place + count where unsafe bytes[next] & 0xC0 != 0x80 { return false }
      place += count
    }
    return true
  }
}

/// An escape in a text.
struct JSONEscape {
  let scalar: Unicode.Scalar
  let byteCount: Int

  /// `nil` if it is not one.
  @unsafe init?(in bytes: UnsafeBufferPointer<UInt8>, at start: Int, _ end: Int) {
    guard start + 1 < end else { return nil }
    var (code, byteCount) = (unsafe UInt32(bytes[start + 1]), 2)
    switch unsafe bytes[start + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): break
    case UInt8(ascii: "b"): code = 0x08
    case UInt8(ascii: "f"): code = 0x0C
    case UInt8(ascii: "n"): code = 0x0A
    case UInt8(ascii: "r"): code = 0x0D
    case UInt8(ascii: "t"): code = 0x09
    case UInt8(ascii: "u"):
      guard let unit = unsafe Self.unit(in: bytes, at: start, end) else { return nil }
      (code, byteCount) = (unit, 6)
      if 0xD800..<0xDC00 ~= unit {
        guard let low = unsafe Self.unit(in: bytes, at: start + 6, end), 0xDC00..<0xE000 ~= low else { return nil }
        (code, byteCount) = (0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00), 12)
      }
    default: return nil
    }
    // Not the second half of a pair by itself.
    guard let scalar = Unicode.Scalar(code) else { return nil }
    (self.scalar, self.byteCount) = (scalar, byteCount)
  }

  /// The 16 bits of `\uXXXX`.
  private static func unit(in bytes: UnsafeBufferPointer<UInt8>, at start: Int, _ end: Int) -> UInt32? {
    guard start + 6 <= end, unsafe bytes[start] == UInt8(ascii: "\\"), unsafe bytes[start + 1] == UInt8(ascii: "u")
    else { return nil }
    var unit: UInt32 = 0
    for place in start + 2..<start + 6 {
      switch unsafe bytes[place] {
      case let byte where 0x30...0x39 ~= byte: unit = unit << 4 | UInt32(byte - 0x30)
      case let byte where 0x61...0x66 ~= byte | 0x20: unit = unit << 4 | UInt32((byte | 0x20) - 0x61 + 10)
      default: return nil
      }
    }
    return unit
  }

  /// Copies a text without its escapes, each of which is longer than what it stands for.
  ///
  /// - Returns: How many bytes were written.
  static func unescape(
    _ bytes: UnsafeBufferPointer<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    var (position, written) = (0, 0)
    func append(_ byte: UInt8) {
      unsafe output[written] = byte
      written += 1
    }
    while position < bytes.count {
      let byte = unsafe bytes[position]
      if byte == UInt8(ascii: "\\"), let escape = unsafe JSONEscape(in: bytes, at: position, bytes.count) {
        position += escape.byteCount
        for byte in escape.scalar.utf8 { append(byte) }
      } else {
        position += 1
        append(byte)
      }
    }
    return written
  }
}
