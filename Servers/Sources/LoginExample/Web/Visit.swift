import Foundation
import Hummingbird
import Synchronization

/// The origin of a request.
struct LoginContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// The client's address, by which attempts are counted.
  let address: String

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    address = source.channel.remoteAddress?.ipAddress ?? ""
  }
}

/// One request, and the session that it belongs to.
struct Visit: Sendable {
  var session: WebSession
  /// The session's name, if the browser sent a valid one.
  var name: String?
  /// Whether the session gets a new name. When it gains rights, a name that an attacker planted or saw must not gain
  /// them.
  var isRotated = false
  let path: String
  let query: [String: String]
  let form: [String: String]
  /// Whether this answers a form: then the page has no address to go back to.
  let isForm: Bool
  let language: Language
  let address: String
  /// What a remembered browser has sent, and what it must keep from now on.
  let browserToken: String?
  var newBrowserToken: String?
  /// What the browser calls itself.
  let userAgent: String

  /// A field of the form; empty if it is missing.
  subscript(_ field: String) -> String { form[field] ?? "" }

  /// The same page in another language, with the rest of its query.
  func link(to language: Language) -> String {
    var fields = query
    fields["lang"] = language.code
    let encoded = fields.sorted { $0.key < $1.key }.map { field in
      [field.key, field.value].map { $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "" }
        .joined(separator: "=")
    }
    return "\(path)?\(encoded.joined(separator: "&"))"
  }

  /// Replaces the session with an empty one.
  mutating func end(notice: String? = nil) {
    session = WebSession()
    session.notice = notice
    isRotated = true
  }
}

/// The site's URL in browsers. If the port is any free one, it is known only once the server listens.
final class Origin: Sendable {
  private let current: Mutex<String>

  init(_ text: String) { current = Mutex(text) }

  var text: String {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }
}

/// The reply of a step.
enum Reply {
  /// A page: the name of its template, and its content.
  case page(String, [String: Any] = [:], status: HTTPResponse.Status = .ok)
  case redirect(String)
}

/// The texts in one language.
struct Language: Sendable {
  let code: String
  let isRightToLeft: Bool
  let texts: [String: String]

  func text(_ name: String) -> String { texts[name] ?? name }

  /// A date and time in this language.
  func date(_ date: Date) -> String {
    date.formatted(Date.FormatStyle(date: .long, time: .shortened).locale(Locale(identifier: code)))
  }

  /// A time of day to the second, with its zone.
  func time(_ date: Date) -> String {
    date.formatted(Date.FormatStyle(date: .omitted, time: .complete).locale(Locale(identifier: code)))
  }
}

/// The attempts left to each address: a token bucket that fills in a minute.
final class RateLimits: Sendable {
  private struct Bucket: Sendable {
    var tokens: Double
    var date: Date
  }

  private struct State: Sendable {
    var buckets: [[UInt8]: Bucket] = [:]
    var size = 100_000
  }

  private let state = Mutex(State())
  private let perMinute: Double

  init(perMinute: Int) { self.perMinute = Double(perMinute) }

  /// Uses one attempt of an address.
  ///
  /// - Returns: How many seconds there are until the next one, if none is left.
  func take(_ address: String, at now: Date = Date()) -> Int? {
    state.withLock { state in
      if state.buckets.count >= state.size {
        // After a minute, a bucket is full again and need not be kept.
        state.buckets = state.buckets.filter { now.timeIntervalSince($0.value.date) < 60 }
        state.size = max(100_000, 2 * state.buckets.count)
      }
      let network = Self.network(address)
      var bucket = state.buckets[network] ?? Bucket(tokens: perMinute, date: now)
      let elapsed = max(0, now.timeIntervalSince(bucket.date))
      bucket.tokens = min(perMinute, bucket.tokens + elapsed * perMinute / 60)
      bucket.date = now
      defer { state.buckets[network] = bucket }
      guard bucket.tokens >= 1 else { return Int(((1 - bucket.tokens) * 60 / perMinute).rounded(.up)) }
      bucket.tokens -= 1
      return nil
    }
  }

  /// The address that a proxy wrote, possibly with a port: `192.0.2.1:80`, `[2001:db8::1]:80`.
  static func address(in forwarded: Substring) -> String {
    let text = forwarded.trimmingCharacters(in: .whitespaces)
    if text.hasPrefix("[") { return String(text.dropFirst().prefix { $0 != "]" }) }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    return parts.count == 2 ? String(parts[0]) : text
  }

  /// The addresses that count as one client: a single IPv4 address, or a /64 network of IPv6.
  private static func network(_ address: String) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 16)
    guard unsafe inet_pton(AF_INET6, address, &bytes) == 1 else { return Array(address.utf8.prefix(64)) }
    // An IPv4-mapped address, as a dual-stack socket reports it.
    let isMapped = bytes.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
    return isMapped ? Array(bytes.suffix(4)) : Array(bytes.prefix(8))
  }
}
