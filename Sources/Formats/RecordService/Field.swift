/// A field of an answer.
struct Field {
  private enum Value {
    case none, text(String), ascii([UInt8]), number(Int64), flag(Bool), texts([String]), numbers([Int])
  }

  private let name: StaticString
  private let value: Value

  private init(_ name: StaticString, is value: Value?) { (self.name, self.value) = (name, value ?? .none) }

  // A value that is `nil` is left out.
  init(_ name: StaticString, _ value: String?) { self.init(name, is: value.map(Value.text)) }
  init(_ name: StaticString, _ value: Int64?) { self.init(name, is: value.map(Value.number)) }
  init(_ name: StaticString, _ value: Int?) { self.init(name, value.map(Int64.init)) }
  init(_ name: StaticString, _ value: Bool?) { self.init(name, is: value.map(Value.flag)) }
  init(_ name: StaticString, _ value: [String]?) { self.init(name, is: value.map(Value.texts)) }
  init(_ name: StaticString, _ value: [Int]?) { self.init(name, is: value.map(Value.numbers)) }
  /// - Parameter text: A text without quotation marks, backslashes and control characters.
  init(_ name: StaticString, ascii text: [UInt8]) { self.init(name, is: .ascii(text)) }

  init(_ name: StaticString, _ id: RequestID?) {
    switch id {
    case .number(let number): self.init(name, number)
    case .text(let text): self.init(name, text)
    case nil: self.init(name, is: nil)
    }
  }

  /// Writes it, after a comma unless it is the first of the object.
  fileprivate func append(to json: inout [UInt8]) {
    if case .none = value { return }
    if json.count > 1 { json.append(UInt8(ascii: ",")) }
    json.append(UInt8(ascii: "\""))
    name.withUTF8Buffer { unsafe json.append(contentsOf: $0) }
    json += [UInt8(ascii: "\""), UInt8(ascii: ":")]
    switch value {
    case .none: break
    case .text(let text): Self.append(text, to: &json)
    case .ascii(let text):
      json.append(UInt8(ascii: "\""))
      json += text
      json.append(UInt8(ascii: "\""))
    case .number(let number): json.append(contentsOf: String(number).utf8)
    case .flag(let flag): json.append(contentsOf: (flag ? "true" : "false").utf8)
    case .texts(let texts): Self.append(texts, to: &json) { Self.append($0, to: &$1) }
    case .numbers(let numbers): Self.append(numbers, to: &json) { $1.append(contentsOf: String($0).utf8) }
    }
  }

  private static func append<Element>(
    _ list: [Element], to json: inout [UInt8], _ append: (Element, inout [UInt8]) -> Void
  ) {
    json.append(UInt8(ascii: "["))
    for (index, element) in list.enumerated() {
      if index > 0 { json.append(UInt8(ascii: ",")) }
      append(element, &json)
    }
    json.append(UInt8(ascii: "]"))
  }

  private static func append(_ text: String, to json: inout [UInt8]) {
    json.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): json += [UInt8(ascii: "\\"), byte]
      case 0..<0x20, 0x7F: json.append(contentsOf: "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8)
      default: json.append(byte)
      }
    }
    json.append(UInt8(ascii: "\""))
  }
}

extension [Field] {
  /// A JSON object, in a line.
  var json: [UInt8] {
    var json = [UInt8(ascii: "{")]
    json.reserveCapacity(1024)
    for field in self { field.append(to: &json) }
    json += [UInt8(ascii: "}"), UInt8(ascii: "\n")]
    return json
  }
}
