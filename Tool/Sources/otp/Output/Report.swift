/// A command's result, printed as lines for people and scripts, or as one JSON object.
struct Report {
  /// What the JSON object has.
  let fields: [Field]
  /// The lines, without line breaks.
  let lines: [String]

  func print(asJSON: Bool) throws {
    try StandardOutput.write(asJSON ? fields.json + "\n" : lines.map { $0 + "\n" }.joined())
  }
}

/// One value of a result.
struct Field {
  let name: String
  fileprivate let json: String?
  let text: String?

  /// A value, which is left out if it is `nil`.
  init(_ name: String, _ value: (some JSONValue & CustomStringConvertible)?) {
    self.init(name, value, text: value?.description)
  }

  /// - Parameter text: The value in a line; `nil` leaves it out there.
  init(_ name: String, _ value: (some JSONValue)?, text: String?) {
    self.name = name
    json = value?.json
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
struct Line: JSONValue {
  private let word: String?
  private let fields: [Field]

  /// - Parameters:
  ///   - word: What the line begins with.
  ///   - name: The word's name in JSON; `nil` leaves it out there.
  init(_ word: String, as name: String? = "result", _ fields: [Field]) {
    self.word = word
    self.fields = (name.map { [Field($0, word, text: nil)] } ?? []) + fields
  }

  init(_ fields: [Field]) { (word, self.fields) = (nil, fields) }

  var text: String { ([word] + fields.map(\.entry)).compactMap(\.self).joined(separator: " ") }

  var json: String { fields.json }

  func print(asJSON: Bool) throws { try Report(fields: fields, lines: [text]).print(asJSON: asJSON) }
}

/// What a field can have. (Foundation's encoder writes what controls a terminal.)
protocol JSONValue {
  /// In a line, and without what controls a terminal.
  var json: String { get }
}

extension String: JSONValue {
  var json: String {
    var text = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"", "\\": text += "\\\(scalar)"
      case " "..."~": text.unicodeScalars.append(scalar)
      case "\u{8}": text += "\\b"
      case "\u{C}": text += "\\f"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case _ where DisplayText.isUnsafe(scalar):
        for unit in String(scalar).utf16 { text += "\\u" + String(UInt32(unit) + 0x10000, radix: 16).dropFirst() }
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }
}

extension JSONValue where Self: CustomStringConvertible {
  var json: String { description }
}

extension Int: JSONValue {}
extension Int64: JSONValue {}
extension Bool: JSONValue {}
extension Double: JSONValue {}

extension Optional: JSONValue where Wrapped: JSONValue {
  var json: String { self?.json ?? "null" }
}

extension Array: JSONValue where Element: JSONValue {
  var json: String { "[\(map(\.json).joined(separator: ","))]" }
}

extension [Field] {
  /// A JSON object of the values, in the order of their names.
  var json: String {
    let values = compactMap { field in field.json.map { "\(field.name.json):\($0)" } }
    return "{\(values.sorted().joined(separator: ","))}"
  }
}

/// How the result is printed.
struct JSONOption: ParsableArguments {
  @Flag(help: "Print the result as one JSON object.")
  var json = false
}

/// Times in printed form: `2026-11-21T08:00:00Z`, or `@` and the seconds since 1970, if the year has too many digits.
enum Timestamp {
  static func text(_ time: Int64) -> String {
    var (time, parts) = unsafe (time_t(time), tm())
    guard unsafe gmtime_r(&time, &parts) != nil else { return "@\(time)" }
    var text = [CChar](repeating: 0, count: 32)
    let count = unsafe strftime(&text, text.count, "%FT%TZ", &parts)
    return String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
