/// The type of a value in a request's body, used to check and normalize it.
indirect enum Kind: Sendable {
  case string
  case boolean
  /// A 64-bit integer, as a JSON string or number.
  case integer
  /// One of a list of names, or its index.
  case enumeration([String])
  case array(Kind)
  case object([String: Kind])
  /// An object whose names are data.
  case map(Kind)
  case any
}

typealias Schema = [String: Kind]

extension Kind {
  /// A value in the form that the endpoints read: names in camel case, enumerations by name, numbers as strings if a
  /// string is expected, and without nulls.
  ///
  /// - Throws: ``APIError`` with the path of what does not match, or is not known.
  func normalized(_ value: JSON) throws(APIError) -> JSON {
    var unknown: Set<String>?
    return try normalized(value, at: "", unknown: &unknown)
  }

  /// The same without the members that are not known.
  ///
  /// - Parameter unknown: Gets their paths, without indices; if it is `nil`, they are errors.
  func normalized(_ value: JSON, at path: String, unknown: inout Set<String>?) throws(APIError) -> JSON {
    switch (self, value) {
    case (.any, _), (.string, .string), (.boolean, .bool), (.integer, .integer): return value
    case (.string, .integer(let number)): return .string(String(number))
    case (.string, .number(let number)):
      guard let whole = Int64(exactly: number.rounded(.down)) else { throw Self.mismatch(path, "TYPE_STRING") }
      return .string(String(whole))
    case (.boolean, .string("true")): return true
    case (.boolean, .string("false")): return false
    case (.integer, .string(let text)):
      guard let number = Int64(text) else { throw Self.mismatch(path, "TYPE_INT64") }
      return .integer(number)
    case (.integer, .number(let number)):
      guard let whole = Int64(exactly: number.rounded(.down)) else { throw Self.mismatch(path, "TYPE_INT64") }
      return .integer(whole)
    case (.enumeration(let names), .string(let text)):
      guard names.contains(text) else { throw Self.mismatch(path, "TYPE_ENUM") }
      return value
    case (.enumeration(let names), .integer(let index)):
      guard let index = Int(exactly: index), names.indices.contains(index) else {
        throw Self.mismatch(path, "TYPE_ENUM")
      }
      return .string(names[index])
    case (.array(let kind), .array(let values)):
      var normalized: [JSON] = []
      for (index, value) in values.enumerated() {
        normalized.append(try kind.normalized(value, at: "\(path)[\(index)]", unknown: &unknown))
      }
      return .array(normalized)
    case (.object(let schema), .object(let members)):
      return try Self.normalized(members, by: schema, at: path, unknown: &unknown)
    case (.map(let kind), .object(let members)):
      var normalized: [String: JSON] = [:]
      for (name, value) in members where value != .null {
        normalized[name] = try kind.normalized(value, at: path, unknown: &unknown)
      }
      return .object(normalized)
    default: throw Self.mismatch(path, typeName)
    }
  }

  private static func normalized(
    _ members: [String: JSON], by schema: Schema, at path: String, unknown: inout Set<String>?
  ) throws(APIError) -> JSON {
    var normalized: [String: JSON] = [:]
    // In sorted order, so that the same request gets the same error.
    for (name, value) in members.sorted(by: { $0.key < $1.key }) {
      let camelName = schema[name] == nil ? camelCase(name) : name
      let place = path.isEmpty ? camelName : "\(path).\(camelName)"
      guard let kind = schema[camelName] else {
        guard unknown == nil else {
          unknown?.insert((path.isEmpty ? name : "\(path).\(name)").replacing(/\[[0-9]+\]/, with: "[]"))
          continue
        }
        let parent = path.isEmpty ? "" : " at '\(path)'"
        throw .invalid("Unknown name \"\(name.prefix(100))\"\(parent): Cannot find field.")
      }
      guard value != .null else { continue }
      normalized[camelName] = try kind.normalized(value, at: place, unknown: &unknown)
    }
    return .object(normalized)
  }

  private static func mismatch(_ path: String, _ type: String) -> APIError {
    .invalid("Invalid value at '\(path)' (\(type)).")
  }

  private var typeName: String {
    switch self {
    case .string: "TYPE_STRING"
    case .boolean: "TYPE_BOOL"
    case .integer: "TYPE_INT64"
    case .enumeration: "TYPE_ENUM"
    case .array: "a list"
    case .object, .map, .any: "an object"
    }
  }

  /// Converts Android's spelling: `mfa_pending_credential` to `mfaPendingCredential`.
  static func camelCase(_ name: String) -> String {
    let parts = name.split(separator: "_", omittingEmptySubsequences: true)
    guard let first = parts.first else { return name }
    return first + parts.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }
}
