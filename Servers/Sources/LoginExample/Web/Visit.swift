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

  /// A date and time for the template `time`: in UTC, until `pages.js` shows it in the reader's zone.
  func time(_ date: Date, _ style: Date.FormatStyle.TimeStyle = .shortened) -> [String: String] {
    let format = Date.FormatStyle(
      date: .long, time: style, locale: Locale(identifier: code), timeZone: .gmt)
    return [
      "utc": date.formatted(.iso8601), "text": "\(date.formatted(format)) UTC",
      "style": style == .shortened ? "short" : "medium",
    ]
  }
}
