import StrictJSON

/// Reads an object's fields, and records which: at the end, fields that were not read are refused.
///
/// So the fields of a kind of object are listed only once, by the code that reads them.
struct Fields {
  private let container: KeyedDecodingContainer<FieldName>
  private var namesRead: Set<String> = []

  /// Reads an object with `body`, then refuses the fields that it has not read.
  static func read<Value>(
    _ container: KeyedDecodingContainer<FieldName>, _ body: (inout Fields) throws(LocatedError) -> Value
  ) throws(LocatedError) -> Value {
    var fields = Fields(container)
    let value = try body(&fields)
    let unread = container.allKeys.map(\.stringValue).filter { !fields.namesRead.contains($0) }
    if let name = unread.min() { throw fields.fault(FieldName(stringValue: name), "not a field that belongs here") }
    return value
  }

  private init(_ container: KeyedDecodingContainer<FieldName>) { self.container = container }

  /// A fault in a field, or in the object as a whole.
  func fault(_ name: FieldName?, _ what: String) -> LocatedError {
    LocatedError(what, at: Place(codingPath: container.codingPath + (name.map { [$0] } ?? [])))
  }

  /// Whether the object has no fields.
  var isEmpty: Bool { container.allKeys.isEmpty }

  /// Whether there is a field with this name.
  func has(_ name: FieldName) -> Bool { container.contains(name) }

  /// A required field of a given type.
  ///
  /// - Parameter article: The name of the type in a fault's text, with its article.
  mutating func value<Value: Decodable>(
    _ name: FieldName, as type: Value.Type, called article: String
  ) throws(LocatedError) -> Value {
    try note(name)
    do { return try container.decode(type, forKey: name) } catch { throw fault(name, "not \(article)") }
  }

  /// Whether a required field is null.
  mutating func isNull(_ name: FieldName) throws(LocatedError) -> Bool {
    try note(name)
    return (try? container.decodeNil(forKey: name)) == true
  }

  /// A field that is an object.
  mutating func object<Value>(
    _ name: FieldName, _ body: (inout Fields) throws(LocatedError) -> Value
  ) throws(LocatedError) -> Value {
    try note(name)
    guard let object = try? container.nestedContainer(keyedBy: FieldName.self, forKey: name) else {
      throw fault(name, "not an object")
    }
    return try Fields.read(object, body)
  }

  /// A field that is a list of one or more objects.
  mutating func list<Element>(
    _ name: FieldName, _ body: (inout Fields) throws(LocatedError) -> Element
  ) throws(LocatedError) -> [Element] {
    try note(name)
    guard var list = try? container.nestedUnkeyedContainer(forKey: name) else { throw fault(name, "not a list") }
    guard !list.isAtEnd else { throw fault(name, "empty") }
    var elements: [Element] = []
    while !list.isAtEnd {
      let place = list.currentIndex
      guard let object = try? list.nestedContainer(keyedBy: FieldName.self) else {
        throw LocatedError("not an object", at: Place(codingPath: list.codingPath, index: place))
      }
      elements.append(try Fields.read(object, body))
    }
    return elements
  }

  private mutating func note(_ name: FieldName) throws(LocatedError) {
    guard container.contains(name) else { throw fault(name, "missing") }
    namesRead.insert(name.stringValue)
  }
}
