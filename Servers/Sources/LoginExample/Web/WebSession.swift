import Foundation
import MultiFactor

/// What this site knows of a browser between two requests. The browser has its name only, in a cookie.
struct WebSession: Sendable, Codable, Equatable {
  /// What forms must have in them: no other site knows it.
  var csrf = Random.token()
  /// Whose password was right; the second factor may be wanting.
  var email: String?
  /// `User.token`: the sign-in, once it is complete.
  var handle: String? { didSet { handleDate = Date() } }
  /// When the handle was made, which is good for an hour.
  private(set) var handleDate = Date()
  /// `MultiFactorResolver.token`: a sign-in, or a step up, that waits for the second factor.
  var resolver: String?
  /// `TOTPSecret.token`: an app that is being added.
  var secret: String?
  /// What the code of the last text message is given together with.
  var verification: String?
  /// Where to go on after a sign-in or a step up.
  var next: String?
  /// What the next page says, by its name among the texts.
  var notice: String?

  /// Whether it is time to make the handle again. Not at each page: then each would have something to write.
  var isHandleOld: Bool { -handleDate.timeIntervalSinceNow > 1200 }

  /// Changes what another request has changed, and leaves the rest.
  mutating func merge(_ new: WebSession, since old: WebSession) {
    let fields: [WritableKeyPath<WebSession, String?>] = [
      \.email, \.handle, \.resolver, \.secret, \.verification, \.next, \.notice,
    ]
    for field in fields where new[keyPath: field] != old[keyPath: field] { self[keyPath: field] = new[keyPath: field] }
  }

  /// How long one lasts, in seconds, and how long a sign-in does.
  static let lifetime: TimeInterval = 12 * 3600
}

/// Web sessions, under the hashes of their names: a reader of the database cannot use them.
///
/// A name begins with the second in which the session expires, and so does its key: those that have expired come first.
struct WebSessions: Sendable {
  let store: SiteStore
  private static let prefix = "session/"

  /// The key of a session that has not expired; `nil` for any other text.
  private static func key(_ name: String) -> String? {
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

  /// Keeps a new session, and drops some that have expired.
  ///
  /// - Returns: Its name.
  func add(_ session: WebSession) async throws -> String {
    let expiry = Int(Date().timeIntervalSince1970 + WebSession.lifetime)
    let name = "\(expiry).\(Random.token())"
    guard let key = Self.key(name) else { throw CocoaError(.featureUnsupported) }
    try await store.change(WebSession.self, under: key) { $0 = session }
    for key in try await store.store.keys(after: DocumentKey(bytes: Array(Self.prefix.utf8)), limit: 4) {
      let text = String(decoding: key.bytes, as: UTF8.self)
      guard text.hasPrefix(Self.prefix), let second = TimeInterval(text.dropFirst(Self.prefix.count).prefix(10)),
        second <= Date().timeIntervalSince1970
      else { break }
      try await store.store.update(key) { $0 = nil }
    }
    return name
  }

  /// Changes what a request has changed in a session, unless it has been ended meanwhile.
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
