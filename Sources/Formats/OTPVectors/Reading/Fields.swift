import Keyring

/// Reads an object's fields, and records which: at the end, fields that were not read are refused.
///
/// So the fields of a kind of object are listed only once, by the code that reads them.
struct Fields {
  private let object: JSONValue
  private let path: [JSONPathElement]
  private var namesRead: Set<String> = []

  /// Reads an object with `body`, then refuses the fields that it has not read.
  static func read<Value>(
    _ object: JSONValue, at path: [JSONPathElement], _ body: (inout Fields) throws(LocatedError) -> Value
  ) throws(LocatedError) -> Value {
    guard let all = object.fields else {
      throw LocatedError(path.isEmpty ? "not a JSON object" : "not an object", at: Place(path))
    }
    var fields = Fields(object, at: path)
    let value = try body(&fields)
    let unread = all.map(\.name).filter { !fields.namesRead.contains($0) }
    if let name = unread.min() { throw fields.fault(name, "not a field that belongs here") }
    return value
  }

  private init(_ object: JSONValue, at path: [JSONPathElement]) { (self.object, self.path) = (object, path) }

  /// A fault in a field, or in the object as a whole.
  func fault(_ name: String?, _ what: String) -> LocatedError {
    LocatedError(what, at: Place(path + (name.map { [.name($0)] } ?? [])))
  }

  /// Whether the object has no fields.
  var isEmpty: Bool { object.count == 0 }

  /// Whether there is a field with this name.
  func has(_ name: String) -> Bool { object[name] != nil }

  /// A required field of a given type.
  ///
  /// - Parameters:
  ///   - article: The name of the type in a fault's text, with its article.
  ///   - read: The value, if it is of that type.
  mutating func value<Value>(
    _ name: String, called article: String, _ read: (JSONValue) -> Value?
  ) throws(LocatedError) -> Value {
    guard let value = read(try field(name)) else { throw fault(name, "not \(article)") }
    return value
  }

  /// Whether a required field is null.
  mutating func isNull(_ name: String) throws(LocatedError) -> Bool { try field(name).isNull }

  /// A field that is an object.
  mutating func object<Value>(
    _ name: String, _ body: (inout Fields) throws(LocatedError) -> Value
  ) throws(LocatedError) -> Value {
    try Fields.read(try field(name), at: path + [.name(name)], body)
  }

  /// A field that is a list of one or more objects.
  mutating func list<Element>(
    _ name: String, _ body: (inout Fields) throws(LocatedError) -> Element
  ) throws(LocatedError) -> [Element] {
    guard let list = try field(name).elements else { throw fault(name, "not a list") }
    guard !list.isEmpty else { throw fault(name, "empty") }
    var elements: [Element] = []
    for (index, value) in list.enumerated() {
      elements.append(try Fields.read(value, at: path + [.name(name), .index(index)], body))
    }
    return elements
  }

  private mutating func field(_ name: String) throws(LocatedError) -> JSONValue {
    guard let value = object[name] else { throw fault(name, "missing") }
    namesRead.insert(name)
    return value
  }
}

extension JSONValue {
  /// An array's elements, if all are texts.
  var strings: [String]? {
    guard let elements else { return nil }
    let strings = elements.compactMap(\.string)
    return strings.count == elements.count ? strings : nil
  }
}
