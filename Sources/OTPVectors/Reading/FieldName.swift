/// The name of any field: JSONDecoder hands out all names of an object only to a key type that takes all.
struct FieldName: CodingKey, Hashable, ExpressibleByStringLiteral {
  let stringValue: String

  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }

  init?(intValue: Int) { nil }

  init(stringLiteral name: String) { stringValue = name }
}
