import FactorRecord
import Keyring
import OTP

/// A request about a record. Which fields an operation needs, `Tool/record-service` says.
struct RecordRequest {
  enum Operation: String {
    case enroll, uri, confirm, verify, resynchronize, recoveryCodes, unlock, spend, reseal, info, explain
  }
  enum Encoding: String { case base64, hex }
  enum Kind: String { case totp, hotp }

  let op: Operation
  let subject: String
  let time, until: Int64?
  let encoding: Encoding?
  let policy: FactorRecord.Policy
  /// As they were given, in the encoding.
  let record, previous: SecretBytes?
  let code, issuer, account: String?
  let codes: [String]?
  let count: Int?
  let kind: Kind?
  /// In base32.
  let secret: SecretBytes?
  let algorithm: String?
  let digits: Int?
  let period: Int64?
  let counter, lastStep: UInt64?
  let confirmed, replace: Bool?

  /// Takes all fields.
  init(_ request: JSONValue) throws(RequestError) {
    var fields = try RequestFields(request, in: "")
    _ = try fields.take("id", \.id)
    let op: Operation? = try fields.take("op") { $0.word() }
    self.op = try required(op, "op")
    subject = try required(fields.take("subject", \.string), "subject")
    (time, until) = try (fields.take("time") { $0.whole() }, fields.take("until") { $0.whole() })
    encoding = try fields.take("encoding") { $0.word() }
    if let limits = try fields.take("policy", { $0 }) {
      var limits = try RequestFields(limits, in: "policy")
      policy = try limits.takePolicy()
    } else {
      policy = .standard
    }
    (record, previous) = try (fields.take("record", \.utf8), fields.take("previous", \.utf8))
    (code, codes) = try (fields.take("code", \.string), fields.take("codes", \.strings))
    (issuer, account) = try (fields.take("issuer", \.string), fields.take("account", \.string))
    (count, kind) = try (fields.take("count") { $0.whole() }, fields.take("kind") { $0.word() })
    (secret, algorithm) = try (fields.take("secret", \.utf8), fields.take("algorithm", \.string))
    (digits, period) = try (fields.take("digits") { $0.whole() }, fields.take("period") { $0.whole() })
    (counter, lastStep) = try (fields.take("counter", \.movingFactor), fields.take("lastStep", \.movingFactor))
    (confirmed, replace) = try (fields.take("confirmed", \.flag), fields.take("replace", \.flag))
    try fields.finish()
  }
}

extension RequestFields {
  /// The policy: what is left out is as in the standard one.
  fileprivate mutating func takePolicy() throws(RequestError) -> FactorRecord.Policy {
    let (base, limit) = (FactorRecord.Policy.standard, AttemptLimit.standard)
    func count(_ name: String, _ standard: Int) throws(RequestError) -> Int {
      try take(name) { $0.whole() } ?? standard
    }
    let (adjacent, drift) = try (count("adjacentSteps", base.adjacentSteps), count("driftLimit", base.driftLimit))
    let steps = try count("resynchronizationSteps", base.resynchronizationSteps)
    let lookAhead = try count("lookAhead", base.lookAhead)
    let farLookAhead = try count("resynchronizationLookAhead", base.resynchronizationLookAhead)
    let failures = try count("failuresUntilLock", limit.failuresUntilLock)
    let firstDelayed = try count("firstDelayedFailure", limit.firstDelayedFailure)
    let (delay, lock): (Int64?, Int64?) = try (
      take("initialDelaySeconds") { $0.whole() }, take("lockSeconds") { $0.whole() }
    )
    try finish()
    return try calling("policy") { () throws(FactorRecordError) in
      try FactorRecord.Policy(
        adjacentSteps: adjacent, driftLimit: drift, resynchronizationSteps: steps, lookAhead: lookAhead,
        resynchronizationLookAhead: farLookAhead,
        attempts: AttemptLimit(
          failuresUntilLock: failures,
          // 0 is until an administrator unlocks the factor.
          lockDuration: lock.map { $0 == 0 ? nil : .seconds($0) } ?? limit.lockDuration,
          firstDelayedFailure: firstDelayed, initialDelay: delay.map(Duration.seconds) ?? limit.initialDelay))
    }
  }
}

/// The fields of a request, or of the policy in it.
private struct RequestFields {
  private var fields: JSONFields
  private let place: String

  init(_ object: JSONValue, in place: String) throws(RequestError) {
    guard let fields = JSONFields(object) else { throw RequestError("invalidValue", in: place) }
    (self.fields, self.place) = (fields, place)
  }

  /// A field's value; `nil` if it is absent or null.
  mutating func take<T>(_ name: String, _ read: (JSONValue) -> T?) throws(RequestError) -> T? {
    guard let value = fields.take(name), !value.isNull else { return nil }
    guard let result = read(value) else {
      throw RequestError("invalidValue", in: place.isEmpty ? name : place + "." + name)
    }
    return result
  }

  /// Throws if there are others than those that were taken: a name that is misspelled would be left out.
  func finish() throws(RequestError) {
    guard fields.areAllTaken else { throw RequestError("unknownField", in: place.isEmpty ? nil : place) }
  }
}

extension JSONValue {
  /// What names a request in its answer: a text, or a whole number.
  var id: RequestID? { whole().map(RequestID.number) ?? string.map(RequestID.text) }

  /// A number, or its digits, since JSON's numbers are not exact beyond 2^53.
  fileprivate var movingFactor: UInt64? { whole() ?? string.flatMap { UInt64($0) } }

  fileprivate var strings: [String]? {
    guard let elements else { return nil }
    let strings = elements.compactMap(\.string)
    return strings.count == elements.count ? strings : nil
  }

  fileprivate func word<Word: RawRepresentable<String>>() -> Word? { string.flatMap { Word(rawValue: $0) } }
}

enum RequestID {
  case number(Int64)
  case text(String)
}

/// Why a request failed. It never repeats what was in it.
struct RequestError: Error {
  /// What is wrong.
  let code: String
  /// The field that it is about, such as `policy.lookAhead`.
  var field: String?

  static let malformed = RequestError("malformed")

  init(_ code: String, in field: String? = nil) { (self.code, self.field) = (code, field) }

  /// - Parameter field: What an error is about that says nothing else.
  init(_ error: FactorRecordError, in field: String) {
    let field: String? =
      switch error.kind {
      case .invalidSubject: "subject"
      case .invalidTime: "time"
      case .randomnessUnavailable, .cryptographyFailed: nil
      default: field
      }
    // A line is malformed; a record is not one.
    self.init(error.kind == .malformed ? "notARecord" : error.kind.rawValue, in: field)
  }
}

/// Calls a function of a record, whose errors are about a field.
func calling<R>(_ field: String, _ body: () throws(FactorRecordError) -> R) throws(RequestError) -> R {
  do throws(FactorRecordError) { return try body() } catch { throw RequestError(error, in: field) }
}

func required<T>(_ value: T?, _ name: String) throws(RequestError) -> T {
  guard let value else { throw RequestError("missing", in: name) }
  return value
}
