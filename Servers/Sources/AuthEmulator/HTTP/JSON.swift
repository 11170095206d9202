import Foundation

/// A JSON value, in requests and responses.
enum JSON: Sendable, Hashable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([JSON])
  case object([String: JSON])

  /// Reads a text in UTF-8.
  ///
  /// - Throws: ``APIError`` if it is not JSON.
  init(parsing text: Data) throws(APIError) {
    // UTF-8 JSON never contains a zero byte; the other encodings that the decoder would accept always do.
    guard !text.contains(0), Self.depth(of: text) <= Self.largestDepth,
      let value = try? JSONDecoder().decode(JSON.self, from: text)
    else { throw .invalidJSON }
    self = value
  }

  /// The maximum nesting depth, far more than the protocol needs. Foundation's decoder crashes beyond 512 levels
  /// (observed with Swift 6.3).
  private static let largestDepth = 50

  /// The nesting depth of brackets and braces outside of strings.
  private static func depth(of text: Data) -> Int {
    var (depth, largest, isInString, isEscaped) = (0, 0, false, false)
    for byte in text {
      switch byte {
      case _ where isEscaped: isEscaped = false
      case UInt8(ascii: "\\") where isInString: isEscaped = true
      case UInt8(ascii: "\""): isInString.toggle()
      case _ where isInString: break
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        depth += 1
        largest = max(largest, depth)
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      default: break
      }
    }
    return largest
  }

  /// The text, with sorted names.
  var text: Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(self)) ?? Data("{}".utf8)
  }

  /// A member of an object; `nil` if it is absent or null, or if this is not an object.
  subscript(_ name: String) -> JSON? {
    get {
      guard case .object(let members) = self, let member = members[name], member != .null else { return nil }
      return member
    }
    set {
      var members = object ?? [:]
      members[name] = newValue
      self = .object(members)
    }
  }

  var string: String? { if case .string(let text) = self { text } else { nil } }
  var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  var array: [JSON]? { if case .array(let values) = self { values } else { nil } }
  var object: [String: JSON]? { if case .object(let members) = self { members } else { nil } }

  /// The text of a member.
  ///
  /// - Throws: An error with this code if it is missing or empty.
  func text(_ name: String, or code: String, _ details: String? = nil) throws(APIError) -> String {
    guard let text = self[name]?.string, !text.isEmpty else { throw APIError(code, details) }
    return text
  }

  /// An integer, or the text of one.
  var integer: Int64? {
    switch self {
    case .integer(let value): value
    case .string(let text): Int64(text)
    default: nil
    }
  }
}

extension JSON: Codable {
  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let values = try? container.decode([JSON].self) {
      self = .array(values)
    } else {
      self = .object(try container.decode([String: JSON].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let values): try container.encode(values)
    case .object(let members): try container.encode(members)
    }
  }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  init(stringLiteral value: String) { self = .string(value) }
  init(booleanLiteral value: Bool) { self = .bool(value) }
  init(integerLiteral value: Int64) { self = .integer(value) }
  init(arrayLiteral elements: JSON...) { self = .array(elements) }

  /// An object; members that are `nil` are omitted.
  init(dictionaryLiteral elements: (String, JSON?)...) {
    self = .object(Dictionary(elements.compactMap { name, value in value.map { (name, $0) } }) { _, last in last })
  }

  /// A string, or `nil`.
  static func text(_ value: String?) -> JSON? { value.map(JSON.string) }

  /// This object with the members of another added.
  func adding(_ other: JSON) -> JSON { .object((object ?? [:]).merging(other.object ?? [:]) { _, new in new }) }
}
