import FactorRecord
import Foundation
import MultiFactor
import OTP

/// A factor that a user already has, to be added by an administrator.
///
/// One from another system can keep its `uid`, 1...128 visible ASCII characters that no other factor of the user has,
/// and its enrollment date. A date in the future becomes that of the import.
public struct FactorImport: Sendable {
  private enum Source: Sendable {
    case new(Factor.Content, displayName: String?, enrollmentDate: Date?)
    case enrolled
  }

  private let source: Source
  /// The name given by the administrator, if any.
  let uid: String?

  private init(
    _ content: Factor.Content, _ displayName: String?, _ uid: String?, _ enrollmentDate: Date?
  ) {
    source = .new(content, displayName: displayName, enrollmentDate: enrollmentDate)
    self.uid = uid
  }

  private init(enrolled uid: String) {
    source = .enrolled
    self.uid = uid
  }

  /// A factor that the user already has here, unchanged: for calling `MultiFactorAdmin.overwriteFactors(of:with:)`
  /// without knowing its secret.
  ///
  /// - Parameter uid: The factor's name.
  public static func enrolled(uid: String) -> FactorImport { FactorImport(enrolled: uid) }

  /// A TOTP secret from another system.
  ///
  /// - Parameters:
  ///   - secret: The shared secret, of at most 1,024 bytes; see `OTPSecret.isWeak`.
  ///   - algorithm: The hash function.
  ///   - digits: How many digits a code has.
  ///   - period: The length of a step in seconds, 1 or more.
  ///   - t0: The Unix time of step 0.
  ///   - lastAcceptedStep: The step that the other system accepted last, if known, so that its code is not accepted
  ///     again here.
  ///   - displayName: What the user calls it.
  ///   - uid: Its name; `nil` for a new one.
  ///   - enrollmentDate: When it was enrolled; `nil` for now.
  /// - Throws: `FactorRecordError` with `invalidSecret`, or with `outOfRange` for a period under 1.
  public static func totp(
    secret: OTPSecret, algorithm: HashAlgorithm = .sha1, digits: OTPCode.Digits = .six, period: Int64 = 30,
    t0: Int64 = 0, lastAcceptedStep: UInt64? = nil, displayName: String? = nil, uid: String? = nil,
    enrollmentDate: Date? = nil
  ) throws(FactorRecordError) -> FactorImport {
    guard let timeStep = try? TimeStep(period: period, t0: t0) else { throw FactorRecordError(.outOfRange) }
    let secret = FactorSecret(
      isTimeBased: true, secret: secret, algorithm: algorithm, digits: digits, timeStep: timeStep)
    return FactorImport(.record(try Self.record(secret, lastAcceptedStep)), displayName, uid, enrollmentDate)
  }

  /// A hardware token, whose secret its manufacturer has set.
  ///
  /// - Parameters:
  ///   - secret: The shared secret, of at most 1,024 bytes; see `OTPSecret.isWeak`.
  ///   - algorithm: The hash function.
  ///   - digits: How many digits a code has.
  ///   - lastAcceptedCounter: The counter that the other system accepted last; `nil` for a token whose next code is
  ///     that of counter 0.
  ///   - displayName: What the user calls it.
  ///   - uid: Its name; `nil` for a new one.
  ///   - enrollmentDate: When it was enrolled; `nil` for now.
  /// - Throws: `FactorRecordError` with `invalidSecret`, or with `outOfRange` after the highest counter, as no code is
  ///   left.
  public static func hotp(
    secret: OTPSecret, algorithm: HashAlgorithm = .sha1, digits: OTPCode.Digits = .six,
    lastAcceptedCounter: UInt64? = nil, displayName: String? = nil, uid: String? = nil, enrollmentDate: Date? = nil
  ) throws(FactorRecordError) -> FactorImport {
    guard lastAcceptedCounter != .max else { throw FactorRecordError(.outOfRange) }
    let secret = FactorSecret(isTimeBased: false, secret: secret, algorithm: algorithm, digits: digits)
    return FactorImport(.record(try Self.record(secret, lastAcceptedCounter)), displayName, uid, enrollmentDate)
  }

  /// The secret that a key URI describes.
  ///
  /// - Parameters:
  ///   - uri: The URI. One for HOTP states the next counter.
  ///   - lastAcceptedStep: For TOTP, the step that the other system accepted last, if known.
  ///   - displayName: What the user calls it.
  ///   - uid: Its name; `nil` for a new one.
  ///   - enrollmentDate: When it was enrolled; `nil` for now.
  /// - Throws: `FactorRecordError` with `invalidSecret`.
  public static func uri(
    _ uri: OTPAuthURI, lastAcceptedStep: UInt64? = nil, displayName: String? = nil, uid: String? = nil,
    enrollmentDate: Date? = nil
  ) throws(FactorRecordError) -> FactorImport {
    switch uri.kind {
    case .totp(let period):
      try totp(
        secret: uri.secret, algorithm: uri.algorithm, digits: uri.digits, period: period,
        lastAcceptedStep: lastAcceptedStep, displayName: displayName, uid: uid, enrollmentDate: enrollmentDate)
    case .hotp(let counter):
      try hotp(
        secret: uri.secret, algorithm: uri.algorithm, digits: uri.digits,
        lastAcceptedCounter: counter == 0 ? nil : counter - 1, displayName: displayName, uid: uid,
        enrollmentDate: enrollmentDate)
    }
  }

  /// An external factor that is known to be the user's, with what its `ExternalFactor` keeps of it.
  ///
  /// - Parameters:
  ///   - factorID: Its kind.
  ///   - details: What the factor keeps.
  ///   - displayName: What the user calls it.
  ///   - uid: Its name; `nil` for a new one.
  ///   - enrollmentDate: When it was enrolled; `nil` for now.
  /// - Throws: `AuthError` with code `missingMultiFactorInfo` if its kind is not the name of one, or its details are
  ///   longer than 2,048 bytes.
  public static func external(
    _ factorID: String, details: [UInt8], displayName: String? = nil, uid: String? = nil, enrollmentDate: Date? = nil
  ) throws(AuthError) -> FactorImport {
    guard FactorKind.isExternalName(factorID), details.count <= FactorInfo.maximumDetailsByteCount else {
      throw AuthError(.missingMultiFactorInfo)
    }
    return FactorImport(
      .external(FactorKind(rawValue: factorID), details: details), displayName, uid, enrollmentDate)
  }

  /// A factor whose record a server kept in a table of its own, as it is: what was spent, the drift and the failures.
  ///
  /// - Parameters:
  ///   - record: The record of a TOTP or HOTP factor.
  ///   - displayName: What the user calls it.
  ///   - uid: Its name; `nil` for a new one.
  /// - Throws: `FactorRecordError` with `anotherKind` for recovery codes, or `pending`.
  public static func record(
    _ record: FactorRecord, displayName: String? = nil, uid: String? = nil
  ) throws(FactorRecordError) -> FactorImport {
    guard record.secret != nil else { throw FactorRecordError(.anotherKind) }
    guard !record.isPending else { throw FactorRecordError(.pending) }
    let date = Date(unixMilliseconds: record.enrollmentMilliseconds)
    return FactorImport(.record(record), displayName, uid, date)
  }

  private static func record(
    _ secret: FactorSecret, _ lastAccepted: UInt64?
  ) throws(FactorRecordError) -> FactorRecord {
    guard secret.secret.byteCount <= FactorSecret.maximumByteCount else { throw FactorRecordError(.invalidSecret) }
    return FactorRecord(.secret(secret), isPending: false, enrollmentMilliseconds: 0, lastAccepted: lastAccepted)
  }

  /// The factor, by the name it gets, for an account.
  ///
  /// - Throws: `Refusal` if this stands for an enrolled factor that the user does not have.
  func factor(_ uid: String, in account: Account, at now: Date) throws(Refusal) -> Factor {
    switch source {
    case .new(var content, let displayName, let enrollmentDate):
      // This also replaces a NaN.
      let date = enrollmentDate.flatMap { $0 < now ? $0 : nil } ?? now
      if case .record(var record) = content {
        record.enrollmentMilliseconds = date.unixMilliseconds
        content = .record(record)
      }
      return Factor(
        uid: uid, content: content, displayName: displayName.map(Factor.keptName), enrollmentDate: date)
    case .enrolled:
      guard let factor = account.factors.first(where: { $0.uid.hasBytes(of: uid) }) else {
        throw Refusal(.multiFactorInfoNotFound)
      }
      return factor
    }
  }
}

extension FactorImport: Redacted {}
