import Foundation
import FuzzTargets

/// A target's committed inputs, in order of their names, and then those that the fuzzer found.
struct Corpus {
  let inputs: [(name: String, bytes: [UInt8])]

  /// `Corpus/TARGET.json`, where a character of a text is a byte.
  private struct File: Decodable {
    let named: [String: String]
    let found: [String]?
  }

  init(of target: FuzzTarget) throws {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Corpus/\(target.rawValue).json")
    let file = try JSONDecoder().decode(File.self, from: Data(contentsOf: path))
    let texts =
      file.named.sorted { $0.key < $1.key } + (file.found ?? []).enumerated().map { ("found \($0.offset)", $0.element) }
    inputs = texts.map { name, text in (name, text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }) }
  }
}
