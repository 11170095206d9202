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
  /// Whether the session gets another name: it is worth more than before, so a name that was planted or seen must not
  /// go on.
  var isRotated = false
  let path: String
  let query: [String: String]
  let form: [String: String]
  /// Whether it is a form that is answered: then the page has no address to go back to.
  let isForm: Bool
  let language: Language
  let address: String

  /// A field of the form; empty if it is not there.
  subscript(_ field: String) -> String { form[field] ?? "" }

  /// The same page in another language, with all else that it was asked for by.
  func link(to language: Language) -> String {
    var fields = query
    fields["lang"] = language.code
    let encoded = fields.sorted { $0.key < $1.key }.map { field in
      [field.key, field.value].map { $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "" }
        .joined(separator: "=")
    }
    return "\(path)?\(encoded.joined(separator: "&"))"
  }

  /// Forgets everything that is known of the browser.
  mutating func end(notice: String? = nil) {
    session = WebSession()
    session.notice = notice
    isRotated = true
  }
}

/// Where browsers reach the site. If any free port will do, it is known once the server listens.
final class Origin: Sendable {
  private let current: Mutex<String>

  init(_ text: String) { current = Mutex(text) }

  var text: String {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }
}

/// What a step answers.
enum Reply {
  /// A page, by the name of its template, and what it shows.
  case page(String, [String: Any] = [:], status: HTTPResponse.Status = .ok)
  case redirect(String)
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

  private struct State: Sendable {
    var buckets: [[UInt8]: Bucket] = [:]
    var size = 100_000
  }

  private let state = Mutex(State())
  private let perMinute: Double

  init(perMinute: Int) { self.perMinute = Double(perMinute) }

  /// Takes one attempt of an address; `false` if it has none.
  func take(_ address: String, at now: Date = Date()) -> Bool {
    state.withLock { state in
      if state.buckets.count >= state.size {
        // One that is full again is as good as none.
        state.buckets = state.buckets.filter { now.timeIntervalSince($0.value.date) < 60 }
        state.size = max(100_000, 2 * state.buckets.count)
      }
      let network = Self.network(address)
      var bucket = state.buckets[network] ?? Bucket(tokens: perMinute, date: now)
      let elapsed = max(0, now.timeIntervalSince(bucket.date))
      bucket.tokens = min(perMinute, bucket.tokens + elapsed * perMinute / 60)
      bucket.date = now
      defer { state.buckets[network] = bucket }
      guard bucket.tokens >= 1 else { return false }
      bucket.tokens -= 1
      return true
    }
  }

  /// The address in what a proxy writes, some of them with a port: `192.0.2.1:80`, `[2001:db8::1]:80`.
  static func address(in forwarded: Substring) -> String {
    let text = forwarded.trimmingCharacters(in: .whitespaces)
    if text.hasPrefix("[") { return String(text.dropFirst().prefix { $0 != "]" }) }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    return parts.count == 2 ? String(parts[0]) : text
  }

  /// What one client has of addresses: one of IPv4's, or a network of 64 bits of IPv6's.
  private static func network(_ address: String) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 16)
    guard unsafe inet_pton(AF_INET6, address, &bytes) == 1 else { return Array(address.utf8.prefix(64)) }
    // An address of IPv4, as a socket for both has it.
    let isMapped = bytes.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
    return isMapped ? Array(bytes.suffix(4)) : Array(bytes.prefix(8))
  }
}
