/// A group of tests of one type.
struct VectorGroup: Sendable {
  let type: GroupType
  let tests: [(id: Int, work: VectorWork)]

  init(_ fields: inout Fields) throws(Fault) {
    try fields.skipComment()
    type = try fields.word("type", as: GroupType.self)
    tests =
      switch type {
      case .hmac: try VectorGroup.readTests(HMACVector.self, &fields)
      case .hotp: try VectorGroup.readTests(HOTPVector.self, &fields)
      case .totp: try VectorGroup.readTests(TOTPVector.self, &fields)
      case .base32: try VectorGroup.readTests(Base32Vector.self, &fields)
      case .uriParse: try VectorGroup.readTests(URIParseVector.self, &fields)
      case .uriBuild: try VectorGroup.readTests(URIBuildVector.self, &fields)
      case .verifyTOTP: try VectorGroup.readTests(VerifyTOTPVector.self, &fields)
      case .verifyHOTP: try VectorGroup.readTests(VerifyHOTPVector.self, &fields)
      }
  }

  private static func readTests<Test: VectorTest>(
    _ type: Test.Type, _ fields: inout Fields
  ) throws(Fault) -> [(id: Int, work: VectorWork)] {
    let settings = try Test.readSettings(&fields)
    var ids: Set<Int> = []
    return try fields.list("tests") { fields throws(Fault) in
      let id = try fields.number("id", in: 1...Int.max)
      guard ids.insert(id).inserted else { throw fields.fault("id", "\(id) is an earlier test's") }
      try fields.skipComment()
      return (id, try Test(&fields, in: settings).work)
    }
  }
}
