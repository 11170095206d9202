import Keyring
import MultiFactor

/// A value in a configuration's JSON, with its path.
struct ConfigurationValue {
  private let value: JSONValue
  private let path: [JSONPathElement]

  init(_ value: JSONValue, at path: [JSONPathElement] = []) { (self.value, self.path) = (value, path) }

  /// An error about the value, or about one of its fields.
  func error(_ kind: ConfigurationError.Kind, _ name: String? = nil) -> ConfigurationError {
    ConfigurationError(kind, Self.text(of: path(to: name)))
  }

  /// An object's fields.
  func fields() throws(ConfigurationError) -> [String: ConfigurationValue] {
    guard let fields = value.fields else { throw error(.malformed) }
    let values = fields.map { ($0.name, Self($0.value, at: path + [.name($0.name)])) }
    return Dictionary(values) { first, _ in first }
  }

  /// An object's fields, which may have only these names.
  func fields(only names: Set<String>) throws(ConfigurationError) -> [String: ConfigurationValue] {
    let fields = try fields()
    // Report the first by name, so that the error is deterministic.
    if let unknown = fields.keys.filter({ !names.contains($0) }).min() { throw error(.unknownKey, unknown) }
    return fields
  }

  /// The paths of an object's fields with names other than these, in order.
  func others(than names: Set<String>) throws(ConfigurationError) -> [String] {
    try fields().keys.filter { !names.contains($0) }.sorted().map { Self.text(of: path(to: $0)) }
  }

  func list() throws(ConfigurationError) -> [ConfigurationValue] {
    guard let elements = value.elements else { throw error(.malformed) }
    return elements.enumerated().map { Self($1, at: path + [.index($0)]) }
  }

  func text() throws(ConfigurationError) -> String {
    guard let text = value.string else { throw error(.malformed) }
    return text
  }

  /// One word from a fixed list.
  func word<Word: RawRepresentable<String>>(as type: Word.Type = Word.self) throws(ConfigurationError) -> Word {
    guard let word = Word(rawValue: try text()) else { throw error(.outOfRange) }
    return word
  }

  /// A whole number within a range.
  func number(in range: ClosedRange<Int>) throws(ConfigurationError) -> Int {
    guard let number: Int = value.whole() else { throw error(.malformed) }
    guard range.contains(number) else { throw error(.outOfRange) }
    return number
  }

  private func path(to name: String?) -> [JSONPathElement] { path + (name.map { [.name($0)] } ?? []) }

  /// A path as text. It ends before a name that is data rather than a field's name, such as a phone number.
  static func text(of path: [JSONPathElement]) -> String {
    var text = ""
    steps: for step in path {
      switch step {
      case .index(let index): text += "[\(index)]"
      case .name(let name):
        guard looksLikeName(name) else { break steps }
        text += text.isEmpty ? name : ".\(name)"
      }
    }
    return text.isEmpty ? "configuration" : text
  }

  /// Whether a text looks like a field's name: 1 to 40 ASCII letters.
  private static func looksLikeName(_ text: String) -> Bool {
    1...40 ~= text.utf8.count && text.utf8.allSatisfy { (0x61...0x7A).contains($0 | 0x20) }
  }
}
