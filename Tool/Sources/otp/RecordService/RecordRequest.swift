import FactorRecord
import Foundation
import OTP

/// A request about a record, as read from a line. Which fields an operation needs, `Tool/record-service` says.
struct RecordRequest: Decodable {
  enum Operation: String, Decodable {
    case enroll, uri, confirm, verify, resynchronize, recoveryCodes, unlock, spend, reseal, info, explain
  }
  enum Encoding: String, Decodable { case base64, hex }
  enum Kind: String, Decodable { case totp, hotp }

  let id: RequestID?
  let op: Operation
  let subject: String
  var time, until: Int64?
  var encoding: Encoding?
  var policy: PolicyFields?
  var record, previous, code, issuer, account: String?
  var codes: [String]?
  var count: Int?
  var kind: Kind?
  var secret, algorithm: String?
  var digits: Int?
  var period: Int64?
  var counter, lastStep: MovingFactor?
  var confirmed: Bool?

  private enum CodingKeys: String, CodingKey, CaseIterable {
    case id, op, subject, time, until, encoding, policy, record, previous, code, issuer, account, codes, count, kind
    case secret, algorithm, digits, period, counter, lastStep, confirmed
  }

  /// Reads a line.
  init(line: [UInt8]) throws(RequestError) {
    do {
      let decoder = JSONDecoder()
      self = try decoder.decode(RecordRequest.self, from: Data(line))
      // A name that is misspelled would otherwise be left out.
      let names = try decoder.decode(Names.self, from: Data(line))
      guard names.outer.isSubset(of: CodingKeys.allCases.map(\.rawValue)) else { throw RequestError("unknownField") }
      guard names.policy.isSubset(of: PolicyFields.CodingKeys.allCases.map(\.rawValue)) else {
        throw RequestError("unknownField", in: "policy")
      }
    } catch let error as RequestError {
      throw error
    } catch {
      throw RequestError(error as? DecodingError)
    }
  }

  /// The `id` of a line that is no request: of its object or, if it is not even JSON, at its beginning.
  static func id(ofRefused line: [UInt8]) -> RequestID? {
    struct Object: Decodable { let id: RequestID }
    if let object = try? JSONDecoder().decode(Object.self, from: Data(line)) { return object.id }
    let text = String(decoding: line.prefix(1024), as: UTF8.self)
    let beginning = /\s*\{\s*"id"\s*:\s*("(?:[^"\\]|\\.){0,200}"|-?[0-9]{1,15})/
    return text.prefixMatch(of: beginning).flatMap { try? JSONDecoder().decode(RequestID.self, from: Data($0.1.utf8)) }
  }
}

/// What names a request in its answer: a text, or a whole number.
enum RequestID: Codable {
  case number(Int64)
  case text(String)

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    self =
      if let number = try? value.decode(Int64.self) { .number(number) } else { .text(try value.decode(String.self)) }
  }

  func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    switch self {
    case .number(let number): try value.encode(number)
    case .text(let text): try value.encode(text)
    }
  }
}

/// A step or counter: a number, or its digits, since JSON's numbers are not exact beyond 2^53.
struct MovingFactor: Decodable {
  let value: UInt64

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let value = try UInt64((try? container.decode(String.self)) ?? String(container.decode(UInt64.self))) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "")
    }
    self.value = value
  }
}

/// Which codes are accepted; what is left out is as in the standard policy.
struct PolicyFields: Decodable {
  private let adjacentSteps, driftLimit, resynchronizationSteps, lookAhead, resynchronizationLookAhead: Int?
  private let failuresUntilLock, firstDelayedFailure: Int?
  private let initialDelaySeconds, lockSeconds: Int64?

  fileprivate enum CodingKeys: String, CodingKey, CaseIterable {
    case adjacentSteps, driftLimit, resynchronizationSteps, lookAhead, resynchronizationLookAhead
    case failuresUntilLock, firstDelayedFailure, initialDelaySeconds, lockSeconds
  }

  func policy() throws(FactorRecordError) -> FactorRecord.Policy {
    let (base, limit) = (FactorRecord.Policy.standard, AttemptLimit.standard)
    // 0 is until an administrator unlocks the factor.
    let lock = lockSeconds.map { $0 == 0 ? nil : Duration.seconds($0) } ?? limit.lockDuration
    return try FactorRecord.Policy(
      adjacentSteps: adjacentSteps ?? base.adjacentSteps, driftLimit: driftLimit ?? base.driftLimit,
      resynchronizationSteps: resynchronizationSteps ?? base.resynchronizationSteps,
      lookAhead: lookAhead ?? base.lookAhead,
      resynchronizationLookAhead: resynchronizationLookAhead ?? base.resynchronizationLookAhead,
      attempts: AttemptLimit(
        failuresUntilLock: failuresUntilLock ?? limit.failuresUntilLock, lockDuration: lock,
        firstDelayedFailure: firstDelayedFailure ?? limit.firstDelayedFailure,
        initialDelay: initialDelaySeconds.map(Duration.seconds) ?? limit.initialDelay))
  }
}

/// The names in a request.
private struct Names: Decodable {
  let outer, policy: Set<String>

  init(from decoder: any Decoder) throws {
    let object = try decoder.container(keyedBy: Name.self)
    outer = Set(object.allKeys.map(\.stringValue))
    policy = Set(
      (try? object.nestedContainer(keyedBy: Name.self, forKey: Name("policy")).allKeys.map(\.stringValue)) ?? [])
  }

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}

/// Why a request failed. It never repeats what was in it.
struct RequestError: Error {
  /// What is wrong.
  let code: String
  /// The field that it is about, such as `policy.lookAhead`.
  var field: String?

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

  fileprivate init(_ error: DecodingError?) {
    switch error {
    case .keyNotFound(let key, let context): self.init("missing", at: context.codingPath + [key])
    case .valueNotFound(_, let context): self.init("missing", at: context.codingPath)
    case .typeMismatch(_, let context), .dataCorrupted(let context): self.init("invalidValue", at: context.codingPath)
    default: self.init("malformed")
    }
  }

  /// Only our own names are in a path of keys that were decoded.
  private init(_ code: String, at path: [any CodingKey]) {
    let names = path.filter { $0.intValue == nil }.map(\.stringValue)
    self.init(names.isEmpty ? "malformed" : code, in: names.isEmpty ? nil : names.joined(separator: "."))
  }
}
