import ArgumentParser
import FactorRecord
import Foundation
import Keyring

/// `otp record`
struct RecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record", abstract: "Look into a record in a table of your own.",
    subcommands: [RecordShow.self])

  func run() throws {
    throw ToolError.usage("a command is missing: show; see 'otp record --help'")
  }
}

/// `otp record show`
struct RecordShow: ParsableCommand, PathTaking {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show what is in a record, without its secret.",
    discussion: """
      Reads the column from standard input: its bytes, or hexadecimal as databases print them (\\x01…, X'01…', 01…). \
      Prints a line 'name=value' for each of kind, state (pending, active, waiting, spent or locked, under the default \
      policy), sealed-by, enrolled, failures and acceptances, and, if there is one, until, needs (enrollment, after \
      100 failures in a row), last-attempt, algorithm, digits, period, last-step or last-counter, drift, weak-secret \
      and unused-codes. Nothing is changed, and no attempt is counted.

      EXAMPLE: psql -Atc 'SELECT otp FROM users WHERE id = 42' | otp record show /etc/example/keyring 'user 42'
      """)

  @OptionGroup var keyring: KeyringFile

  @Argument(help: "Whose record it is, as the server names its subject.")
  var subject: String

  @OptionGroup var output: JSONOption

  var paths: [PathArgument] { [keyring.file] }

  func run() throws {
    let keys = try keyring.call { (path) throws(KeyringError) in try Keyring(file: path) }
    let sealed = try Self.column(BoundedInput.readAllOfStandardInput())
    try Self.shown(sealed, by: keys, for: subject).print(asJSON: output.json)
  }

  private static func shown(_ sealed: [UInt8], by keys: Keyring, for subject: String) throws(ToolError) -> ShownRecord {
    do throws(FactorRecordError) {
      let record = try FactorRecord(sealed: sealed, by: keys, for: subject)
      return try ShownRecord(record, sealedBy: try FactorRecord.sealingKeyName(of: sealed))
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
    let values = digits.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
    guard values.count == digits.count, values.count.isMultiple(of: 2) else {
      throw .data("standard input: neither a record nor hexadecimal")
    }
    return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
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
private struct ShownRecord: Report {
  private let kind: String
  private let state: String
  private let sealedBy: String
  private let enrolled: String
  private let failures: Int
  private let acceptances: Int
  private let until: String?
  private let needs: String?
  private let lastAttempt: String?
  private let algorithm: String?
  private let digits: Int?
  private let period: Int64?
  /// The step or counter, as a text, since JSON's numbers are not exact beyond 2^53.
  private let lastAccepted: String?
  private let drift: Int?
  private let weakSecret: Bool?
  private let unusedCodes: [Int]?

  init(_ record: FactorRecord, sealedBy: String) throws(FactorRecordError) {
    func past(_ seconds: Int64) -> String { Timestamp.past(Date(timeIntervalSince1970: TimeInterval(seconds))) }
    let isCodes = record.kind == .recoveryCodes
    kind =
      switch record.kind {
      case .totp: "totp"
      case .hotp: "hotp"
      case .recoveryCodes: "recovery-codes"
      }
    let state = try FactorState(record)
    (self.state, until, needs) = (state.name, state.until, state.needs)
    self.sealedBy = sealedBy
    enrolled = past(record.enrollmentTime)
    failures = record.failures
    acceptances = record.acceptances
    lastAttempt = record.lastAttemptTime.map(past)
    algorithm = record.algorithm?.name
    digits = record.digits?.rawValue
    period = record.timeStep?.period
    lastAccepted = record.lastAcceptedMovingFactor.map(String.init)
    drift = record.kind == .totp ? record.driftSteps : nil
    weakSecret = isCodes ? nil : record.hasWeakSecret
    unusedCodes = isCodes ? record.unusedRecoveryCodes : nil
  }

  var lines: [String] {
    let values: [(String, String?)] = [
      ("kind", kind), ("state", state), ("sealed-by", sealedBy), ("enrolled", enrolled), ("failures", "\(failures)"),
      ("acceptances", "\(acceptances)"), ("until", until), ("needs", needs), ("last-attempt", lastAttempt),
      ("algorithm", algorithm),
      ("digits", digits.map(String.init)), ("period", period.map(String.init)),
      (kind == "totp" ? "last-step" : "last-counter", lastAccepted), ("drift", drift.map(String.init)),
      ("weak-secret", weakSecret.map { $0 ? "yes" : "no" }),
      ("unused-codes", unusedCodes.map { $0.map(String.init).joined(separator: ",") }),
    ]
    return values.compactMap { name, value in value.map { "\(name)=\($0)" } }
  }
}
