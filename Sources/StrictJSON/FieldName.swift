/// The name of any field: JSONDecoder hands out all names of an object only to a key type that takes all.
package struct FieldName: CodingKey, Hashable, ExpressibleByStringLiteral {
  package let stringValue: String

  package var intValue: Int? { nil }

  package init(stringValue: String) { self.stringValue = stringValue }

  package init?(intValue: Int) { nil }

  package init(stringLiteral name: String) { stringValue = name }
}
