import StrictJSON

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A whole file as it is decoded.
struct Document: Decodable {
  let source: String
  let groups: [VectorGroup]

  /// Decodes a file's bytes.
  static func read(_ json: [UInt8]) throws(Fault) -> Document {
    do { try JSONPreflight.check(json) } catch { throw Fault(error.reason.rawValue, at: Place(error.path)) }
    do {
      return try JSONDecoder().decode(Document.self, from: Data(json))
    } catch let fault as Fault {
      throw fault
    } catch DecodingError.typeMismatch {
      throw Fault("not a JSON object")
    } catch {
      throw Fault("not well-formed JSON")
    }
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: FieldName.self)
    (source, groups) = try Fields.read(container, format: .version1) { fields throws(Fault) in
      fields.format = try fields.word("format", as: Format.self)
      try fields.skipComment()
      if fields.format == .version2 { try Document.checkVersion(&fields) }
      let source = try fields.filledText("source")
      var places = 0
      var ids: Set<String> = []
      let groups = try fields.list("groups") { fields throws(Fault) in
        places += 1
        let group = try VectorGroup(&fields, place: places)
        if let id = group.id, !ids.insert(id).inserted { throw fields.fault("id", "\(id) is an earlier group's") }
        return group
      }
      return (source, groups)
    }
  }

  /// The data's version, whose first number is the format's.
  private static func checkVersion(_ fields: inout Fields) throws(Fault) {
    let parts = try fields.text("version").split(separator: ".", omittingEmptySubsequences: false)
    let areNumbers = parts.allSatisfy { part in
      part.utf8.count < 10 && UInt32(part).map { String($0).utf8.elementsEqual(part.utf8) } == true
    }
    guard parts.count == 3, parts[0] == "2", areNumbers else { throw fields.fault("version", "not 2.N.N") }
  }
}

/// The formats that are read. `vectors/README.md` explains the second; the first has no ids of groups, references, flags,
/// needs nor open questions, and periods as numbers.
enum Format: String, CaseIterable {
  case version1 = "otp-vectors/1"
  case version2 = "otp-vectors/2"
}
