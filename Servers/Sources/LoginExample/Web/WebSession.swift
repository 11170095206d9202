import Foundation
import MultiFactor

/// A browser's state between two requests. The browser has only the session's name, in a cookie.
struct WebSession: Sendable, Codable, Equatable {
  /// The token that every form must contain. Other sites cannot know it.
  var csrf = Random.token()
  /// The user whose password was right. The second factor may still be missing.
  var email: String?
  /// `User.token()`: the sign-in, once it is complete.
  var handle: String? { didSet { handleDate = Date() } }
  /// When the handle was made; it is valid for an hour.
  private(set) var handleDate = Date()
  /// `MultiFactorResolver.token()`: a sign-in, or a step-up, that waits for the second factor.
  var resolver: String?
  /// `TOTPSecret.token()`: an app that is being added.
  var secret: String?
  /// The verification ID that belongs to the code in the last text message.
  var verification: String?
  /// The path of the page to show after a sign-in or a step-up.
  var next: String?
  /// Where the last step of the sign-in led.
  var arrival: String? { didSet { arrivalDate = Date() } }
  private var arrivalDate: Date?
  /// The name of the text that the next page shows.
  var notice: String?

  /// Whether the handle should be renewed. Not on every page, since each would then change the session.
  var isHandleOld: Bool { -handleDate.timeIntervalSinceNow > 1200 }

  /// Where to lead a form of the sign-in that is sent again: for a minute, where it led the first time.
  var arrivalAgain: String? { arrivalDate.map { -$0.timeIntervalSinceNow < 60 } == true ? arrival : nil }

  /// Applies the changes of a request, and keeps the other fields.
  mutating func merge(_ new: WebSession, since old: WebSession) {
    let fields: [WritableKeyPath<WebSession, String?>] = [
      \.email, \.handle, \.resolver, \.secret, \.verification, \.next, \.arrival, \.notice,
    ]
    for field in fields where new[keyPath: field] != old[keyPath: field] { self[keyPath: field] = new[keyPath: field] }
  }

  /// The lifetime of a session, and of a sign-in, in seconds.
  static let lifetime: TimeInterval = 12 * 3600
}

/// Web sessions, stored under the hashes of their names, so that a reader of the database cannot use them.
///
/// A name and its key begin with the time at which the session expires, so that expired sessions come first.
struct WebSessions: Sendable {
  let store: SiteStore
  private static let prefix = "session/"

  /// The key for a session's name; `nil` if the session has expired or the text is not a name.
  static func key(_ name: String) -> String? {
    guard let expiry = name.split(separator: ".").first, expiry.utf8.count == 10, let second = Int(expiry),
      TimeInterval(second) > Date().timeIntervalSince1970
    else { return nil }
    let hash = digest(of: name).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
    return "\(prefix)\(expiry)/\(hash.joined())"
  }

  func session(_ name: String) async throws -> WebSession? {
    guard let key = Self.key(name) else { return nil }
    return try await store.value(of: WebSession.self, under: key)
  }

  /// Stores a new session, and deletes a few that have expired.
  ///
  /// - Returns: Its name.
  func add(_ session: WebSession) async throws -> String {
    let expiry = Int(Date().timeIntervalSince1970 + WebSession.lifetime)
    let name = "\(expiry).\(Random.token())"
    guard let key = Self.key(name) else { throw CocoaError(.featureUnsupported) }
    try await store.change(WebSession.self, under: key) { $0 = session }
    for key in try await store.store.keys(after: DocumentKey(Self.prefix), limit: 4) {
      let text = String(decoding: key.bytes, as: UTF8.self)
      guard text.hasPrefix(Self.prefix), let second = TimeInterval(text.dropFirst(Self.prefix.count).prefix(10)),
        second <= Date().timeIntervalSince1970
      else { break }
      try await store.store.update(key) { $0 = nil }
    }
    return name
  }

  /// Applies the changes of a request to a session, unless it has ended in the meantime.
  func update(_ name: String, from old: WebSession, to new: WebSession) async throws {
    guard new != old, let key = Self.key(name) else { return }
    try await store.change(WebSession.self, under: key) { $0?.merge(new, since: old) }
  }

  /// Ends a session; `false` if there is none any more.
  func end(_ name: String) async throws -> Bool {
    guard let key = Self.key(name) else { return false }
    return try await store.change(WebSession.self, under: key) { stored in
      defer { stored = nil }
      return stored != nil
    }
  }
}
