import Keyring

/// A file's contents.
struct Document {
  let source: String
  let groups: [VectorGroup]

  init(_ json: JSONText) throws(LocatedError) {
    let file: JSONValue
    do throws(JSONFault) { file = try json.value } catch {
      throw LocatedError(error.reason.rawValue, at: Place(error.path))
    }
    (source, groups) = try Fields.read(file, at: []) { fields throws(LocatedError) in
      _ = try fields.word("format", as: Format.self)
      try fields.skipComment()
      try Document.checkVersion(&fields)
      let source = try fields.filledText("source")
      var places = 0
      var ids: Set<String> = []
      let groups = try fields.list("groups") { fields throws(LocatedError) in
        places += 1
        let group = try VectorGroup(&fields, place: places)
        guard ids.insert(group.id).inserted else { throw fields.fault("id", "\(group.id) is already in use") }
        return group
      }
      return (source, groups)
    }
  }

  /// Checks the version of the data, whose first number is that of the format.
  private static func checkVersion(_ fields: inout Fields) throws(LocatedError) {
    let parts = try fields.text("version").split(separator: ".", omittingEmptySubsequences: false)
    let areNumbers = parts.allSatisfy { part in
      part.utf8.count < 10 && UInt32(part).map { String($0).utf8.elementsEqual(part.utf8) } == true
    }
    guard parts.count == 3, parts[0] == "2", areNumbers else { throw fields.fault("version", "not 2.N.N") }
  }
}

/// The format that is read, which `vectors/README.md` explains.
private enum Format: String, CaseIterable {
  case version2 = "otp-vectors/2"
}
