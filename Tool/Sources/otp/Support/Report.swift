import Foundation

/// A command's result, printed as lines for people and scripts, or as one JSON object.
protocol Report: Encodable {
  /// The lines, without line breaks.
  var lines: [String] { get }
}

extension Report {
  func print(asJSON: Bool) throws {
    let text = asJSON ? try json() + "\n" : lines.map { $0 + "\n" }.joined()
    try StandardOutput.write(text)
  }

  private func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let text = String(decoding: try encoder.encode(self), as: UTF8.self)
    return DisplayText.escapedJSON(text)
  }
}
