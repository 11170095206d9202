import Foundation
import MultiFactor

/// The name of a project's own users, or of a tenant's.
struct RealmName: Sendable, Hashable {
  let project: String
  let tenant: String?
}

/// A change of one thing that is kept, with its new value.
struct Change: Sendable {
  /// The kinds of things kept for a project or tenant, each under a name.
  enum Kind: String, Sendable {
    case config
    case account
    case oobCode
    case verificationCode
    case temporaryProof
  }

  enum Subject: Sendable, Hashable {
    case entry(RealmName, Kind, name: String)
    /// All of a project or tenant, of one kind or of every kind: it can only be removed.
    case all(RealmName, Kind?)
    /// A document of second factors.
    case document(DocumentKey)
  }

  let subject: Subject
  /// `nil` if it was removed. It is encoded only when it is written.
  let value: Value?

  enum Value: Sendable {
    case json(any Encodable & Sendable)
    case bytes([UInt8])
  }
}

/// Collects the changes of a project or tenant, for the journal.
struct ChangeList: Sendable {
  typealias Entry = (kind: Change.Kind, name: String?, value: (any Encodable & Sendable)?)

  private var entries: [Entry] = []

  mutating func put(_ kind: Change.Kind, _ name: String, _ value: any Encodable & Sendable) {
    entries.append((kind, name, value))
  }

  mutating func remove(_ kind: Change.Kind, _ name: String) { entries.append((kind, name, nil)) }

  mutating func removeAll(_ kind: Change.Kind) { entries.append((kind, nil, nil)) }

  /// The changes since the last call, as those of a project or tenant.
  mutating func take(of realm: RealmName) -> [Change] {
    guard !entries.isEmpty else { return [] }
    defer { entries = [] }
    return entries.map { kind, name, value in
      Change(
        subject: name.map { .entry(realm, kind, name: $0) } ?? .all(realm, kind), value: value.map(Change.Value.json))
    }
  }
}
