/// `otp record`
struct RecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record", abstract: "Import, show, unlock or serve a table's records.",
    subcommands: [RecordImport.self, RecordShow.self, RecordExplain.self, RecordUnlock.self, RecordServe.self])

  func run() throws {
    throw ToolError.usage("a command is missing: import, show, explain, unlock or serve; see 'otp record --help'")
  }
}

/// `otp record show`
struct RecordShow: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show what is in a record, without its secret.",
    discussion: """
      Reads the column from standard input: its bytes, or hexadecimal as databases print them (\\x01…, X'01…', 01…). \
      Prints a line 'name=value' for each of kind, state (pending, active, waiting, spent or locked, under the default \
      policy), sealed-by, enrolled, failures and acceptances, and, if there is one, until, needs (enrollment, after \
      100 failures in a row), last-attempt, algorithm, digits, period, long-period (over the 120 s that NIST SP \
      800-63B-4 allows), last-step or last-counter, drift, weak-secret and unused-codes. Nothing is changed, and no \
      attempt is counted.

      EXAMPLE: psql -Atc 'SELECT otp FROM users WHERE id = 42' | otp record show /etc/example/keyring 'user 42'
      """)

  @OptionGroup var keyring: KeyringFile
  @OptionGroup var whose: RecordSubject
  @OptionGroup var output: JSONOption

  func run() throws {
    let shown = try whose.reading(keyring) { (record, sealed) throws(FactorRecordError) in
      try report(on: record, sealedBy: FactorRecord.sealingKeyName(of: sealed.bytes))
    }
    try shown.print(asJSON: output.json)
  }
}

/// Whose record is on standard input.
struct RecordSubject: ParsableArguments {
  @Argument(help: "Whose record it is, as the server names its subject.")
  var subject: String

  /// Opens the record that standard input has, and lends it as it was read, with its keyring.
  func reading<R>(
    _ keyring: KeyringFile, _ body: (FactorRecord, (bytes: [UInt8], keys: Keyring)) throws(FactorRecordError) -> R
  ) throws -> R {
    let keys = try keyring.file.keyring { (path) throws(KeyringError) in try Keyring(file: path) }
    let sealed = try (bytes: Self.column(BoundedInput.readAllOfStandardInput()), keys: keys)
    do throws(FactorRecordError) {
      return try body(try FactorRecord(sealed: sealed.bytes, by: keys, for: subject), sealed)
    } catch {
      throw ToolError(error)
    }
  }

  /// A record's bytes, of what was read.
  private static func column(_ input: [UInt8]) throws(ToolError) -> [UInt8] {
    // A record begins with its version, which is not a printable character.
    guard let first = input.first, first >= 0x20 else { return input }
    var digits = BoundedInput.withoutLineBreaks(input)[...]
    if digits.starts(with: "\\x".utf8) { digits = digits.dropFirst(2) }
    if digits.starts(with: "X'".utf8), digits.last == UInt8(ascii: "'") { digits = digits.dropFirst(2).dropLast() }
    guard let bytes = [UInt8](hexadecimal: String(decoding: digits, as: UTF8.self)) else {
      throw .data("standard input: neither a record nor hexadecimal")
    }
    return bytes
  }
}

extension ToolError {
  init(_ error: FactorRecordError) {
    switch error.kind {
    case .malformed: self = .data("standard input: not a record")
    case .laterVersion: self = .data("the record was written by a newer version")
    case .wrongEncoding: self = .data("the record is not sealed")
    case .anotherSubject: self = .data("the record belongs to another subject")
    case .unknownKey: self = .data("the keyring lacks the key that sealed the record")
    case .notAuthentic: self = .data("the record was altered, or sealed by another key of the same name")
    case .invalidSubject: self = .usage("the subject must have 1 to 1,024 bytes")
    // A time that was typed is checked before.
    case .invalidTime: self = .software("this machine's clock is before 2000 or after 2199")
    default: self = .software("the record cannot be read: \(error.kind.rawValue)")
    }
  }
}

/// What `otp record show` prints.
private func report(on record: FactorRecord, sealedBy: String) throws(FactorRecordError) -> Report {
  let state = try FactorState(record, at: currentTime())
  let codes = record.kind == .recoveryCodes ? record.unusedRecoveryCodes : nil
  let isWeak = codes == nil ? record.hasWeakSecret : nil
  let isLong = record.timeStep?.isLong == true ? true : nil
  let fields =
    [
      Field("kind", codes == nil ? "\(record.kind)" : "recovery-codes"), Field("state", state.name),
      Field("sealedBy", sealedBy),
      Field("enrolled", Timestamp.text(record.enrollmentTime)), Field("failures", record.failures),
      Field("acceptances", record.acceptances), Field("until", state.until), Field("needs", state.needs),
      Field("lastAttempt", record.lastAttemptTime.map(Timestamp.text)), Field("algorithm", record.algorithm?.name),
      Field("digits", record.digits?.rawValue), Field("period", record.timeStep?.period),
      Field("longPeriod", isLong, text: isLong.map { _ in "yes" }),
    ] + Field.lastAccepted(record.lastAcceptedMovingFactor, isStep: record.kind == .totp) + [
      Field("drift", record.kind == .totp ? record.driftSteps : nil),
      Field("weakSecret", isWeak, text: isWeak.map { $0 ? "yes" : "no" }),
      Field("unusedCodes", codes, text: codes.map { $0.map(String.init).joined(separator: ",") }),
    ]
  return Report(fields: fields, lines: fields.compactMap(\.entry))
}

extension Field {
  /// The last accepted step or counter, as a text, since JSON's numbers are not exact beyond 2^53. A line says which.
  static func lastAccepted(_ movingFactor: UInt64?, isStep: Bool) -> [Field] {
    let text = movingFactor.map(String.init)
    return [
      Field("lastAccepted", text, text: nil), Field(isStep ? "lastStep" : "lastCounter", nil as String?, text: text),
    ]
  }
}

extension [UInt8] {
  /// The bytes as hexadecimal digits.
  var hexadecimal: String { map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined() }

  /// The bytes of a text of hexadecimal digits; `nil` if it is something else.
  init?(hexadecimal text: some StringProtocol) {
    let values = text.unicodeScalars.compactMap { $0.isASCII ? Character($0).hexDigitValue : nil }
    guard values.count == text.unicodeScalars.count, values.count.isMultiple(of: 2) else { return nil }
    self = stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
  }
}
