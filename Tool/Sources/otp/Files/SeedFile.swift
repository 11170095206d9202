/// An open file of keys. It is read once to check whether all keys can be imported, and again to import them.
struct SeedFile: ~Copyable {
  private let file: InputFile
  private let format: SeedFormat

  private init(_ file: consuming InputFile, _ format: SeedFormat) {
    self.file = file
    self.format = format
  }

  /// Opens the file that a command reads.
  static func open(_ path: PathArgument, _ format: SeedFormat) throws(ToolError) -> SeedFile {
    // It may be a secret, or a URI, that was given in place of a path.
    if let misplaced = MisplacedText(path.text) { throw .usage("the file: \(misplaced.explanation)") }
    guard let file = InputFile(path, waits: false) else { throw .data("\(path.fileName) cannot be opened") }
    guard let status = file.status, status.isRegularFile else { throw .data("\(path.fileName) is not a regular one") }
    if status.isExposed {
      StandardError.write(warning: "other users can read or change the file; see 'chmod 600'")
    }
    return SeedFile(file, format)
  }

  /// Reads from the beginning.
  func reader() throws(ToolError) -> SeedReader {
    guard let source = file.seeds() else { throw .data("the file cannot be read") }
    return SeedReader(format, from: source)
  }

  /// Reads all keys.
  ///
  /// - Parameter check: Throws a refusal for a key that cannot be used.
  func report(_ check: (Seed) throws(SeedRefusal) -> Void) throws(ToolError) -> SeedReport {
    var report = SeedReport()
    var reader = try reader()
    var index = 0
    while let record = try nextRecord(of: &reader) {
      index += 1
      do throws(SeedRefusal) {
        let seed = try record.seed()
        try check(seed)
        report.add(seed)
      } catch {
        report.add(error, index: index)
      }
    }
    if reader.hasUnverifiedSignature { report.unverified = ["signature"] }
    return report
  }

  /// Writes all keys to standard output; if any is refused, only the report, unless the others are wanted.
  ///
  /// - Parameter warn: Is called with the report before anything is written.
  func write(by writer: SeedWriter, partial: Bool, warn: (SeedReport) -> Void = { _ in }) throws {
    var report = try report { (seed) throws(SeedRefusal) in _ = try writer.text(seed) }
    try report.check(partial: partial)
    warn(report)
    var reader = try reader()
    try StandardOutput.write(writer.beginning)
    var written = 0
    while let record = try nextRecord(of: &reader) {
      guard let text = try? writer.text(record.seed()) else { continue }
      try StandardOutput.write(text)
      written += 1
    }
    guard written == report.keys else { throw ToolError.data("the file has changed while it was read") }
    try StandardOutput.write(writer.end)
    guard report.refused == 0 else { throw ExitStatus.negative }
  }
}

/// The text before all keys, that of each key, and the one after all keys.
struct SeedWriter {
  var beginning = ""
  var end = ""
  let text: (Seed) throws(SeedRefusal) -> String
}

/// The next record of a file; throws a data error if the reader cannot continue.
func nextRecord(of reader: inout SeedReader) throws(ToolError) -> SeedRecord? {
  do throws(SeedRefusal) { return try reader.next() } catch { throw .data("the file: \(error)") }
}

extension SeedRecord {
  /// The key; throws the reason if it is refused.
  func seed() throws(SeedRefusal) -> Seed {
    switch self {
    case .seed(let seed): seed
    case .refused(let refusal): throw refusal
    }
  }
}

/// The report on a file of keys: lines, accounts and fields, never other values. Each key is imported, present or
/// refused.
struct SeedReport {
  /// The most refused keys, and the most present ones, that are listed one by one.
  static let maximumListedCount = 1000

  /// `checked`, `imported`, `exported`, or `refused` if nothing was taken.
  var result = "checked"
  /// The number of keys that can be imported, or were.
  private(set) var keys = 0
  /// The number of keys that their accounts already had.
  private(set) var present = 0
  private(set) var refused = 0
  /// The number of keys, imported or present, under the 16 bytes that RFC 4226 requires.
  private(set) var weak = 0
  /// The number of keys of devices whose clock is known to be wrong. Not printed.
  private(set) var drifting = 0
  /// For each dropped field, the number of keys that had it.
  private(set) var dropped: [String: Int] = [:]
  /// The parts of the file that are not verified: `signature`.
  var unverified: [String] = []
  private(set) var refusals: [Line] = []
  private(set) var presences: [Line] = []

  mutating func add(_ refusal: SeedRefusal, index: Int) {
    refused += 1
    guard refusals.count < Self.maximumListedCount else { return }
    let reason = [Field("field", refusal.field.rawValue), Field("reason", refusal.reason.rawValue)]
    refusals.append(Self.line("refused", refusal.line, index, refusal.account, reason))
  }

  /// - Parameter index: The place of the key among all keys of the file, from 1, since a line can have several.
  private static func line(
    _ result: String, _ line: Int, _ index: Int, _ account: String?, _ reason: [Field] = []
  ) -> Line {
    let shown = account.map { DisplayText.escaped($0, reserved: [" "]) }
    let place = [Field("line", line), Field("key", index), Field("account", account, text: shown)]
    return Line(result, as: nil, place + reason)
  }

  mutating func add(_ seed: Seed) {
    keys += 1
    if seed.secret.isWeak { weak += 1 }
    if case .totp(_, let drift, _) = seed.kind, drift != 0 { drifting += 1 }
    for field in seed.dropped { dropped[field.rawValue, default: 0] += 1 }
  }

  mutating func add(presentAt line: Int, index: Int, in account: String) {
    present += 1
    guard presences.count < Self.maximumListedCount else { return }
    presences.append(Self.line("present", line, index, account))
  }

  /// If any key was refused, prints the report, and throws unless the others are wanted.
  mutating func check(partial: Bool) throws {
    guard refused > 0 else { return }
    result = partial ? "exported" : "refused"
    if partial { return lines.forEach(StandardError.write(line:)) }
    try report.print(asJSON: false)
    throw ExitStatus.negative
  }

  /// As it is printed.
  var report: Report {
    let fields = [
      Field("result", result), Field("keys", keys), Field("present", present), Field("refused", refused),
      Field("weak", weak), Field("dropped", Line(dropped.map { Field($0, $1) }), text: nil),
      Field("unverified", unverified, text: nil), Field("refusals", refusals, text: nil),
      Field("presences", presences, text: nil),
    ]
    return Report(fields: fields, lines: lines)
  }

  var lines: [String] {
    refusals.map(\.text) + presences.map(\.text)
      + dropped.sorted { $0.key < $1.key }.map { "dropped field=\($0.key) keys=\($0.value)" }
      + unverified.map { "unverified field=\($0)" }
      + ["\(result) keys=\(keys) present=\(present) refused=\(refused) weak=\(weak)"]
  }
}

extension InputFile {
  /// The file from its start, for as long as it is open; `nil` if it cannot be rewound.
  func seeds() -> SeedSource? { lseek(descriptor, 0, SEEK_SET) == 0 ? SeedSource(descriptor: descriptor) : nil }
}
