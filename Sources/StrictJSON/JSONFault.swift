/// What is wrong with a JSON text as such, and where.
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
  /// The way to it from the outermost value.
  package let path: [JSONStep]

  init(_ reason: Reason, at path: [JSONStep] = []) {
    self.reason = reason
    self.path = path
  }
}

/// A step from a JSON value into one that it holds.
package enum JSONStep: Sendable, Equatable {
  case name(String)
  case index(Int)

  /// The step that a decoder has taken.
  package init(_ key: any CodingKey) {
    if let index = key.intValue { self = .index(index) } else { self = .name(key.stringValue) }
  }
}
