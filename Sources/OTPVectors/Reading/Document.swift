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
    (source, groups) = try Fields.read(container) { fields throws(Fault) in
      _ = try fields.word("format", as: Format.self)
      try fields.skipComment()
      let source = try fields.filledText("source")
      let groups = try fields.list("groups") { fields throws(Fault) in try VectorGroup(&fields) }
      return (source, groups)
    }
  }

  private enum Format: String, CaseIterable {
    case version1 = "otp-vectors/1"
  }
}
