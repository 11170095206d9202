/// A test of writing a key URI as this engine writes it, and of reading it back.
struct URIBuildVector: PlainVectorTest {
  private let key: URIKey
  private let uri: String

  static func readSettings(_ fields: inout Fields) throws(Fault) {}

  init(_ fields: inout Fields, in group: Void) throws(Fault) {
    key = try fields.object("key") { fields throws(Fault) in try URIKey(&fields) }
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

  static func readSettings(_ fields: inout Fields) throws(Fault) {}

  init(_ fields: inout Fields, in group: Void) throws(Fault) {
    key = try fields.object("key") { fields throws(Fault) in try URIKey(&fields) }
  }

  func run() throws(Mismatch) {
    _ = try key.writtenAndReadBack()
  }
}
