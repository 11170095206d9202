/// A test of writing a key URI exactly as this engine does, and of reading it back.
struct URIBuildVector: PlainVectorTest {
  private let key: URIKey
  private let uri: String

  static func readSettings(_ fields: inout Fields) throws(LocatedError) {}

  init(_ fields: inout Fields, in group: Void) throws(LocatedError) {
    key = try fields.object("key") { fields throws(LocatedError) in try URIKey(&fields) }
    uri = try fields.text("uri")
    guard uri.utf8.starts(with: "otpauth://".utf8) else { throw fields.fault("uri", "does not begin with otpauth://") }
  }

  func run() throws(Mismatch) {
    try Mismatch.unlessSame("uri", key.writtenAndReadBack(), uri)
  }
}

/// A test of writing a key URI, in whatever form, and of reading it back.
struct URIRoundTripVector: PlainVectorTest {
  private let key: URIKey

  static func readSettings(_ fields: inout Fields) throws(LocatedError) {}

  init(_ fields: inout Fields, in group: Void) throws(LocatedError) {
    key = try fields.object("key") { fields throws(LocatedError) in try URIKey(&fields) }
  }

  func run() throws(Mismatch) {
    _ = try key.writtenAndReadBack()
  }
}
