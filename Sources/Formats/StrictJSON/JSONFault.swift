/// What is wrong with a JSON text itself, and where.
package struct JSONFault: Error, Sendable, Equatable {
  /// What is wrong, in words for people.
  package enum Reason: String, Sendable {
    case byteOrderMark = "begins with a byte order mark"
    case notUTF8 = "not UTF-8"
    case tooDeep = "nested too deeply"
    case controlCharacter = "a control character"
    case notWhole = "a number with a fraction or an exponent"
    case malformed = "not well-formed JSON"
    case escapedName = "a name with an escape in it"
    case duplicateName = "given twice"
  }

  package let reason: Reason
  /// The path from the outermost value.
  package let path: [JSONPathElement]

  init(_ reason: Reason, at path: [JSONPathElement] = []) {
    self.reason = reason
    self.path = path
  }
}

/// One element of a path: from a JSON value into one that it contains.
package enum JSONPathElement: Sendable, Equatable {
  case name(String)
  case index(Int)

  /// The element for a decoder's coding key.
  package init(_ key: any CodingKey) {
    if let index = key.intValue { self = .index(index) } else { self = .name(key.stringValue) }
  }
}
