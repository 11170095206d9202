/// The fields of a JSON object, which are read from a line in place: the escapes of texts are replaced in the line's
/// memory, so that there is no other copy of a secret. Other texts are copied when they are taken.
struct RequestFields {
  /// A text in the line.
  @safe struct Text {
    let utf8: UnsafeBufferPointer<UInt8>
  }

  enum Value {
    /// A number has the digits of its whole value, if it is whole.
    case null, flag(Bool), number(String?), text(Text), list([Value]), object(RequestFields)

    var flag: Bool? { if case .flag(let flag) = self { flag } else { nil } }
    var text: Text? { if case .text(let text) = self { text } else { nil } }
    var object: RequestFields? { if case .object(let object) = self { object } else { nil } }
    var string: String? { text.flatMap { unsafe String(validating: $0.utf8, as: UTF8.self) } }
    var id: RequestID? { ((whole() as Int64?)?.json ?? string?.json).map(RequestID.init) }
    /// A number, or its digits, since JSON's numbers are not exact beyond 2^53.
    var movingFactor: UInt64? { whole() ?? string.flatMap { UInt64($0) } }

    var strings: [String]? {
      guard case .list(let values) = self else { return nil }
      let strings = values.compactMap(\.string)
      return strings.count == values.count ? strings : nil
    }

    func word<Word: RawRepresentable<String>>() -> Word? { string.flatMap { Word(rawValue: $0) } }

    func whole<Whole: FixedWidthInteger>() -> Whole? {
      if case .number(let digits?) = self { Whole(digits) } else { nil }
    }
  }

  /// Those that were not taken.
  fileprivate var values: [String: Value] = [:]
  private let place: String

  fileprivate init(in place: String) { self.place = place }

  /// Reads an object. What was read before a fault is there, too.
  @unsafe init(_ line: UnsafeMutableBufferPointer<UInt8>, fault: inout RequestError?) {
    self.init(in: "")
    var reader = unsafe Reader(line: line)
    do throws(RequestError) {
      guard reader.next() == UInt8(ascii: "{") else { throw .malformed }
      try reader.readFields(into: &self)
      guard reader.next() == nil else { throw .malformed }
      fault = reader.fault
    } catch {
      fault = error
    }
  }

  /// What names the request.
  var id: RequestID? { values["id"]?.id }

  /// A field's value, which is not there afterward; `nil` if it is absent or null.
  mutating func take<T>(_ name: String, _ read: (Value) -> T?) throws(RequestError) -> T? {
    guard let value = values.removeValue(forKey: name) else { return nil }
    if case .null = value { return nil }
    guard let result = read(value) else { throw RequestError("invalidValue", in: place + name) }
    return result
  }

  /// Throws if there are others than those that were taken: a name that is misspelled would be left out.
  func finish() throws(RequestError) {
    guard !values.isEmpty else { return }
    throw RequestError("unknownField", in: place.isEmpty ? nil : String(place.dropLast()))
  }
}

/// Reads JSON (RFC 8259).
@safe private struct Reader {
  let line: UnsafeMutableBufferPointer<UInt8>
  var position = 0
  /// How many objects and arrays are open; those below the sixteenth are read over.
  var depth = 0
  /// Why JSON is refused. It is read to the end, since its `id` may follow.
  var fault: RequestError?

  /// The next byte that is not white space.
  mutating func next() -> UInt8? {
    while let byte = take() {
      if !" \t\r\n".utf8.contains(byte) { return byte }
    }
    return nil
  }

  private mutating func take() -> UInt8? {
    guard unsafe position < line.count else { return nil }
    position += 1
    return unsafe line[position - 1]
  }

  /// Reads an object after its brace.
  mutating func readFields(into fields: inout RequestFields) throws(RequestError) {
    try readList(to: UInt8(ascii: "}")) { (reader, byte) throws(RequestError) in
      guard byte == UInt8(ascii: "\""), let name = try RequestFields.Value.text(reader.text()).string,
        reader.next() == UInt8(ascii: ":"), let first = reader.next()
      else { throw .malformed }
      let value = try reader.value(first, in: name)
      guard fields.values[name] == nil else { return reader.fault = reader.fault ?? RequestError("duplicateField") }
      fields.values[name] = value
    }
  }

  private mutating func readList(
    to end: UInt8, _ readItem: (inout Reader, _ first: UInt8) throws(RequestError) -> Void
  ) throws(RequestError) {
    depth += 1
    defer { depth -= 1 }
    if depth > 16 { return try skipList() }
    guard var byte = next() else { throw .malformed }
    while byte != end {
      try readItem(&self, byte)
      guard let separator = next() else { throw .malformed }
      if separator == end { break }
      guard separator == UInt8(ascii: ","), let following = next(), following != end else { throw .malformed }
      byte = following
    }
  }

  private mutating func skipList() throws(RequestError) {
    fault = fault ?? .malformed
    var open = 1
    while open > 0 {
      guard let byte = next() else { throw .malformed }
      if byte == UInt8(ascii: "\"") { _ = try text() }
      open += "[{".utf8.contains(byte) ? 1 : "]}".utf8.contains(byte) ? -1 : 0
    }
  }

  private mutating func value(_ first: UInt8, in name: String) throws(RequestError) -> RequestFields.Value {
    switch first {
    case UInt8(ascii: "{"):
      var fields = RequestFields(in: name + ".")
      try readFields(into: &fields)
      return .object(fields)
    case UInt8(ascii: "["):
      var values: [RequestFields.Value] = []
      try readList(to: UInt8(ascii: "]")) { (reader, byte) throws(RequestError) in
        values.append(try reader.value(byte, in: name))
      }
      return .list(values)
    case UInt8(ascii: "\""): return .text(try text())
    default: return try literal()
    }
  }

  /// Reads a number or a word.
  private mutating func literal() throws(RequestError) -> RequestFields.Value {
    let start = position - 1
    while unsafe position < line.count && !" \t\r\n,]}".utf8.contains(line[position]) { position += 1 }
    let text = unsafe String(decoding: line[start..<position], as: UTF8.self)
    switch text {
    case "null": return .null
    case "true": return .flag(true)
    case "false": return .flag(false)
    default: return .number(try digits(of: text))
    }
  }

  /// Reads a number; returns the digits of its whole value, after zeros, or `nil` if it is not whole.
  private func digits(of text: String) throws(RequestError) -> String? {
    let powers = text.split(maxSplits: 1, omittingEmptySubsequences: false) { "eE".contains($0) }
    let parts = powers[0].split(separator: ".", omittingEmptySubsequences: false)
    var (whole, exponent) = (parts[0], powers.count == 1 ? "0" : powers[1])
    let (fraction, power) = (parts.count == 1 ? "0" : parts[1], Double(exponent) ?? 0)
    if whole.first == "-" { whole.removeFirst() }
    if "+-".contains(exponent.first ?? "0") { exponent.removeFirst() }
    guard parts.count <= 2, whole == "0" || whole.first != "0",
      [whole, fraction, exponent].allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } })
    else { throw .malformed }
    // With twenty zeros more, it is beyond every integer; a line has room for fewer digits than the other limit.
    let shift = Int(max(-1e5, min(20, power - Double(fraction.count))))
    let digits = whole + fraction + String(repeating: "0", count: max(0, shift))
    guard digits.suffix(max(0, -shift)).allSatisfy({ $0 == "0" }) else { return nil }
    return (text.first == "-" ? "-0" : "0") + digits.dropLast(max(0, -shift))
  }

  /// Reads a text after its quotation mark, and replaces its escapes.
  private mutating func text() throws(RequestError) -> RequestFields.Text {
    let start = position
    var end = start
    while let byte = take(), byte >= 0x20 {
      if byte == UInt8(ascii: "\"") { return unsafe .init(utf8: UnsafeBufferPointer(rebasing: line[start..<end])) }
      guard byte == UInt8(ascii: "\\") else {
        unsafe line[end] = byte
        end += 1
        continue
      }
      // An escape is longer than what it stands for.
      for byte in String(try escaped()).utf8 {
        unsafe line[end] = byte
        end += 1
      }
    }
    throw .malformed
  }

  private static let escapes: [UInt8: Unicode.Scalar] = [
    0x22: "\"", 0x5C: "\\", 0x2F: "/", 0x62: "\u{8}", 0x66: "\u{C}", 0x6E: "\n", 0x72: "\r", 0x74: "\t",
  ]

  /// Reads an escape after its backslash.
  private mutating func escaped() throws(RequestError) -> Unicode.Scalar {
    guard let letter = take() else { throw .malformed }
    if let scalar = Self.escapes[letter] { return scalar }
    var value = try unit(after: letter)
    if 0xD800..<0xDC00 ~= value, take() == UInt8(ascii: "\\"), let letter = take() {
      let low = try unit(after: letter)
      value = 0xDC00..<0xE000 ~= low ? 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00) : value
    }
    guard let scalar = Unicode.Scalar(value) else { throw .malformed }
    return scalar
  }

  /// Reads the four hexadecimal digits of an escape.
  private mutating func unit(after letter: UInt8) throws(RequestError) -> UInt32 {
    guard letter == UInt8(ascii: "u") else { throw .malformed }
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = take(), let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { throw .malformed }
      value = value << 4 | UInt32(digit)
    }
    return value
  }
}
