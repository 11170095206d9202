import StrictJSON

/// Reads an object's fields, and remembers which: what nobody has asked for when all is read is refused.
///
/// So the fields that a kind of object has are listed once only, by the code that reads them.
struct Fields {
  private let container: KeyedDecodingContainer<FieldName>
  /// The format of the file, by which some fields are read.
  var format: Format
  private var namesRead: Set<String> = []

  /// Reads an object with `body`, then refuses the fields that it has left.
  static func read<Value>(
    _ container: KeyedDecodingContainer<FieldName>, format: Format, _ body: (inout Fields) throws(Fault) -> Value
  ) throws(Fault) -> Value {
    var fields = Fields(container, format: format)
    let value = try body(&fields)
    let unread = container.allKeys.map(\.stringValue).filter { !fields.namesRead.contains($0) }
    if let name = unread.min() { throw fields.fault(FieldName(stringValue: name), "not a field that belongs here") }
    return value
  }

  private init(_ container: KeyedDecodingContainer<FieldName>, format: Format) {
    self.container = container
    self.format = format
  }

  /// A fault of a field, or of the object as a whole.
  func fault(_ name: FieldName?, _ what: String) -> Fault {
    Fault(what, at: Place(codingPath: container.codingPath + (name.map { [$0] } ?? [])))
  }

  /// Whether the object has no fields.
  var isEmpty: Bool { container.allKeys.isEmpty }

  /// Whether there is a field of this name.
  func has(_ name: FieldName) -> Bool { container.contains(name) }

  /// A field that must be there and be of a type.
  ///
  /// - Parameter article: What the type is called in a fault's text.
  mutating func value<Value: Decodable>(
    _ name: FieldName, as type: Value.Type, called article: String
  ) throws(Fault) -> Value {
    try note(name)
    do { return try container.decode(type, forKey: name) } catch { throw fault(name, "not \(article)") }
  }

  /// A field that must be there and may be null, for which this gives `nil`.
  mutating func nullable<Value>(
    _ name: FieldName, _ read: (inout Fields) throws(Fault) -> Value
  ) throws(Fault) -> Value? {
    try note(name)
    if (try? container.decodeNil(forKey: name)) == true { return nil }
    return try read(&self)
  }

  /// A field that need not be there.
  mutating func optional<Value>(
    _ name: FieldName, _ read: (inout Fields) throws(Fault) -> Value
  ) throws(Fault) -> Value? {
    has(name) ? try read(&self) : nil
  }

  /// A field that is an object of its own.
  mutating func object<Value>(
    _ name: FieldName, _ body: (inout Fields) throws(Fault) -> Value
  ) throws(Fault) -> Value {
    try note(name)
    guard let object = try? container.nestedContainer(keyedBy: FieldName.self, forKey: name) else {
      throw fault(name, "not an object")
    }
    return try Fields.read(object, format: format, body)
  }

  /// A field that is a list of one object or more.
  mutating func list<Element>(
    _ name: FieldName, _ body: (inout Fields) throws(Fault) -> Element
  ) throws(Fault) -> [Element] {
    try note(name)
    guard var list = try? container.nestedUnkeyedContainer(forKey: name) else { throw fault(name, "not a list") }
    guard !list.isAtEnd else { throw fault(name, "empty") }
    var elements: [Element] = []
    while !list.isAtEnd {
      let place = list.currentIndex
      guard let object = try? list.nestedContainer(keyedBy: FieldName.self) else {
        throw Fault("not an object", at: Place(codingPath: list.codingPath, index: place))
      }
      elements.append(try Fields.read(object, format: format, body))
    }
    return elements
  }

  private mutating func note(_ name: FieldName) throws(Fault) {
    guard container.contains(name) else { throw fault(name, "missing") }
    namesRead.insert(name.stringValue)
  }
}
