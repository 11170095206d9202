/// A group of tests of one type.
struct VectorGroup: Sendable {
  /// A test, with what it can be selected by.
  struct Test: Sendable {
    let id: Int
    let flags: Set<String>
    let needs: Set<String>
    let work: VectorWork
  }

  /// The name, which never changes.
  let id: String
  /// The 1-based place in the file.
  let place: Int
  let type: GroupType
  let needs: Set<String>
  var tests: [Test]

  init(_ fields: inout Fields, place: Int) throws(LocatedError) {
    self.place = place
    try fields.skipComment()
    type = try fields.word("type", as: GroupType.self)
    id = try VectorGroup.readID(&fields)
    needs = try fields.words("needs", of: Names.features)
    _ = try fields.filledText("reference")
    tests =
      switch type {
      case .hmac: try VectorGroup.readTests(HMACVector.self, &fields)
      case .hotp: try VectorGroup.readTests(HOTPVector.self, &fields)
      case .totp: try VectorGroup.readTests(TOTPVector.self, &fields)
      case .base32: try VectorGroup.readTests(Base32Vector.self, &fields)
      case .base32Code: try VectorGroup.readTests(Base32CodeVector.self, &fields)
      case .uriParse: try VectorGroup.readTests(URIParseVector.self, &fields)
      case .uriCode: try VectorGroup.readTests(URICodeVector.self, &fields)
      case .uriBuild: try VectorGroup.readTests(URIBuildVector.self, &fields)
      case .uriRoundTrip: try VectorGroup.readTests(URIRoundTripVector.self, &fields)
      case .verifyTOTP: try VectorGroup.readTests(VerifyTOTPVector.self, &fields)
      case .verifyHOTP: try VectorGroup.readTests(VerifyHOTPVector.self, &fields)
      case .recordTOTP: try VectorGroup.readTests(RecordTOTPVector.self, &fields)
      case .recordHOTP: try VectorGroup.readTests(RecordHOTPVector.self, &fields)
      }
  }

  private static func readID(_ fields: inout Fields) throws(LocatedError) -> String {
    let id = try fields.text("id")
    let words = id.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    let isName = words.allSatisfy { word in
      !word.isEmpty && word.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }
    }
    guard isName, id.utf8.count <= 80 else { throw fields.fault("id", "not words of a-z and 0-9 with hyphens between") }
    return id
  }

  private static func readTests<Vector: VectorTest>(
    _ type: Vector.Type, _ fields: inout Fields
  ) throws(LocatedError) -> [Test] {
    let settings = try Vector.readSettings(&fields)
    var ids: Set<Int> = []
    return try fields.list("tests") { fields throws(LocatedError) in
      // The numbers that every JSON reader reads exactly.
      let id = try fields.number("id", in: 1...(1 << 53) - 1)
      guard ids.insert(id).inserted else { throw fields.fault("id", "\(id) is already in use") }
      try fields.skipComment()
      let flags = try fields.words("flags", of: Names.flags)
      let needs = try fields.optional("needs") { fields throws(LocatedError) in
        try fields.words("needs", of: Names.features)
      }
      return Test(id: id, flags: flags, needs: needs ?? [], work: try Vector(&fields, in: settings).work)
    }
  }
}
