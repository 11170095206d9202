import Foundation
@_spi(Diagnostics) import OTP
import OTPVectors
import Testing

/// A valid file with a group of every type, for tests to break, and the limits of its values. The check `vectors` holds
/// the schema and the README to the same.
enum SampleFile {
  struct Limit: Decodable, Sendable, CustomTestStringConvertible {
    let says: String
    let old: String
    let accepted: [String]?
    let refused: [String]?
    /// Refused by the reader, although no schema can express it.
    let unseen: [String]?

    var testDescription: String { "\(says): \(old)" }
  }

  private struct Limits: Decodable {
    let rows: [Limit]
  }

  static let backends = HMACBackend.present

  static let text = (try? String(contentsOf: file("sample.json"), encoding: .utf8)) ?? ""

  static let limits: [Limit] = {
    let data = (try? Data(contentsOf: file("limits.json"))) ?? Data()
    return (try? JSONDecoder().decode(Limits.self, from: data))?.rows ?? []
  }()

  private static func file(_ name: String) -> URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Checks/vectors/\(name)")
  }

  /// A file with these groups.
  static func text(groups: String) -> String {
    #"{ "format": "otp-vectors/2", "version": "2.0.0", "source": "test", "groups": ["# + groups + "] }"
  }

  /// A group of base32 with these tests.
  static func group(_ tests: String) -> String {
    #"{ "id": "a", "type": "base32", "reference": "b", "needs": [], "decoder": "lenient", "tests": \#(tests) }"#
  }

  /// The file with one text, which occurs in it exactly once, replaced.
  static func text(replacing old: String, with new: String) throws -> String {
    let parts = text.split(separator: old, omittingEmptySubsequences: false)
    try #require(parts.count == 2, "\(old) stands in the sample \(parts.count - 1) times")
    return parts[0] + new + parts[1]
  }

  /// Reads a text as a file.
  static func read(_ text: String) throws(VectorFileError) -> VectorFile { try VectorFile(json: Array(text.utf8)) }

  /// The description of the error that reading gives.
  static func refusal(of text: String) -> String? { refusal(of: Array(text.utf8)) }

  /// The same for bytes.
  static func refusal(of bytes: [UInt8]) -> String? {
    do throws(VectorFileError) {
      _ = try VectorFile(json: bytes)
      return nil
    } catch {
      return error.description
    }
  }
}

/// A change of the sample file and its expected result.
struct Change: CustomTestStringConvertible {
  let old: String
  let new: String
  let outcome: String

  init(_ old: String, _ new: String, _ outcome: String) {
    self.old = old
    self.new = new
    self.outcome = outcome
  }

  var testDescription: String { "\(old) → \(new)" }

  func text() throws -> String { try SampleFile.text(replacing: old, with: new) }
}
