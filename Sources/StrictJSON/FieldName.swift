/// The name of any field. `JSONDecoder` gives all names of an object only to a key type that accepts every name.
package struct FieldName: CodingKey, Hashable, ExpressibleByStringLiteral {
  package let stringValue: String

  package var intValue: Int? { nil }

  package init(stringValue: String) { self.stringValue = stringValue }

  package init?(intValue: Int) { nil }

  package init(stringLiteral name: String) { stringValue = name }
}
