import ArgumentParser
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

/// How the result is printed.
struct JSONOption: ParsableArguments {
  @Flag(help: "Print the result as one JSON object.")
  var json = false
}

/// Times in printed form: `2026-11-21T08:00:00Z`.
enum Timestamp {
  /// The second in UTC in which something happened.
  static func past(_ date: Date) -> String { text(date.timeIntervalSince1970.rounded(.down)) }

  /// The first full second in UTC that is not before a time: waiting until then is long enough.
  static func future(_ date: Date) -> String { text(date.timeIntervalSince1970.rounded(.up)) }

  private static func text(_ seconds: TimeInterval) -> String { Date(timeIntervalSince1970: seconds).ISO8601Format() }
}
