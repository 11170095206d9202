import StrictJSON

/// The fields of one object of a configuration, whose names are known beforehand.
struct ConfigurationFields {
  private let container: KeyedDecodingContainer<FieldName>

  /// The outermost object.
  init(_ decoder: any Decoder, allowing names: Set<FieldName>) throws(ConfigurationError) {
    guard let container = try? decoder.container(keyedBy: FieldName.self) else {
      throw ConfigurationError(.malformed, at: decoder.codingPath.map(JSONStep.init))
    }
    try self.init(container, allowing: names)
  }

  private init(
    _ container: KeyedDecodingContainer<FieldName>, allowing names: Set<FieldName>
  ) throws(ConfigurationError) {
    self.container = container
    // The first by name, so that the error is the same every time.
    let unknown = container.allKeys.filter { !names.contains($0) }.min { $0.stringValue < $1.stringValue }
    if let unknown { throw error(.unknownKey, unknown) }
  }

  /// An error of a field, of an element of it, or of the object as a whole.
  func error(_ kind: ConfigurationError.Kind, _ name: FieldName? = nil, at index: Int? = nil) -> ConfigurationError {
    var path = container.codingPath.map(JSONStep.init)
    if let name { path.append(.name(name.stringValue)) }
    if let index { path.append(.index(index)) }
    return ConfigurationError(kind, at: path)
  }

  /// Whether there is a field of this name.
  func has(_ name: FieldName) -> Bool { container.contains(name) }

  /// A word of a fixed list.
  func word<Word: RawRepresentable<String>>(
    _ name: FieldName, as type: Word.Type
  ) throws(ConfigurationError) -> Word {
    guard let word = try word(name, as: type, isRequired: true) else { throw error(.missingKey, name) }
    return word
  }

  /// A word of a fixed list, or `nil` where it is not required and not there.
  func word<Word: RawRepresentable<String>>(
    _ name: FieldName, as type: Word.Type, isRequired: Bool
  ) throws(ConfigurationError) -> Word? {
    guard isRequired || has(name) else { return nil }
    guard let word = Word(rawValue: try value(name)) else { throw error(.outOfRange, name) }
    return word
  }

  /// A whole number of a range, or the default where it is not there.
  func number(
    _ name: FieldName, in range: ClosedRange<Int>, default standard: Int
  ) throws(ConfigurationError) -> Int {
    guard has(name) else { return standard }
    let number: Int = try value(name)
    guard range.contains(number) else { throw error(.outOfRange, name) }
    return number
  }

  /// A list of texts; an empty one where it is not there.
  func texts(_ name: FieldName) throws(ConfigurationError) -> [String] { has(name) ? try value(name) : [] }

  /// An object of its own.
  func object(_ name: FieldName, allowing names: Set<FieldName>) throws(ConfigurationError) -> ConfigurationFields {
    guard has(name) else { throw error(.missingKey, name) }
    guard let object = try? container.nestedContainer(keyedBy: FieldName.self, forKey: name) else {
      throw error(.malformed, name)
    }
    return try ConfigurationFields(object, allowing: names)
  }

  /// A list of objects; an empty one where it is not there.
  func objects(
    _ name: FieldName, allowing names: Set<FieldName>
  ) throws(ConfigurationError) -> [ConfigurationFields] {
    guard has(name) else { return [] }
    guard var list = try? container.nestedUnkeyedContainer(forKey: name) else { throw error(.malformed, name) }
    var objects: [ConfigurationFields] = []
    while !list.isAtEnd {
      let index = list.currentIndex
      guard let object = try? list.nestedContainer(keyedBy: FieldName.self) else {
        throw error(.malformed, name, at: index)
      }
      objects.append(try ConfigurationFields(object, allowing: names))
    }
    return objects
  }

  /// An object whose names are data: an error names the object and none of them.
  func map(_ name: FieldName, limit: Int) throws(ConfigurationError) -> [String: String] {
    let map: [String: String] = try value(name)
    guard map.count <= limit else { throw error(.outOfRange, name) }
    return map
  }

  private func value<Value: Decodable>(_ name: FieldName) throws(ConfigurationError) -> Value {
    guard has(name) else { throw error(.missingKey, name) }
    do { return try container.decode(Value.self, forKey: name) } catch { throw self.error(.malformed, name) }
  }
}

extension ConfigurationError {
  /// An error at a place of a JSON text. The path ends before a name that is data and not a name: that is no field's,
  /// and can be anything, a phone number for one.
  init(_ kind: Kind, at path: [JSONStep]) {
    var part = ""
    steps: for step in path {
      switch step {
      case .index(let index): part += "[\(index)]"
      case .name(let name):
        guard ConfigurationError.looksLikeName(name) else { break steps }
        part += part.isEmpty ? name : ".\(name)"
      }
    }
    self.init(kind, part.isEmpty ? "configuration" : part)
  }

  /// Whether a text looks like a field's name: a few ASCII letters.
  private static func looksLikeName(_ text: String) -> Bool {
    text.utf8.count <= 40 && !text.isEmpty && text.utf8.allSatisfy { (0x61...0x7A).contains($0 | 0x20) }
  }
}
