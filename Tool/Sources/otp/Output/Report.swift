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

/// One value of a result.
struct Field {
  let name: String
  fileprivate let json: (any Encodable)?
  fileprivate let text: String?

  /// A value, which is left out if it is `nil`.
  init(_ name: String, _ value: (some Encodable & CustomStringConvertible)?) {
    self.init(name, value, text: value?.description)
  }

  /// - Parameter text: The value in a line; `nil` leaves it out there.
  init(_ name: String, _ value: (any Encodable)?, text: String?) {
    self.name = name
    json = value
    self.text = text
  }

  /// `last-attempt=2026-…`: names have hyphens in lines, and are as they are given, `lastAttempt`, in JSON.
  var entry: String? {
    guard let text else { return nil }
    let words = name.map { $0.isUppercase ? "-\($0.lowercased())" : String($0) }
    return "\(words.joined())=\(text)"
  }
}

/// A result in one line, `word name=value …`, and in one JSON object.
struct Line: Report {
  private let word: String?
  let fields: [Field]

  /// - Parameters:
  ///   - word: What the line begins with.
  ///   - name: The word's name in JSON; `nil` leaves it out there.
  init(_ word: String, as name: String? = "result", _ fields: [Field]) {
    self.word = word
    self.fields = (name.map { [Field($0, word, text: nil)] } ?? []) + fields
  }

  init(_ fields: [Field]) {
    word = nil
    self.fields = fields
  }

  var text: String { ([word] + fields.map(\.entry)).compactMap(\.self).joined(separator: " ") }

  var lines: [String] { [text] }

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: Key.self)
    for field in fields {
      if let value = field.json { try object.encode(value, forKey: Key(stringValue: field.name)) }
    }
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
