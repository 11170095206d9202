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
      case .hmac: try Self.tests(in: fields.algorithm(), &fields, HMACVector.init)
      case .hotp: try Self.tests(in: CodeSettings(&fields), &fields, HOTPVector.init)
      case .totp: try Self.tests(in: TimedCodeSettings(&fields), &fields, TOTPVector.init)
      case .base32:
        try Self.tests(in: fields.word("decoder", as: Base32Reading.self), &fields, Base32Vector.init)
      case .base32Code: try Self.tests(in: Base32CodeVector.Settings(&fields), &fields, Base32CodeVector.init)
      case .uriParse: try Self.tests(in: (), &fields, URIParseVector.init)
      case .uriCode: try Self.tests(in: (), &fields, URICodeVector.init)
      case .uriBuild: try Self.tests(in: true, &fields, URIBuildVector.init)
      case .uriRoundTrip: try Self.tests(in: false, &fields, URIBuildVector.init)
      case .verifyTOTP: try Self.tests(in: TimedCodeSettings(&fields), &fields, VerifyTOTPVector.init)
      case .verifyHOTP: try Self.tests(in: CodeSettings(&fields), &fields, VerifyHOTPVector.init)
      case .recordTOTP: try Self.tests(in: RecordSettings.totp(&fields), &fields, RecordVector.init)
      case .recordHOTP: try Self.tests(in: RecordSettings.hotp(&fields), &fields, RecordVector.init)
      case .recordFormat: try Self.tests(in: RecordFormatSettings(&fields), &fields, RecordFormatVector.init)
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

  /// Reads a group's tests, each with what was read for all of them.
  private static func tests<Settings>(
    in settings: Settings, _ fields: inout Fields,
    _ read: (inout Fields, Settings) throws(LocatedError) -> some VectorTest
  ) throws(LocatedError) -> [Test] {
    var ids: Set<Int> = []
    return try fields.list("tests") { fields throws(LocatedError) in
      // The numbers that every JSON reader reads exactly.
      let id = try fields.number("id", in: 1...(1 << 53) - 1)
      guard ids.insert(id).inserted else { throw fields.fault("id", "\(id) is already in use") }
      try fields.skipComment()
      let flags = try fields.words("flags", of: Names.flags)
      let needs = try fields.has("needs") ? fields.words("needs", of: Names.features) : []
      return Test(id: id, flags: flags, needs: needs, work: try read(&fields, settings).work)
    }
  }
}
