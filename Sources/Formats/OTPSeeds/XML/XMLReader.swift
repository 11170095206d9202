import OTP

/// Reads the subset of XML that key containers need: elements, attributes, text, CDATA sections, comments, character
/// references, and XML's five predefined entities. A document type declaration is refused, and so are all other
/// entities; nothing is ever fetched. The encoding is UTF-8.
///
/// The reader holds one start tag or one element's text at a time. Their sizes are limited.
///
/// Source: Extensible Markup Language 1.0 (Fifth Edition); Namespaces in XML 1.0.
struct XMLReader {
  static let maximumNameByteCount = 256
  static let maximumAttributeCount = 32
  static let maximumDepth = 32

  let source: SeedSource
  /// The text of the element read last.
  let text = WipedText()
  /// The names of the open elements, as written in the file.
  private var open: [String] = []
  private var scopes = XMLNamespaces()
  /// Whether the last start tag was that of an empty element (`<a/>`), which is still to be closed.
  private var isEmpty = false

  init(_ source: SeedSource) { self.source = source }

  var line: Int { source.line }

  func refusal(_ field: SeedRefusal.Field = .record, _ reason: SeedRefusal.Reason = .malformed) -> SeedRefusal {
    SeedRefusal(line: line, field, reason)
  }

  /// Opens the root element.
  mutating func root() throws(SeedRefusal) -> XMLElement {
    try source.skipByteOrderMark()
    if let element = try readMarkup(inText: false) { return element }
    throw refusal()
  }

  /// Opens the next child of the open element, skipping text before it. At the end of the open element, closes that and
  /// returns `nil`.
  mutating func child() throws(SeedRefusal) -> XMLElement? {
    if close() { return nil }
    return try readMarkup(inText: false)
  }

  /// Reads the text of the open element, which must have no child elements, and closes it.
  mutating func readText() throws(SeedRefusal) {
    text.removeAll()
    if close() { return }
    guard try readMarkup(inText: true) == nil else { throw refusal() }
  }

  /// Skips the content of the open element, and closes it.
  mutating func skip() throws(SeedRefusal) {
    let depth = open.count
    while open.count >= depth { _ = try child() }
  }

  /// Reads to the end of the file. Only comments, processing instructions and white space may follow the root element.
  mutating func end() throws(SeedRefusal) {
    _ = try readMarkup(inText: false, atEnd: true)
  }

  /// Closes the open element if its start tag was that of an empty element.
  private mutating func close() -> Bool {
    guard isEmpty else { return false }
    isEmpty = false
    open.removeLast()
    scopes.leave()
    return true
  }

  /// Reads to the next start tag, which it returns, or the next end tag, for which it returns `nil`.
  private mutating func readMarkup(inText: Bool, atEnd: Bool = false) throws(SeedRefusal) -> XMLElement? {
    while let byte = try source.next() {
      guard byte == 0x3C else {
        if inText {
          try append(byte == 0x26 ? try entity() : [byte])
        } else if open.isEmpty, !byte.isWhiteSpace {
          throw refusal()
        }
        continue
      }
      switch try source.peek() {
      case 0x3F:
        try skipInstruction()
      case 0x21:
        _ = try source.next()
        try readDeclaration(inText: inText)
      case 0x2F:
        _ = try source.next()
        let name = try name()
        try skipSpace()
        guard try source.next() == 0x3E, let last = open.popLast(), last.hasBytes(of: name) else { throw refusal() }
        scopes.leave()
        return nil
      default:
        guard !inText, !atEnd else { throw refusal() }
        return try start()
      }
    }
    guard atEnd else { throw refusal() }
    return nil
  }

  private mutating func start() throws(SeedRefusal) -> XMLElement {
    let line = line
    let name = try name()
    guard open.count < Self.maximumDepth else { throw refusal(.record, .tooLong) }
    var attributes: [(name: String, value: String)] = []
    while true {
      let hasSpace = try skipSpace()
      let byte = try source.peek()
      if byte == 0x3E || byte == 0x2F { break }
      guard hasSpace else { throw refusal() }
      guard attributes.count < Self.maximumAttributeCount else { throw refusal(.record, .tooLong) }
      let attribute = try self.name()
      guard !attributes.contains(where: { $0.name.hasBytes(of: attribute) }) else { throw refusal(.record, .duplicate) }
      try skipSpace()
      guard try source.next() == 0x3D else { throw refusal() }
      try skipSpace()
      attributes.append((attribute, try attributeValue()))
    }
    isEmpty = try source.next() == 0x2F
    if isEmpty, try source.next() != 0x3E { throw refusal() }
    open.append(name)
    scopes.enter(attributes)
    guard let resolved = scopes.resolve(name) else { throw refusal() }
    return XMLElement(space: resolved.space, name: resolved.name, line: line, attributes: attributes)
  }

  private mutating func name() throws(SeedRefusal) -> String {
    var bytes: [UInt8] = []
    while let byte = try source.peek(), byte.isNameByte {
      guard bytes.count < Self.maximumNameByteCount else { throw refusal(.record, .tooLong) }
      bytes.append(byte)
      _ = try source.next()
    }
    guard let first = bytes.first, !first.isDigit, first != 0x2D, first != 0x2E,
      let name = String(validUTF8: bytes.span)
    else { throw refusal() }
    return name
  }

  private func attributeValue() throws(SeedRefusal) -> String {
    guard let quote = try source.next(), quote == 0x22 || quote == 0x27 else { throw refusal() }
    var bytes: [UInt8] = []
    while let byte = try source.next(), byte != quote {
      guard byte != 0x3C else { throw refusal() }
      bytes += byte == 0x26 ? try entity() : [byte]
      guard bytes.count <= 4096 else { throw refusal(.record, .tooLong) }
    }
    guard let value = String(validUTF8: bytes.span) else { throw refusal() }
    return value
  }

  /// Reads a reference after its `&`, and returns the bytes that it stands for.
  private func entity() throws(SeedRefusal) -> [UInt8] {
    var name: [UInt8] = []
    while let byte = try source.next(), byte != 0x3B {
      guard name.count < 10 else { throw refusal(.record, .unsupported) }
      name.append(byte)
    }
    switch String(decoding: name, as: UTF8.self) {
    case "lt": return [0x3C]
    case "gt": return [0x3E]
    case "amp": return [0x26]
    case "quot": return [0x22]
    case "apos": return [0x27]
    case let text where text.hasPrefix("#"):
      let isHexadecimal = text.hasPrefix("#x")
      let digits = text.dropFirst(isHexadecimal ? 2 : 1)
      // Swift accepts a plus sign, but XML does not.
      guard digits.first != "+", let value = UInt32(digits, radix: isHexadecimal ? 16 : 10), value >= 9,
        let scalar = Unicode.Scalar(value)
      else { throw refusal() }
      return Array(String(Character(scalar)).utf8)
    default: throw refusal(.record, .unsupported)
    }
  }

  private func append(_ bytes: [UInt8]) throws(SeedRefusal) {
    for byte in bytes { try text.append(byte, line: line) }
  }

  @discardableResult private func skipSpace() throws(SeedRefusal) -> Bool {
    var hasSpace = false
    while let byte = try source.peek(), byte.isWhiteSpace {
      _ = try source.next()
      hasSpace = true
    }
    return hasSpace
  }
}

extension XMLReader {
  /// Skips a comment, or adds a CDATA section to the text. Anything else is part of a document type declaration.
  private mutating func readDeclaration(inText: Bool) throws(SeedRefusal) {
    if try source.peek() == 0x5B {
      try expect("[CDATA[")
      guard !open.isEmpty else { throw refusal() }
      return try read(to: "]]>", adding: inText)
    }
    guard try source.peek() == 0x2D else { throw refusal(.documentType, .unsupported) }
    try expect("--")
    try read(to: "-->", adding: false)
  }

  /// Skips a processing instruction, or the XML declaration, which may name the file's encoding.
  private mutating func skipInstruction() throws(SeedRefusal) {
    var first: [UInt8] = []
    var last: UInt8 = 0
    while let byte = try source.next() {
      if last == 0x3F, byte == 0x3E, first.count > 1 {
        let text = String(decoding: first, as: UTF8.self).lowercased()
        if text.hasPrefix("?xml"), first.dropFirst(4).first?.isWhiteSpace == true, text.contains("encoding"),
          !text.contains("utf-8"), !text.contains("us-ascii")
        {
          throw refusal(.encoding, .unsupported)
        }
        return
      }
      last = byte
      if first.count < Self.maximumNameByteCount { first.append(byte) }
    }
    throw refusal()
  }

  private func expect(_ text: StaticString) throws(SeedRefusal) {
    for index in 0..<text.utf8CodeUnitCount {
      let expected = unsafe text.utf8Start[index]
      guard try source.next() == expected else { throw refusal() }
    }
  }

  /// Reads to an end mark of two equal bytes and a third one.
  private mutating func read(to end: StaticString, adding: Bool) throws(SeedRefusal) {
    let (mark, close) = unsafe (end.utf8Start[0], end.utf8Start[2])
    // The last two bytes, which are added only once it is known that they are not part of the mark.
    var (first, second): (UInt8?, UInt8?)
    while let byte = try source.next() {
      if byte == close, first == mark, second == mark { return }
      if adding, let first { try append([first]) }
      (first, second) = (second, byte)
    }
    throw refusal()
  }
}

extension UInt8 {
  /// Whether a byte may be part of a name. Every byte beyond ASCII may: whether it is part of a letter does not matter
  /// here.
  fileprivate var isNameByte: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x3A, 0x5F, 0x80...: true
    default: false
    }
  }
}
