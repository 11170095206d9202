import FactorRecord
import Foundation
import OTP

/// The kind of a second factor, by the text that stands for it in claims, audit events and documents.
package struct FactorKind: RawRepresentable, Sendable, Hashable {
  package let rawValue: String

  package init(rawValue: String) { self.rawValue = rawValue }

  /// Codes by time (RFC 6238).
  package static let totp = FactorKind(rawValue: "totp")
  /// Codes by counter (RFC 4226).
  package static let hotp = FactorKind(rawValue: "hotp")
  /// Recovery codes, which stand in for a factor but are not one.
  package static let recovery = FactorKind(rawValue: "recovery")
  /// A browser that is remembered, which stands in for the factor that was verified in it, at sign-ins only: see the
  /// product `MultiFactorBrowsers`.
  package static let remembered = FactorKind(rawValue: "remembered")

  /// Whether a text can be the kind of an external factor: 1...32 lower-case ASCII letters, digits and hyphens, and no
  /// kind of this module's own.
  package static func isExternalName(_ name: String) -> Bool {
    1...32 ~= name.utf8.count && ![FactorKind.totp, .hotp, .recovery, .remembered].contains { $0.rawValue == name }
      && name.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
  }

  init(_ kind: FactorRecord.Kind) {
    self =
      switch kind {
      case .totp: .totp
      case .hotp: .hotp
      case .recoveryCodes: .recovery
      }
  }
}

/// A second factor of a user.
package struct Factor: Sendable, Equatable {
  /// What its codes are checked against, and the attempts.
  package enum Content: Sendable, Equatable {
    /// A TOTP or HOTP factor.
    case record(FactorRecord)
    /// A factor whose codes cannot be computed: its kind, and what its ``ExternalFactor`` keeps of it.
    case external(FactorKind, details: [UInt8], Attempts = Attempts())
  }

  /// The factor's name: random, unless it was given by another system.
  package let uid: String
  package var content: Content
  /// What the user calls it.
  package let displayName: String?
  package let enrollmentDate: Date
  /// Which of the account's bindings it is: see ``Account/bindingCount``.
  package var binding: UInt64 = 0

  package init(uid: String, content: Content, displayName: String?, enrollmentDate: Date) {
    self.uid = uid
    self.content = content
    self.displayName = displayName
    self.enrollmentDate = enrollmentDate
  }

  package var kind: FactorKind { content.kind }

  /// The record, unless the factor is external.
  package var record: FactorRecord? { if case .record(let record) = content { record } else { nil } }

  package var attempts: Attempts {
    get {
      switch content {
      case .record(let record): record.attempts
      case .external(_, _, let attempts): attempts
      }
    }
    set {
      switch content {
      case .record(var record):
        record.attempts = newValue
        content = .record(record)
      case .external(let kind, let details, _): content = .external(kind, details: details, newValue)
      }
    }
  }

  /// How many characters of a display name are kept.
  static let maximumNameCharacterCount = 100
  /// How many bytes of a display name are kept: a single character can have any number of combining marks.
  static let maximumNameByteCount = 1024

  /// The maximum length of a factor's name, in bytes.
  static let maximumUIDByteCount = 128

  /// Whether a text can be the name of a factor, or the one that stands for the recovery codes: 1 to 128 visible ASCII
  /// characters. Any other is rejected without a lookup.
  package static func isName(_ uid: String) -> Bool {
    var uid = uid
    return uid.withUTF8 { utf8 in
      unsafe 1...maximumUIDByteCount ~= utf8.count && utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
  }

  /// The part of a display name that is kept, cut between characters.
  package static func keptName(_ displayName: String) -> String {
    var byteCount = 0
    // Look at no more than could be kept: a scalar has at least one byte, and a name can have 10 MB.
    let start = String(String.UnicodeScalarView(displayName.unicodeScalars.prefix(maximumNameByteCount + 1)))
    let kept = start.prefix(maximumNameCharacterCount).prefix { character in
      byteCount += character.utf8.count
      return byteCount <= maximumNameByteCount
    }
    return String(kept)
  }
}

extension Factor: Redacted {
  /// Everything but what it is checked against.
  package var redactedDescription: String { "Factor(\(uid), \(kind.rawValue), \(attempts))" }
}

/// A factor, or a set of recovery codes, that is no longer bound to an account: without its secret.
package struct PastFactor: Sendable, Equatable {
  package let uid: String
  package let kind: FactorKind
  package let enrollmentDate: Date
  package let removalDate: Date

  /// How many are kept for one user, the latest ones; the audit events have them all.
  static let maximumCount = 100
}

extension PastFactor {
  /// The record of a factor that is being removed.
  init(_ factor: Factor, until now: Date) {
    self.init(uid: factor.uid, kind: factor.kind, enrollmentDate: factor.enrollmentDate, removalDate: now)
  }
}
