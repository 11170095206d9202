import Foundation
import Hummingbird
import Synchronization

/// Where requests come from.
struct LoginContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// The client's address, which attempts are counted by.
  let address: String

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    address = source.channel.remoteAddress?.ipAddress ?? ""
  }
}

/// One request: who makes it, and what it brings.
struct Visit: Sendable {
  var session: WebSession
  /// The session's name, if the browser came with one.
  var name: String?
  /// Whether the session gets another name: it is worth more than before, so a name that somebody has planted or seen
  /// must not go on.
  var isRotated = false
  let path: String
  let query: [String: String]
  let form: [String: String]
  let language: Language
  let address: String

  /// A field of the form; empty if it is not there.
  subscript(_ field: String) -> String { form[field] ?? "" }

  /// Forgets everything: the browser is anybody's again.
  mutating func end(notice: String? = nil) {
    session = WebSession()
    session.notice = notice
    isRotated = true
  }
}

/// What a step answers.
enum Reply {
  /// A page, by the name of its template, and what it shows.
  case page(String, [String: Any] = [:], status: HTTPResponse.Status = .ok)
  case redirect(String)
  case refused(HTTPResponse.Status)
}

/// Texts in one language.
struct Language: Sendable {
  let code: String
  let isRightToLeft: Bool
  let texts: [String: String]

  func text(_ name: String) -> String { texts[name] ?? name }

  /// A moment, as people write it.
  func date(_ date: Date) -> String {
    date.formatted(Date.FormatStyle(date: .long, time: .shortened).locale(Locale(identifier: code)))
  }
}

/// How many attempts an address has: those of a minute, at once or as they come.
final class RateLimits: Sendable {
  private struct Bucket: Sendable {
    var tokens: Double
    var date: Date
  }

  private let buckets = Mutex<[String: Bucket]>([:])
  private let perMinute: Double

  init(perMinute: Int) { self.perMinute = Double(perMinute) }

  /// Takes one attempt of an address; `false` if it has none.
  func take(_ address: String, at now: Date = Date()) -> Bool {
    buckets.withLock { buckets in
      if buckets.count > 100_000 { buckets = [:] }
      var bucket = buckets[address] ?? Bucket(tokens: perMinute, date: now)
      let elapsed = max(0, now.timeIntervalSince(bucket.date))
      bucket.tokens = min(perMinute, bucket.tokens + elapsed * perMinute / 60)
      bucket.date = now
      defer { buckets[address] = bucket }
      guard bucket.tokens >= 1 else { return false }
      bucket.tokens -= 1
      return true
    }
  }
}
